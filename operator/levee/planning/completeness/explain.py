"""Say why no plan keeps a promise: which node is too small even for one replica per task, or how much can be promised at most.

Why: "infeasible" helps nobody; the answer to it is more room on a node that is named here, or a promise that can be kept.
Called by: whoever tells a user that `exact.solve` found the goal out of reach.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import floor

from levee.planning.completeness.activation import ROOM, share, standing
from levee.planning.completeness.exact import highest
from levee.planning.completeness.highs import FEASIBILITY, Outcome, Program, run
from levee.planning.completeness.model import TOLERANCE, Model
from levee.planning.problem import Goal, Plan, Problem
from levee.planning.result import Result, Status, Stop
from levee.topology.names import ConfigurationName, NodeName

ALIKE = 1e-9  # A load and a capacity that differ by less are told as the same.


@dataclass(frozen=True, slots=True)
class Overload:
    """A node without room in one configuration, with the load that is left on it when the overload is made as small as possible."""

    configuration: ConfigurationName
    node: NodeName
    load_cores: float
    capacity_cores: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a goal is out of reach; empty where it is not, or where the search was stopped before it knew."""

    overloads: tuple[Overload, ...] = ()  # not even one replica per task fits
    highest: float | None = None  # the most completeness that was found ...
    bound: float | None = None  # ... and what no plan exceeds
    notes: tuple[str, ...] = ()


def explain(problem: Problem, goal: Goal, *, stop: Stop = Stop()) -> Explanation:
    """Look for overloads first, then for the most that can be had."""
    model = Model(problem)
    overloads = tuple(o for c in range(len(problem.configurations)) for o in least_overload(model, c, stop))
    if overloads:
        return Explanation(overloads, notes=tuple(map(_overloaded, overloads)))
    most = highest(problem, goal.failures, stop=stop)
    if most.status is Status.INFEASIBLE or most.bound is None or (most.objective or 0.0) >= goal.completeness - TOLERANCE:
        return Explanation(highest=most.objective, bound=most.bound)
    return Explanation(highest=most.objective, bound=most.bound, notes=(_reachable(goal, most.objective, most.bound, most.status),))


def explained(problem: Problem, goal: Goal, result: Result[Plan], *, stop: Stop = Stop()) -> Result[Plan]:
    """The same result; where it says infeasible, its notes say why."""
    if result.status is not Status.INFEASIBLE:
        return result
    return replace(result, notes=(*result.notes, *explain(problem, goal, stop=stop).notes))


def least_overload(model: Model, configuration: int, stop: Stop) -> tuple[Overload, ...]:
    """One replica per task, placed so that the nodes' loads exceed their capacities by as little as possible in sum."""
    problem, program = model.problem, Program()
    loads: list[dict[int, float]] = [{} for _ in problem.nodes]
    for task, nodes in enumerate(standing(model)):
        columns = {node: program.column(whole=True) for node in nodes}
        program.row(dict.fromkeys(columns.values(), 1.0), at_least=1.0, at_most=1.0)
        for node, column in columns.items():
            loads[node][column] = share(model, configuration, task, node)
    for at, row in zip(problem.nodes, loads, strict=True):
        over = program.column(cost=at.capacity_cores, upper=float("inf"))
        program.row({**row, over: -1.0}, at_most=ROOM)
    answer = run(program, stop)
    if answer.outcome is not Outcome.OPTIMAL or answer.values is None or (answer.objective or 0.0) <= FEASIBILITY:
        return ()
    values, name = answer.values, problem.configurations[configuration].name
    used = [sum(part * round(values[column]) for column, part in row.items()) for row in loads]
    return tuple(
        Overload(name, node.name, part * node.capacity_cores, node.capacity_cores)
        for node, part in zip(problem.nodes, used, strict=True)
        if part >= ROOM
    )


def worst(overloads: Iterable[Overload]) -> tuple[Overload, ...]:
    """Of each node the configuration that overloads it most; the most overloaded node first."""
    most: dict[NodeName, Overload] = {}
    for overload in sorted(overloads, key=lambda over: -over.load_cores / over.capacity_cores):
        most.setdefault(overload.node, overload)
    return tuple(most.values())


def needs(overload: Overload, digits: int = 6, when: str = "") -> str:
    """What the node needs and has, with as many digits as it takes to tell the two apart."""
    load, capacity = overload.load_cores, overload.capacity_cores
    if load <= capacity * (1 + ALIKE):
        return f"needs all of its {capacity:.{digits}g} cores{when}, and is full with less than that"
    while f"{load:.{digits}g}" == f"{capacity:.{digits}g}":
        digits += 1
    return f"needs {load:.{digits}g} cores{when} and has {capacity:.{digits}g}"


def _overloaded(overload: Overload) -> str:
    return f"configuration {overload.configuration}: even with one replica per task, node {overload.node} {needs(overload)}."


def _reachable(goal: Goal, reached: float | None, bound: float, status: Status) -> str:
    asked = f"{goal.completeness:g} cannot be had under {goal.failures} failures:"
    if reached is not None and status is Status.OPTIMAL:
        return f"{asked} {_down(reached)} is the most."
    found = "nothing was found yet" if reached is None else f"{_down(reached)} was found"
    return f"{asked} {found}, and no plan has more than {bound:.4f}."


def _down(completeness: float) -> str:
    """Four digits that can be asked for: never rounded up."""
    return f"{floor(completeness * 10_000 + 1e-6) / 10_000:.4f}"
