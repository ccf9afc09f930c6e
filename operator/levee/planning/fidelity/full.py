"""Algorithm 4 of Su and Zhou: a full topology, one task per operator first, then the best next task of any operator.

Why: in a full topology every task feeds every task below, so only their weights matter.
Called by: fidelity.structure_aware, for sub-topologies. Whatever lies outside counts as alive.
"""

from levee.planning.fidelity.model import Model

Tasks = frozenset[int]


def plan_full(model: Model, operators: frozenset[int], plan: Tasks, budget: int) -> Tasks:
    """The plan with up to `budget` more tasks of these operators; an empty plan below one task per operator stays empty."""
    if not plan and len(operators) > budget:
        return plan
    queues = [_by_increase(model, operator, plan) for operator in sorted(operators)]
    if not plan:
        plan = frozenset(queue.pop(0) for queue in queues)
        budget -= len(plan)
    outside = frozenset(range(len(model.problem.tasks))) - _tasks_of(model, operators)
    for _ in range(budget):
        open_queues = [queue for queue in queues if queue]
        if not open_queues:
            break
        values = model.values_of([outside | plan | {queue[0]} for queue in open_queues])
        plan |= {open_queues[int(values.round(12).argmax())].pop(0)}
    return plan


def _by_increase(model: Model, operator: int, plan: Tasks) -> list[int]:
    """An operator's tasks that are not yet planned, by what each alone adds while all other operators are alive."""
    tasks = model.problem.operators[operator].tasks
    others = frozenset(range(len(model.problem.tasks))) - frozenset(tasks)
    values = model.values_of([others | {task} for task in tasks])
    order = sorted(range(len(tasks)), key=lambda place: (-round(float(values[place]), 12), place))
    return [tasks[place] for place in order if tasks[place] not in plan]


def _tasks_of(model: Model, operators: frozenset[int]) -> Tasks:
    return frozenset(task for operator in operators for task in model.problem.operators[operator].tasks)
