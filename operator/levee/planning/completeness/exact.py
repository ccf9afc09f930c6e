"""The cheapest plan that keeps a promise of completeness, with a proof: a mixed-integer program, solved by HiGHS on one thread.

Why: FT-Search stops early on larger applications; this proves nearly all of them, for any number of replicas and three failure models.
Called by: levee plan; the operator, whenever it plans; the benchmarks of planning.

docs/design/completeness.md has the model and why it is exact.
"""

from collections.abc import Sequence

from levee.planning.completeness.baselines import greedy, none
from levee.planning.completeness.decode import decode, encode
from levee.planning.completeness.highs import GAP, Outcome
from levee.planning.completeness.milp import Milp, build
from levee.planning.completeness.model import TOLERANCE, Model, completeness, cost_cores, node_loads
from levee.planning.completeness.search import Found, search
from levee.planning.problem import Goal, Plan, Problem
from levee.planning.result import Progress, Result, Status, Stop
from levee.topology.graph import FailureModel

UNSEARCHED = ("There was no search: its program would be too large for the time that was left.",)
MET = TOLERANCE / 2  # A goal counts as met within the tolerance; the solver's own tolerance stays inside.


def solve(problem: Problem, goal: Goal, *, stop: Stop = Stop(), start: Plan | None = None) -> Result[Plan]:
    """Minimise the mean cores in use, plus the penalty for what is missing where the goal has one."""
    model = Model(problem)
    known = _at_hand(model, goal, start)
    milp = build(model, goal.failures, stop)
    if milp is None:
        return _unsearched(model, goal, known)
    scale = _add_cost(model, milp)
    price = None if goal.penalty is None else goal.penalty / problem.window_s
    _add_goal(milp, goal, price, scale)
    found = Found()
    for plan in known:
        found.offer(encode(model, milp, plan, goal.failures), value(model, goal, plan) / scale)
    search(model, milp, stop, found, lambda objective, bound: stop.report(Progress(_scaled(objective, scale), _scaled(bound, scale))))
    return _result(model, goal, milp, found, scale)


def highest(problem: Problem, failures: FailureModel, *, stop: Stop = Stop()) -> Result[Plan]:
    """The plan that promises the most completeness of all, whatever it costs; objective and bound are completenesses."""
    model = Model(problem)
    known = _at_hand(model, Goal(0.0, failures))
    milp = build(model, failures, stop)
    if milp is None:
        return _promising(model, failures, known)
    least = milp.program.column(cost=-1.0)
    for promise in milp.promises:
        milp.program.row({**promise.terms, least: -1.0}, at_least=-promise.constant)
    found = Found()
    for plan in known:
        found.offer(encode(model, milp, plan, failures), -completeness(model, plan.active, failures, plan.placement))
    search(model, milp, stop, found, lambda objective, bound: stop.report(Progress(_scaled(objective, -1), _scaled(bound, -1))))
    if found.values is None:
        return Result(None, None, _scaled(found.bound, -1), _status(found), counters=found.counters)
    plan = decode(model, milp, found.values)
    reached = completeness(model, plan.active, failures, plan.placement)
    bound = 1.0 if found.bound is None else min(1.0, max(reached, -found.bound))
    return Result(plan, reached, bound, _status(found), counters=found.counters)


def _at_hand(model: Model, goal: Goal, start: Plan | None = None) -> list[Plan]:
    """Plans that keep the goal and cost no search: to begin with, and to stop with."""
    plans = (start, greedy(model.problem), none(model.problem))
    return [plan for plan in plans if plan is not None and _keeps(model, goal, plan)]


def _unsearched(model: Model, goal: Goal, known: Sequence[Plan]) -> Result[Plan]:
    """The best of the plans that are known without a search; none can cost less than one replica of each task."""
    least = cost_cores(model, none(model.problem).active)
    if not known:
        return Result(None, None, least, Status.UNKNOWN, UNSEARCHED)
    best = min(known, key=lambda plan: value(model, goal, plan))
    reached = value(model, goal, best)
    if reached <= least * (1 + GAP):
        return Result(best, reached, min(least, reached), Status.OPTIMAL)
    return Result(best, reached, least, Status.FEASIBLE, UNSEARCHED)


