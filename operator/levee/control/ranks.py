"""Which replicas are active, and in which order they commit.

Why: a control record names both, and new ranks end everybody's "has just won"; so they change only where that helps: when the set of
active replicas changes, or when a task's first one cannot work while another could.
Called by: the rules that write control records.
"""

from collections.abc import Mapping

from levee.control.names import Instant, ReplicaName, task_of
from levee.control.seen import Observation
from levee.control.standing import caught_up, usable
from levee.control.wanted import Wanted
from levee.topology.names import ConfigurationName, TaskId
from levee_spark.log.values import Live


def current(seen: Observation) -> Mapping[ReplicaName, int]:
    """Of the newest record."""
    return seen.ranks()


def active(wanted: Wanted, seen: Observation, now: Instant, configuration: ConfigurationName) -> frozenset[ReplicaName]:
    """As planned; and where none that is planned can work, the standbys that can, until one that is planned has caught up.

    Before the anchor is written no source is active: by an older anchor all epochs of an outage would be due at once.
    While it stops the sources go on to the last epoch, if they had begun.
    """
    planned = wanted.active[configuration]
    begun = seen.anchored or (seen.order_to_stop() and has_begun(wanted, seen))
    if not begun:
        return frozenset(one for one in planned if task_of(one) not in wanted.sources)
    standbys = (one for task in wanted.replicas for one in standing_in(wanted, seen, now, task, planned))
    return planned | frozenset(standbys)


def has_begun(wanted: Wanted, seen: Observation) -> bool:
    """By the record: some source is active in it."""
    return any(task_of(one) in wanted.sources for one in seen.ranks())


def standing_in(wanted: Wanted, seen: Observation, now: Instant, task: TaskId, planned: frozenset[ReplicaName]) -> tuple[ReplicaName, ...]:
    mine = [one for one in wanted.replicas[task] if one in planned]
    others = [one for one in wanted.replicas[task] if one not in planned]
    if not others or any(caught_up(wanted, seen, now, one) for one in mine):
        return ()
    if any(usable(wanted, seen, now, one) for one in mine):
        return tuple(one for one in others if one in seen.ranks())
    return tuple(one for one in others if usable(wanted, seen, now, one))


def ranks(wanted: Wanted, seen: Observation, now: Instant, among: frozenset[ReplicaName]) -> Live:
    """Those who can work first; among equals the order stays as it is."""
    before = seen.ranks()

    def order(replica: ReplicaName) -> tuple[bool, int, ReplicaName]:
        return not usable(wanted, seen, now, replica), before.get(replica, len(before)), replica

    named: list[tuple[str, int]] = []
    for replicas in wanted.replicas.values():
        named += [(replica, rank) for rank, replica in enumerate(sorted(among.intersection(replicas), key=order))]
    return Live(tuple(named))


def leaderless(wanted: Wanted, seen: Observation, now: Instant, among: frozenset[ReplicaName]) -> tuple[TaskId, ...]:
    """The tasks whose first replica cannot work while another one could."""
    before = seen.ranks()
    found: list[TaskId] = []
    for task, replicas in wanted.replicas.items():
        mine = sorted(among.intersection(replicas), key=lambda one: before.get(one, len(before)))
        can = [usable(wanted, seen, now, one) for one in mine]
        if any(can) and not can[0]:
            found.append(task)
    return tuple(found)
