"""One committed epoch as somebody outside reads it: whole, or not there yet; and what can no longer be read is named.

Why: a store that has lost or altered an object is no fault of Levee's, and no reason to pass over an epoch without a word.
Called by: tailing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from levee.plans.ending import Refused
from levee.topology.complaint import Complaint
from levee.topology.names import TaskId
from levee_spark.log import ask, floor, head
from levee_spark.log.commit import Unreadable
from levee_spark.log.keys import Layout, numbered
from levee_spark.log.requests import Absent, Answer, Corrupt, Found, Get, Script
from levee_spark.log.values import EpochObject, Floor, Segment

REBUILT = "a topology that runs computes it again where it can, once somebody needs it"


class Damaged(Exception):
    """An object that a store should have, and does not have as it was written."""

    def __init__(self, key: str, wrong: str, fix: str) -> None:
        super().__init__(wrong)
        self.complaint = Complaint(key, wrong, fix)


@contextmanager
def told(command: str, task_of: Callable[[str], TaskId | None]) -> Iterator[None]:
    try:
        yield
    except Damaged as damaged:
        raise Refused(f"{command}: what is stored there is damaged.", [damaged.complaint]) from None
    except Unreadable as corrupt:
        complaint = unreadable(corrupt.key, task_of(corrupt.key), corrupt.why).complaint
        raise Refused(f"{command}: what is stored there is damaged.", [complaint]) from None
    except ask.CorruptRecord as corrupt:
        raise Refused(f"{command}: what is stored there is damaged.", [Complaint("the store", corrupt.why, ask.RESTORE)]) from None


def unreadable(key: str, task: TaskId | None, why: str) -> Damaged:
    of = f" of {task}" if task is not None else ""
    return Damaged(key, f"epoch {numbered(key)}{of} cannot be read: {why.removeprefix(f'{key}: ')}", fix_of(numbered(key)))


def missing(key: str, task: TaskId) -> Damaged:
    return Damaged(key, f"epoch {numbered(key)} of {task} is missing, while later ones are there", fix_of(numbered(key)))


def fix_of(epoch: int) -> str:
    return f"{ask.RESTORE} ({REBUILT}); or read on after it: --from {epoch + 1}"


def whole(layout: Layout, task: TaskId, epoch: int, *, looks: bool = True) -> Script[EpochObject | None]:
    """With its segments, if it has any, wherever it stands; None: not there yet, or no longer. `looks`: whether later ones are there."""
    key = layout.epoch(task, epoch)
    found = yield from with_segments((yield from ask.persistently(Get(key))))
    if isinstance(found, Absent) and not (looks and (yield from is_gone(layout, task, epoch))):
        return None
    if isinstance(found, EpochObject):
        return found
    again = yield from with_segments((yield from ask.persistently(Get(layout.rebuilt(task, epoch)))))
    if isinstance(again, EpochObject):
        return again
    if epoch < (yield from floor.latest(layout, task, Floor(0, 0))).epoch:
        return None  # it was trimmed meanwhile
    raise unreadable(key, task, found.why) if isinstance(found, Corrupt) else missing(key, task)


def with_segments(answer: Answer) -> Script[EpochObject | Absent | Corrupt]:
    if isinstance(answer, Absent | Corrupt):
        return answer
    assert isinstance(answer, Found) and isinstance(answer.record, EpochObject)
    manifest, parts = answer.record.manifest, list[object]()
    for name in manifest.segments:
        part = yield from ask.persistently(Get(name))
        if not isinstance(part, Found) or not isinstance(part.record, Segment):
            why = part.why if isinstance(part, Corrupt) else f"{name}: this segment of it is gone"
            return Corrupt(why, part.began_ms, part.ended_ms)
        parts.append(part.record.payload)
    return EpochObject(manifest, tuple(parts)) if parts else answer.record


def is_gone(layout: Layout, task: TaskId, epoch: int) -> Script[bool]:
    """Epochs are committed one after the other: where a later one is there, it was, too. Looked for again, for it may have come since."""
    key = layout.epoch(task, epoch)
    return bool((yield from ask.page_of(layout.epochs(task), key, 1))) and not (yield from ask.is_there(key))


def last(layout: Layout, task: TaskId) -> Script[int]:
    """Of the stream, also where one in the middle is missing; 0 before the first."""
    found = yield from head.find(layout, task)
    epoch = found.epoch if found is not None else 0
    later = yield from ask.names(layout.epochs(task), layout.epoch(task, epoch))
    return numbered(later[-1]) if later else epoch
