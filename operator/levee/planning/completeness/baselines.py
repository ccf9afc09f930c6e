"""Plans without an optimiser: everything active, one of each, the greedy of LAAR, and its non-replicated deployment.

Why: users may ask for them by strategy, and an optimiser's plan is worth what it saves against them (Bellavista et al., section 5.2).
Called by: levee plan; the benchmarks of planning; the optimisers, for a first plan.
"""

from collections.abc import Sequence

import numpy as np

from levee.planning.completeness.model import TOLERANCE, Floats, Model, cost_cores, node_loads
from levee.planning.problem import Active, Plan, Problem
from levee.planning.result import Result, Status

Row = tuple[frozenset[int], ...]


def static(problem: Problem) -> Plan:
    """SR: every replica active all the time."""
    return _always(problem, all_active(problem))


def all_active(problem: Problem) -> Row:
    """All that may be active: of what does not repeat itself one, where it would be without replication."""
    everyone = frozenset(range(problem.replicas))
    if all(task.repeatable for task in problem.tasks):
        return (everyone,) * len(problem.tasks)
    return tuple(everyone if task.repeatable else alone for task, alone in zip(problem.tasks, none(problem).active[0], strict=True))


def none(problem: Problem) -> Plan:
    """One replica of each task, the same in all configurations, spread so that no node is overloaded where that can be found."""
    model = Model(problem)
    share = _shares(model)
    chosen = [0] * len(problem.tasks)
    used = np.zeros(share.shape[2:])
    for task in sorted(range(len(chosen)), key=lambda task: -float(share[task].max())):
        chosen[task] = min(range(problem.replicas), key=lambda replica: _fullest(used + share[task, replica]))
        used += share[task, chosen[task]]
    _level_out(share, chosen, used)
    return _always(problem, [frozenset({replica}) for replica in chosen])


def greedy(problem: Problem) -> Plan:
    """GRD: from everything active, redundant replicas are switched off until no node is overloaded."""
    model, row = Model(problem), all_active(problem)
    return Plan(tuple(_relieved(model, c, row) for c in range(len(problem.configurations))), problem.placement)


def non_replicated(problem: Problem, half: Plan) -> Plan:
    """NR: one replica of each that the plan for completeness 0.5 has active where most CPU is needed; the same in all configurations."""
    hungriest = int(Model(problem).rates[2].sum(axis=1).argmax())
    return _always(problem, [frozenset({min(active)}) for active in half.active[hungriest]])


def result(problem: Problem, plan: Plan) -> Result[Plan]:
    """A plan with its cost, proven nothing, and a note for every node that it overloads."""
    model = Model(problem)
    loads = node_loads(model, plan.active, plan.placement)
    notes = tuple(
        f"configuration {problem.configurations[c].name}: node {node.name} is overloaded, "
        f"{loads[c, n]:.3g} cores are needed and {node.capacity_cores:.3g} are there"
        for c in range(len(loads))
        for n, node in enumerate(problem.nodes)
        if loads[c, n] >= node.capacity_cores * (1 - TOLERANCE)
    )
    return Result(plan, cost_cores(model, plan.active), None, Status.FEASIBLE, notes)


def _always(problem: Problem, row: Sequence[frozenset[int]]) -> Plan:
    active: Active = (tuple(row),) * len(problem.configurations)
    return Plan(active, problem.placement)


def _relieved(model: Model, c: int, row: Row) -> Row:
    """One configuration of GRD. Where an overloaded node has nothing redundant left, it stays overloaded."""
    while (victim := _victim(model, c, row)) is not None:
        task, replica = victim
        row = (*row[:task], row[task] - {replica}, *row[task + 1 :])
    return row


def _victim(model: Model, c: int, row: Row) -> tuple[int, int] | None:
    """The redundant replica that uses most CPU on the most overloaded node; of equal ones the one farthest upstream."""
    full = _fullness(model, c, row)
    candidates = [
        (full[task][replica], float(model.reserved[c, task]), -task, -replica)
        for task, active in enumerate(row)
        for replica in active
        if len(active) > 1 and full[task][replica] >= 1 - TOLERANCE
    ]
    if not candidates:
        return None
    *_, task, replica = max(candidates)
    return -task, -replica


def _fullness(model: Model, c: int, row: Row) -> list[list[float]]:
    """[task][replica]: the load of the replica's node against its capacity."""
    problem = model.problem
    loads = dict.fromkeys(problem.node_index, 0.0)
    for task, active in enumerate(row):
        for replica in active:
            loads[problem.placement[problem.tasks[task].id][replica]] += float(model.reserved[c, task])
    full = {node.name: loads[node.name] / node.capacity_cores for node in problem.nodes}
    return [[full[name] for name in problem.placement[task.id]] for task in problem.tasks]


def _shares(model: Model) -> Floats:
    """[task, replica, configuration, node]: the share of the node that the replica takes."""
    problem = model.problem
    share = np.zeros((len(problem.tasks), problem.replicas, len(problem.configurations), len(problem.nodes)))
    for t, task in enumerate(problem.tasks):
        for replica, name in enumerate(problem.placement[task.id]):
            node = problem.node_index[name]
            share[t, replica, :, node] = model.reserved[:, t] / problem.nodes[node].capacity_cores
    return share


def _fullest(used: Floats) -> float:
    return float(used.max())


def _level_out(share: Floats, chosen: list[int], used: Floats) -> None:
    """Move single tasks to another of their replicas for as long as that makes the fullest node less full."""
    moves = [(task, replica) for task in range(share.shape[0]) for replica in range(share.shape[1])]
    while _fullest(used) >= 1 - TOLERANCE:
        after = [_fullest(used - share[task, chosen[task]] + share[task, replica]) for task, replica in moves]
        best = int(np.argmin(after))
        if after[best] >= _fullest(used) - TOLERANCE:
            break
        task, replica = moves[best]
        used += share[task, replica] - share[task, chosen[task]]
        chosen[task] = replica
