"""Rule 4, pins: a slow fork must not chase a moving floor.

Why: who forks writes a pin and then reads the floors again; the trimmer raises the floor and then looks for pins again. One of the two
sees the other. A pin has a limit, so that a dead holder stops nobody for long, and its holder trusts it for half of that.
Called by: forks (set, release); trimmers and those who retire checkpoints (oldest); `registration`, whose records die in the same way.
"""

from levee.topology.names import TaskId
from levee_spark.log import ask
from levee_spark.log.clock import StoreClock
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Absent, Script
from levee_spark.log.values import Pin, Registration


def place(layout: Layout, task: TaskId, pin: Pin) -> Script[int]:
    """Write it; until when, on one's own clock, it may be relied on."""
    done = yield from ask.overwrite(layout.pin(task, pin.holder), pin)
    return done.began_ms + pin.limit_ms // 2


def release(layout: Layout, task: TaskId, holder: str) -> Script[None]:
    yield from ask.delete(layout.pin(task, holder))


def oldest(layout: Layout, task: TaskId, clock: StoreClock) -> Script[int | None]:
    """The oldest epoch that a living pin of this task holds."""
    return min((one.epoch for one in (yield from living(layout.pins(task), clock))), default=None)


def living(folder: str, clock: StoreClock) -> Script[tuple[Pin | Registration, ...]]:
    """Dead ones are swept away."""
    found: list[Pin | Registration] = []
    for name in (yield from ask.names(folder)):
        there = yield from ask.look(name)
        if isinstance(there, Absent) or not isinstance(there.record, Pin | Registration):
            continue
        if clock.earliest(there.ended_ms) > there.written_ms + there.record.limit_ms + clock.resolution_ms:
            yield from ask.delete(name)
        else:
            found.append(there.record)
    return tuple(found)
