"""From a plan to what is wanted in the simulated world: every replica in a worker of its own, every source with a standby, no sinks.

Why: functions, stores and deliverers take no part in what is simulated, so a problem and its plan are all that is needed; generated
problems, which no resource describes, can be simulated like any other.
Called by: whoever simulates.
"""

from levee.control import placing
from levee.control.names import ReplicaName, replica_name, task_of
from levee.control.wanted import Patience, Wanted
from levee.planning.completeness.model import Model
from levee.planning.problem import Plan, Problem
from levee.topology.names import ConfigurationName
from levee_spark.log.values import Shape

FAILURE_MS = 5_000  # failureTimeout, where nothing else is said


def wanted_of(problem: Problem, plan: Plan, failure_ms: int = FAILURE_MS) -> Wanted:
    nodes = [one.name for one in problem.nodes]
    zones = {one.name: one.zone for one in problem.nodes}
    ends = [source.id for source in problem.sources]
    homes = placing.with_ends(plan.placement, ends, nodes, zones)
    of_ends = frozenset(one for one in homes if task_of(one) in ends)
    active = active_of(problem, plan)
    return Wanted(
        shape=Shape(),
        sources=tuple(ends),
        ends=frozenset(ends),
        workers=placing.packed(homes, nodes, None),
        configurations=problem.configurations,
        active={name: replicas | of_ends for name, replicas in active.items()},
        patience=Patience(failure_ms),
        loads=loads_of(problem, active),
        capacities={one.name: one.capacity_cores for one in problem.nodes},
        zones=zones,
    )


def active_of(problem: Problem, plan: Plan) -> dict[ConfigurationName, frozenset[ReplicaName]]:
    ids = [task.id for task in problem.tasks]
    return {
        configuration.name: frozenset(replica_name(task, one) for task, numbers in zip(ids, row, strict=True) for one in numbers)
        for configuration, row in zip(problem.configurations, plan.active, strict=True)
    }


def loads_of(problem: Problem, active: dict[ConfigurationName, frozenset[ReplicaName]]) -> dict[ReplicaName, float]:
    """What each replica needs at most, where it is active."""
    found: dict[ReplicaName, float] = {}
    for number, configuration in enumerate(problem.configurations):
        for task, cores in zip(problem.tasks, Model(problem).rates[2][number], strict=True):
            for replica in (replica_name(task.id, one) for one in range(problem.replicas)):
                if replica in active[configuration.name]:
                    found[replica] = max(found.get(replica, 0.0), float(cores))
    return found
