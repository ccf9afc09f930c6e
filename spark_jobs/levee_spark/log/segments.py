"""Rule 5: the parts of a large output, written before the manifest that commits them.

Why: many executors write in parallel, and one put commits. A segment is deleted only when its epoch is committed without it or lies
below the floor: before that, a slow writer may still commit it.
Called by: replicas and ingestors (write), trimmers (sweep).
"""

from levee.topology.names import TaskId
from levee_spark.log import ask, commit
from levee_spark.log.commit import Committed, Unreadable
from levee_spark.log.keys import Layout, numbered
from levee_spark.log.requests import PutIfAbsent, Script
from levee_spark.log.values import Segment


def write(segments: tuple[tuple[str, object], ...]) -> Script[None]:
    for key, payload in segments:
        yield from ask.persistently(PutIfAbsent(key, Segment(payload)))


def sweep(layout: Layout, task: TaskId, after: str = "") -> Script[str]:
    """Delete those that lost their race, one page at a time; the name after which to go on, once more epochs are committed."""
    epoch = -1
    kept: tuple[str, ...] = ()
    for name in (yield from ask.page_of(layout.segments(task), after, ask.PAGE)):
        if numbered(name) != epoch:
            epoch = numbered(name)
            committed = yield from committed_names(layout, task, epoch)
            if committed is None:
                break
            kept = committed
        if name not in kept:
            yield from ask.delete(name)
        after = name
    return after


def committed_names(layout: Layout, task: TaskId, epoch: int) -> Script[tuple[str, ...] | None]:
    """The segments that an epoch is committed with, rebuilt or not; None while it is open, or nobody can tell."""
    try:
        found = yield from commit.seen(layout.epoch(task, epoch))
    except Unreadable:
        return None
    if not isinstance(found, Committed):
        return None
    again = yield from commit.seen(layout.rebuilt(task, epoch))
    return found.manifest.segments + (again.manifest.segments if isinstance(again, Committed) else ())