def _promising(model: Model, failures: FailureModel, known: Sequence[Plan]) -> Result[Plan]:
    """Of the plans that fit the nodes and are known without a search, the one with the most completeness."""
    if not known:
        return Result(None, None, 1.0, Status.UNKNOWN, UNSEARCHED)
    reached = [completeness(model, plan.active, failures, plan.placement) for plan in known]
    return Result(known[reached.index(max(reached))], max(reached), 1.0, Status.FEASIBLE, UNSEARCHED)


def value(model: Model, goal: Goal, plan: Plan) -> float:
    """What `solve` minimises: cores, and the penalty per second of the window."""
    return cost_cores(model, plan.active) + (goal.penalty or 0.0) / model.problem.window_s * shortfall(model, goal, plan)


def shortfall(model: Model, goal: Goal, plan: Plan) -> float:
    return max(0.0, goal.completeness - completeness(model, plan.active, goal.failures, plan.placement))


def _add_cost(model: Model, milp: Milp) -> float:
    """Count in units of what one replica per task costs, so that the solver's tolerances mean the same everywhere."""
    problem, load = model.problem, model.rates[2]
    base = float(model.probability @ load.sum(axis=1))
    scale = base if base > 0 else 1.0
    milp.program.offset = base / scale
    for choice in milp.choices:
        further = problem.replicas - 1 if choice.relaxable else 1
        for task, column in enumerate(choice.safe):
            milp.program.cost[column] = further * float(model.probability[choice.configuration] * load[choice.configuration, task]) / scale
    return scale


def _add_goal(milp: Milp, goal: Goal, price: float | None, scale: float) -> None:
    """One row per scenario; with a price, a column that pays for the worst of them."""
    missing = None if price is None else milp.program.column(cost=price / scale)
    for promise in milp.promises:
        terms = promise.terms if missing is None else {**promise.terms, missing: 1.0}
        milp.program.row(terms, at_least=goal.completeness - promise.constant - (MET if missing is None else 0.0))


def _keeps(model: Model, goal: Goal, plan: Plan) -> bool:
    """Whether a start is for this placement and within all limits."""
    if dict(plan.placement) != dict(model.problem.placement) or not all(all(row) for row in plan.active):
        return False
    if any(len(active) > 1 and not task.repeatable for row in plan.active for task, active in zip(model.problem.tasks, row, strict=True)):
        return False
    loads = node_loads(model, plan.active, plan.placement)
    fits = all(load < node.capacity_cores * (1 - TOLERANCE) for row in loads for load, node in zip(row, model.problem.nodes, strict=True))
    return fits and (goal.penalty is not None or shortfall(model, goal, plan) <= TOLERANCE)


def _result(model: Model, goal: Goal, milp: Milp, found: Found, scale: float) -> Result[Plan]:
    bound = _scaled(found.bound, scale)
    if found.values is None:
        return Result(None, None, bound, _status(found), counters=found.counters)
    plan = decode(model, milp, found.values)
    objective = value(model, goal, plan)
    counters = found.counters | {"cost": cost_cores(model, plan.active), "shortfall": shortfall(model, goal, plan)}
    return Result(plan, objective, None if bound is None else min(bound, objective), _status(found), counters=counters)


def _scaled(number: float | None, scale: float) -> float | None:
    return None if number is None else number * scale


def _status(found: Found) -> Status:
    match found.outcome:
        case Outcome.OPTIMAL:
            return Status.OPTIMAL
        case Outcome.INFEASIBLE:  # With a plan that was at hand: it is full to the last bit, which the program does not allow.
            return Status.INFEASIBLE if found.values is None else Status.FEASIBLE
        case Outcome.STOPPED:
            return Status.UNKNOWN if found.values is None else Status.FEASIBLE
