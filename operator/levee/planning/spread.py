"""Which replicas are active when a fidelity plan says only which tasks have an active replica to spare.

Why: a fidelity budget counts replicas and knows no nodes; somebody has to say which replica of the other tasks is the one that works.
Called by: planning.strategies.
"""

from collections.abc import Mapping, Set

from levee.planning.completeness.model import Model
from levee.planning.problem import Plan, Problem
from levee.topology.names import NodeName, TaskId


def spread(problem: Problem, replicated: Set[TaskId]) -> Plan:
    """All replicas of the chosen tasks, one of every other task: heaviest first, where its node is least loaded at the worst."""
    model = Model(problem)
    heaviest = model.reserved.max(axis=0)
    capacity = {node.name: node.capacity_cores for node in problem.nodes}
    filled = dict.fromkeys(capacity, 0.0)
    chosen: dict[TaskId, frozenset[int]] = {}
    for index in sorted(range(len(problem.tasks)), key=lambda index: (problem.tasks[index].id not in replicated, -heaviest[index])):
        task, load_cores = problem.tasks[index].id, float(heaviest[index])
        on = problem.placement[task]
        chosen[task] = (
            frozenset(range(problem.replicas)) if task in replicated else frozenset({_lightest(on, filled, capacity, load_cores)})
        )
        for replica in chosen[task]:
            filled[on[replica]] += load_cores
    row = tuple(chosen[task.id] for task in problem.tasks)
    return Plan((row,) * len(problem.configurations), problem.placement)


def _lightest(on: tuple[NodeName, ...], filled: Mapping[NodeName, float], capacity: Mapping[NodeName, float], load_cores: float) -> int:
    return min(range(len(on)), key=lambda replica: (round((filled[on[replica]] + load_cores) / capacity[on[replica]], 9), replica))
