"""Rule 4, pins: a slow fork must not chase a moving floor.

Why: who forks writes a pin and then reads the floors again; the trimmer raises the floor and then looks for pins again. One of the two
sees the other. A pin has a limit, so that a dead holder stops nobody for long, and its holder trusts it for half of that.
Called by: forks (set, release); trimmers and those who retire checkpoints (oldest).
"""

from levee.topology.names import TaskId
from levee_spark.log import ask
from levee_spark.log.clock import StoreClock
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Absent, Script
from levee_spark.log.values import Pin


def place(layout: Layout, task: TaskId, pin: Pin) -> Script[int]:
    """Write it; until when, on one's own clock, it may be relied on."""
    done = yield from ask.overwrite(layout.pin(task, pin.holder), pin)
    return done.began_ms + pin.limit_ms // 2


def release(layout: Layout, task: TaskId, holder: str) -> Script[None]:
    yield from ask.delete(layout.pin(task, holder))


def oldest(layout: Layout, task: TaskId, clock: StoreClock) -> Script[int | None]:
    """The oldest epoch that a living pin of this task holds; dead pins are swept away."""
    held: list[int] = []
    for name in (yield from ask.names(layout.pins(task))):
        found = yield from ask.look(name)
        if isinstance(found, Absent) or not isinstance(found.record, Pin):
            continue
        if clock.earliest(found.ended_ms) > found.written_ms + found.record.limit_ms + clock.resolution_ms:
            yield from ask.delete(name)
        else:
            held.append(found.record.epoch)
    return min(held, default=None)
