"""A part of a topology looked at by itself: the tasks that something has happened to, and those that were not as they should be.

Why: of ten thousand tasks an event touches one. Rules speak of tasks and workers one by one, and have nothing to say of a task that is as
it should be; so what they say of the whole is what they say of the others. What concerns all tasks at once, such as a control record, is
left to a look at the whole: whoever decides in part does so only about workers.
Called by: serve.partly; worlds, which make the part's observation.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace

from levee.control.actions import Decision, EndWorker, StartWorker
from levee.control.names import ReplicaName, task_of
from levee.control.seen import Observation, Phase, Status
from levee.control.standing import CAUGHT_UP_EPOCHS, reached
from levee.control.wanted import Placed, Wanted
from levee.topology.names import TaskId
from levee_spark.log.values import ControlRecord, Live


def part_of(wanted: Wanted, placed: Iterable[Placed], sources: Set[TaskId]) -> Wanted:
    """These workers, and what is wanted of their replicas."""
    workers = tuple(placed)
    replicas = [one for worker in workers for one in worker.replicas]
    tasks = set(map(task_of, replicas))
    return replace(
        wanted,
        workers=workers,
        sources=tuple(sorted(tasks & sources)),
        active={name: frozenset(one for one in replicas if one in active) for name, active in wanted.active.items()},
        whole=wanted,
    )


def record_of(record: ControlRecord, ranks: Mapping[ReplicaName, int], wanted: Wanted) -> ControlRecord:
    """As if it named only these replicas."""
    there = (one for replicas in wanted.replicas.values() for one in replicas if one in ranks)
    return replace(record, live=Live(tuple((one, ranks[one]) for one in there)))


def unsettled(wanted: Wanted, seen: Observation) -> frozenset[TaskId]:
    """The tasks that are not as they should be; a rule may have something to say of them, now or later."""
    homes = {replica: placed for placed in wanted.workers for replica in placed.replicas}
    active = wanted.active[seen.configuration] if seen.configuration is not None else frozenset[ReplicaName]()
    found = {task_of(one) for one, placed in homes.items() if not is_settled(seen, one, placed, one in active)}
    found |= {task_of(one) for worker in seen.workers for one in worker.replicas if seen.homes.get(one) is not worker}
    return frozenset(found | {outage.task for outage in seen.outages if outage.until is None})


def is_settled(seen: Observation, replica: ReplicaName, placed: Placed, active: bool) -> bool:
    """At home, ready, and neither behind nor in the way."""
    home, state = seen.homes.get(replica), seen.states().get(replica)
    if home is None or state is None or home.worker != placed.worker or home.phase is not Phase.READY:
        return False
    if not active:
        return state.status in {Status.IDLE, Status.RUNNING, Status.STOPPED} and replica not in seen.ranks()
    ahead = state.epoch > 0 and state.epoch >= reached(seen, state.task) - CAUGHT_UP_EPOCHS
    return state.status is Status.RUNNING and ahead and replica in seen.ranks() and not state.ended


def is_of_workers(decision: Decision) -> bool:
    """So that it may be carried out without a look at the whole."""
    return all(isinstance(one, StartWorker | EndWorker) for one in decision.actions)
