"""The best plan by trying every activation there is: what small cases of the optimisers are compared with.

It takes constraints and costs from the definitions, one configuration at a time where the problem allows it: the goal is the only
constraint that ties configurations together, so what is kept of each configuration is every activation that fits, with its cost and
what it keeps in each failure; then all combinations are tried.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, product

from levee.planning.completeness.model import TOLERANCE, Alive, Model, scenarios
from levee.planning.problem import Active, Goal, Plan, Problem
from levee.topology.graph import Late

Row = tuple[frozenset[int], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One activation of one configuration that overloads nobody."""

    row: Row
    cost: float
    kept: tuple[float, ...]  # IC that it contributes, per failure


@dataclass(frozen=True, slots=True)
class Best:
    plan: Plan
    objective: float
    completeness: float


def best(problem: Problem, goal: Goal) -> Best | None:
    """The cheapest plan that meets the goal (or, with a penalty, the cheapest of all); None where there is none."""
    model = Model(problem)
    found: Best | None = None
    for choices in product(*(frontier(model, goal, c) for c in range(len(problem.configurations)))):
        reached = min(sum(kept) for kept in zip(*(choice.kept for choice in choices), strict=True))
        cost = sum(choice.cost for choice in choices)
        if goal.penalty is not None:
            cost += goal.penalty / problem.window_s * max(0.0, goal.completeness - reached)
        elif reached < goal.completeness - TOLERANCE:
            continue
        if found is None or cost < found.objective:
            found = Best(Plan(tuple(choice.row for choice in choices), problem.placement), cost, reached)
    return found


def most(problem: Problem, goal: Goal) -> float | None:
    """The highest completeness that any plan reaches; None where every activation overloads a node."""
    reached = [
        min(sum(kept) for kept in zip(*(choice.kept for choice in choices), strict=True))
        for choices in product(*(frontier(Model(problem), goal, c) for c in range(len(problem.configurations))))
    ]
    return max(reached, default=None)


def frontier(model: Model, goal: Goal, c: int) -> list[Choice]:
    """Choices that no other beats in cost and in every failure at once."""
    kept: list[Choice] = []
    for choice in sorted(choices_of(model, goal, c), key=lambda choice: (choice.cost, [-k for k in choice.kept])):
        if not any(all(a >= b for a, b in zip(other.kept, choice.kept, strict=True)) for other in kept):
            kept.append(choice)
    return kept


def choices_of(model: Model, goal: Goal, c: int) -> Iterator[Choice]:
    problem = model.problem
    for row in rows(problem):
        if not overloaded(model, c, row):
            share = model.probability[c] / model.best_rows_per_s
            alive = scenarios(problem, goal.failures, problem.placement).values()
            kept = tuple(float(share * processed(model, c, row, goes_on)) for goes_on in alive)
            cost = float(model.probability[c]) * sum(len(active) * float(model.rates[2][c, task]) for task, active in enumerate(row))
            yield Choice(row, cost, kept)


def processed(model: Model, c: int, row: Row, alive: Alive) -> float:
    """Rows per second that are still read in time in one configuration (equations 6, 7), one task after the other."""
    total, emitted = 0.0, [0.0] * len(row)
    stalls = [False] * len(row)  # its consumers get nothing in time
    for task, edges in enumerate(model.inputs):
        blocked = any(producer >= 0 and stalls[producer] for producer, *_ in edges)
        goes_on = alive(task, row[task])
        stalls[task] = blocked or (not goes_on and model.problem.tasks[task].late is Late.WAIT)
        for producer, selectivity, _, fraction in edges if goes_on and not blocked else ():
            read = fraction * (emitted[producer] if producer >= 0 else float(model.source_rows[c, ~producer]))
            total += read
            emitted[task] += selectivity * read
    return total


def rows(problem: Problem) -> Iterator[Row]:
    replicas = range(problem.replicas)
    subsets = [frozenset(s) for s in chain.from_iterable(combinations(replicas, size) for size in range(1, problem.replicas + 1))]
    single = [one for one in subsets if len(one) == 1]
    return product(*(subsets if task.repeatable else single for task in problem.tasks))


def overloaded(model: Model, c: int, row: Row) -> bool:
    loads = dict.fromkeys(model.problem.node_index, 0.0)
    for task, active in zip(model.problem.tasks, row, strict=True):
        for replica in active:
            loads[model.problem.placement[task.id][replica]] += float(model.reserved[c, model.problem.task_index[task.id]])
    return any(loads[node.name] >= node.capacity_cores * (1 - TOLERANCE) for node in model.problem.nodes)


def every_plan(problem: Problem) -> Iterator[Active]:
    """All activations of all configurations, sensible or not: for tests of evaluators."""
    return product(*(tuple(rows(problem)) for _ in problem.configurations))
