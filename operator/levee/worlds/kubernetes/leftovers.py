"""Pods that nobody needs any more, and that no rule asks for a second time.

Why: whoever starts a successor ends what it replaces, and may die between the two; and who ends when his replicas are at home elsewhere
has no successor. Both are found by what is there, and not by what somebody remembers.
Called by: world, at every look at all of a topology.
"""

from collections.abc import Iterator, Set

from levee.control.names import Instant, ReplicaName, WorkerName
from levee.control.rules import needed_workers
from levee.control.seen import Observation, Phase
from levee.control.wanted import Wanted
from levee.worlds.kubernetes.roll import Roll
from levee.worlds.kubernetes.seen import PodSeen


def leftovers(roll: Roll, wanted: Wanted, seen: Observation, now: Instant) -> Iterator[PodSeen]:
    """Who leaves already, where somebody is there to end him, is on his way."""
    needed = needed_workers(wanted, seen)
    for one in roll.in_order():
        if is_lost(wanted, seen, now, one):
            if all(is_at_home(seen, replica) for replica in one.worker.replicas):
                yield one
        elif not one.leaving and (is_replaced(roll, one) or has_no_successor(needed, one)):
            yield one


def is_lost(wanted: Wanted, seen: Observation, now: Instant, pod: PodSeen) -> bool:
    """With its node, and for so long that its replicas were moved."""
    node = seen.node(pod.worker.node)
    return node is not None and not node.alive and now - node.since >= wanted.patience.failure_ms


def is_at_home(seen: Observation, replica: ReplicaName) -> bool:
    """On a node that lives."""
    home = seen.homes.get(replica)
    return home is not None and home.phase is not Phase.ENDED


def is_replaced(roll: Roll, pod: PodSeen) -> bool:
    newest = roll.newest(pod.worker.worker)
    return newest is not None and pod.worker.attempt < newest.worker.attempt


def has_no_successor(needed: Set[WorkerName], pod: PodSeen) -> bool:
    return pod.worker.phase is Phase.ENDED and pod.worker.worker not in needed
