"""Placement and activation as one mixed-integer program, for problems small enough.

Why: on a handful of tasks and nodes the best placement can be proven.
Called by: completeness.joint.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from levee.planning.completeness import exact
from levee.planning.completeness.flow import Promise, add_flow, waits_above
from levee.planning.completeness.highs import Answer, Outcome, Program, run
from levee.planning.completeness.model import TOLERANCE, Model, cost_cores
from levee.planning.problem import Goal, Plan, Problem
from levee.planning.result import Progress, Result, Status, Stop
from levee.topology.graph import FailureModel
from levee.topology.names import TaskId

COLUMNS_MAX = 240  # of tasks x nodes x (configurations + 1): beyond, moving replicas is faster and as good
ROOM = 1 - 1.5 * TOLERANCE
MET = TOLERANCE / 2


def worth_solving(problem: Problem) -> bool:
    return len(problem.tasks) * len(problem.nodes) * (len(problem.configurations) + 1) <= COLUMNS_MAX


@dataclass(frozen=True, slots=True)
class _Columns:
    program: Program
    stands: Sequence[Sequence[int]]  # [task][node]
    runs: Sequence[Sequence[Sequence[int]]]  # [configuration][task][node]


def solve_whole(problem: Problem, goal: Goal, pinned: frozenset[TaskId], *, stop: Stop, start: Plan | None = None) -> Result[Plan]:
    model = Model(problem)
    columns = _columns(model, pinned)
    _fit(model, columns)
    _promise(model, goal, columns)
    values = None if start is None else _values(problem, columns, start)
    answer = run(columns.program, stop, start=values, heard=lambda objective, bound: stop.report(Progress(objective, bound)))
    return _result(model, goal, columns, answer)


def _columns(model: Model, pinned: frozenset[TaskId]) -> _Columns:
    problem, program = model.problem, Program()
    nodes = range(len(problem.nodes))
    stands = [[program.column(whole=True) for _ in nodes] for _ in problem.tasks]
    for task, row in zip(problem.tasks, stands, strict=True):
        program.row(dict.fromkeys(row, 1.0), at_least=problem.replicas, at_most=problem.replicas)
        for name in problem.placement[task.id] if task.id in pinned else ():
            program.lower[row[problem.node_index[name]]] = 1.0
    costs: list[list[float]] = (model.probability[:, None] * model.rates[2]).tolist()
    runs = [[[program.column(cost=cost, whole=True) for _ in nodes] for cost in costs[c]] for c in range(len(problem.configurations))]
    for places, columns in ((places, columns) for row in runs for places, columns in zip(stands, row, strict=True)):
        program.row(dict.fromkeys(columns, 1.0), at_least=1.0)
        for place, column in zip(places, columns, strict=True):
            program.row({column: 1.0, place: -1.0}, at_most=0.0)
    return _Columns(program, stands, runs)


def _fit(model: Model, columns: _Columns) -> None:
    """Equation 11."""
    for configuration, load in zip(columns.runs, model.reserved, strict=True):
        for number, node in enumerate(model.problem.nodes):
            terms = {row[number]: float(cores) / node.capacity_cores for row, cores in zip(configuration, load, strict=True)}
            columns.program.row(terms, at_most=ROOM)


def _promise(model: Model, goal: Goal, columns: _Columns) -> None:
    program, problem = columns.program, model.problem
    missing = None if goal.penalty is None else program.column(cost=goal.penalty / problem.window_s)
    for lost in _scenarios(problem, goal.failures):
        promise = Promise()
        for number, configuration in enumerate(columns.runs):
            alive = _alive(model, configuration, lost, columns)
            add_flow(program, model, number, alive, set(), promise)
        terms = promise.terms if missing is None else {**promise.terms, missing: 1.0}
        program.row(terms, at_least=goal.completeness - promise.constant - (MET if missing is None else 0.0))


def _scenarios(problem: Problem, failures: FailureModel) -> list[frozenset[int] | None]:
    """The nodes that are lost together; None: the pessimistic model."""
    match failures:
        case FailureModel.PESSIMISTIC:
            return [None]
        case FailureModel.NODE:
            return [frozenset({number}) for number in range(len(problem.nodes))]
        case FailureModel.ZONE:
            zones = sorted({node.zone for node in problem.nodes})
            return [frozenset(number for number, node in enumerate(problem.nodes) if node.zone == zone) for zone in zones]


def _alive(model: Model, configuration: Sequence[Sequence[int]], lost: frozenset[int] | None, columns: _Columns) -> list[int]:
    """Per task a column that is at most 1 where it goes on in time, else at most 0."""
    program, problem = columns.program, model.problem
    gates, alive = waits_above(problem), list[int]()
    for task, row in enumerate(configuration):
        column = program.column(whole=lost is None)
        if lost is None:  # All replicas run.
            program.row({column: float(problem.replicas), **dict.fromkeys(row, -1.0)}, at_most=0.0)
        else:
            program.row({column: 1.0, **{active: -1.0 for node, active in enumerate(row) if node not in lost}}, at_most=0.0)
        for gate in gates[task]:
            program.row({column: 1.0, alive[gate]: -1.0}, at_most=0.0)
        alive.append(column)
    return alive


def _result(model: Model, goal: Goal, columns: _Columns, answer: Answer) -> Result[Plan]:
    if answer.values is None:
        status = Status.INFEASIBLE if answer.outcome is Outcome.INFEASIBLE else Status.UNKNOWN
        return Result(None, None, answer.bound, status)
    plan = _plan(model.problem, columns, answer.values)
    objective = exact.value(Model(_moved(model.problem, plan)), goal, plan)
    status = Status.OPTIMAL if answer.outcome is Outcome.OPTIMAL else Status.FEASIBLE
    bound = None if answer.bound is None else min(answer.bound, objective)
    return Result(plan, objective, bound, status, counters={"cost": cost_cores(model, plan.active), "nodes": float(answer.nodes)})


def _values(problem: Problem, columns: _Columns, plan: Plan) -> dict[int, float]:
    """A plan as values of the whole columns that it decides."""
    values: dict[int, float] = {}
    for number, task in enumerate(problem.tasks):
        names = plan.placement[task.id]
        values |= {column: float(node.name in names) for node, column in zip(problem.nodes, columns.stands[number], strict=True)}
        for active, row in zip(plan.active, columns.runs, strict=True):
            running = {names[replica] for replica in active[number]}
            values |= {column: float(node.name in running) for node, column in zip(problem.nodes, row[number], strict=True)}
    return values


def _moved(problem: Problem, plan: Plan) -> Problem:
    return replace(problem, placement=plan.placement)


def _plan(problem: Problem, columns: _Columns, values: Sequence[float]) -> Plan:
    on = [[number for number, column in enumerate(row) if values[column] > 0.5] for row in columns.stands]
    placement = {task.id: tuple(problem.nodes[number].name for number in row) for task, row in zip(problem.tasks, on, strict=True)}
    active = tuple(
        tuple(
            frozenset(on[task].index(n) for n, column in enumerate(row) if values[column] > 0.5) for task, row in enumerate(configuration)
        )
        for configuration in columns.runs
    )
    return Plan(active, placement)
