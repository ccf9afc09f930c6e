"""Who has been switched on, and has yet to catch up: it takes its state from a checkpoint first, and until it is as far as the others it
could not take over from them.

Why: what a configuration promises is promised by replicas that can take over, not by those that have been told to. And whoever has once
caught up goes on to count, however it comes in a little later now and then.
Called by: worlds, at every observation.
"""

from dataclasses import dataclass

from levee.control.names import Instant, ReplicaName, task_of
from levee.control.seen import Observation, Status
from levee.control.standing import caught_up
from levee.control.wanted import Wanted

Replicas = frozenset[ReplicaName]


@dataclass(frozen=True, slots=True)
class Joining:
    """What is remembered from one look to the next."""

    record: int = 0  # that was the newest then
    active: Replicas = frozenset()  # by it
    behind: Replicas = frozenset()


def followed(before: Joining, wanted: Wanted, seen: Observation, now: Instant) -> Joining:
    """Before the anchor all begin together, and nobody joins anybody. Ends of the graph have no state that they could lack."""
    if not seen.anchored or seen.order_to_stop():
        return Joining()
    number = seen.record.number if seen.record is not None else 0
    active = before.active if number == before.record else frozenset(one for one in seen.ranks() if task_of(one) not in wanted.ends)
    states = seen.states()
    stopped = {one for one in active if one in states and states[one].status is not Status.RUNNING}
    candidates = (before.behind | (active - before.active if before.active else frozenset()) | stopped) & active
    return Joining(number, active, frozenset(one for one in candidates if not caught_up(wanted, seen, now, one)))
