"""What is said about an epoch that cannot be read, between those who need it and those who can compute it again.

Why: they share nothing but the store. One key of the stream names one epoch; whoever needs it also pins what it can be computed from.
Called by: `inputs` (request), `mend` (heard).
"""

from levee.topology.names import TaskId
from levee_spark.log import ask, pin
from levee_spark.log.keys import Layout, numbered
from levee_spark.log.requests import Absent, Found, Get, PutIfAbsent, Script, Want
from levee_spark.log.values import Damage, EpochObject, Pin
from levee_spark.log.wiring import Wiring


def request(wiring: Wiring, task: TaskId, epoch: int, finder: str) -> Script[None]:
    """Pin the newest state that it can be computed from, then say what is needed."""
    layout = wiring.layout
    before = [numbered(name) for name in (yield from ask.names(layout.checkpoints(task))) if numbered(name) < epoch]
    yield from pin.place(layout, task, Pin(finder, max(before, default=0), wiring.times.pin_ms))
    said = yield from ask.agree(layout.damage(task), Damage(epoch, finder), Damage)
    if said.epoch != epoch and (yield from can_be_read(layout, task, said.epoch)):
        yield from ask.delete(layout.damage(task))  # it was restored: whoever still needs it says so again
        yield from ask.persistently(PutIfAbsent(layout.damage(task), Damage(epoch, finder)))


def can_be_read(layout: Layout, task: TaskId, epoch: int) -> Script[bool]:
    """As it was written, with all its segments."""
    answer = yield from ask.persistently(Get(layout.epoch(task, epoch)))
    if not isinstance(answer, Found) or not isinstance(answer.record, EpochObject):
        return False
    for name in answer.record.manifest.segments:
        if not isinstance((yield from ask.persistently(Get(name))), Found):
            return False
    return True


def heard(layout: Layout, task: TaskId) -> Script[int | None]:
    """The epoch that somebody needs; what has been rebuilt meanwhile makes room for the next."""
    damage = yield from ask.read(layout.damage(task), Damage)
    if damage is None:
        return None
    if isinstance((yield from ask.persistently(Get(layout.rebuilt(task, damage.epoch), Want.MANIFEST))), Absent):
        return damage.epoch
    yield from ask.delete(layout.damage(task))
    return None
