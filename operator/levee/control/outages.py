"""For how long each task has had nobody who could work.

Why: after an outage of a source its epochs are due from a new anchor, else all of it would count as late at once; and with
`onFailure: cancel` a task that nobody can work for ends the topology.
Called by: worlds, at every observation; the rules `set_the_clock` and `cancel_if_wanted` read it.
"""

from collections.abc import Set

from levee.control.names import Instant
from levee.control.seen import Outage
from levee.topology.names import TaskId


def followed(before: tuple[Outage, ...], down: Set[TaskId], now: Instant) -> tuple[Outage, ...]:
    """Outages go on, end, and begin anew; one that has ended is kept until an anchor has answered it."""
    kept = {outage.task: outage for outage in before}
    for task, outage in kept.items():
        if outage.until is None and task not in down:
            kept[task] = Outage(task, outage.since, now)
        elif outage.until is not None and task in down:
            kept[task] = Outage(task, outage.since)
    return (*kept.values(), *(Outage(task, now) for task in sorted(down) if task not in kept))


def lasting(outages: tuple[Outage, ...], now: Instant, at_least_ms: int) -> tuple[TaskId, ...]:
    """Still without anybody, and for so long."""
    return tuple(one.task for one in outages if one.until is None and now - one.since >= at_least_ms)


def ended(outages: tuple[Outage, ...], at_least_ms: int) -> tuple[TaskId, ...]:
    return tuple(one.task for one in outages if one.until is not None and one.until - one.since >= at_least_ms)
