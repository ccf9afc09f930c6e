"""A lower bound on what any placement and activation cost together.

Why: moving replicas finds good plans, but only a bound says how good.
Called by: completeness.joint.
"""

from dataclasses import replace

from levee.planning.completeness import exact
from levee.planning.completeness.model import TOLERANCE, Model
from levee.planning.problem import Goal, Problem
from levee.planning.result import Status, Stop
from levee.topology.graph import FailureModel, Node
from levee.topology.names import NodeName, ZoneName

POOL = NodeName("pool")


def lower_bound(problem: Problem, goal: Goal, stop: Stop) -> float | None:
    """None: nothing reaches the goal."""
    if goal.failures is FailureModel.PESSIMISTIC:
        return _pooled(problem, goal, stop)
    return _spread(Model(problem), goal)


def _pooled(problem: Problem, goal: Goal, stop: Stop) -> float | None:
    """Whatever fits on separate nodes fits on one with the room of all."""
    room = sum(node.capacity_cores for node in problem.nodes)
    placement = {task.id: (POOL,) * problem.replicas for task in problem.tasks}
    pooled = replace(problem, nodes=(Node(POOL, ZoneName("pool"), room),), placement=placement)
    found = exact.solve(pooled, goal, stop=Stop(stop.asked, stop.remaining_s))
    if found.status is Status.INFEASIBLE:
        return None
    return found.bound if found.bound is not None else _least(Model(problem))


def _least(model: Model) -> float:
    """One replica of each task."""
    return float(model.probability @ model.rates[2].sum(axis=1))


def _spread(model: Model, goal: Goal) -> float:
    """Single nodes or zones: what d of them lose one at a time adds up to at most d times what may be missing, and a task that runs in
    one of them only is lost once. So enough tasks must run in two; the cheapest per row do, as fractions."""
    if goal.penalty is not None:
        return _least(model)
    places = {node.name if goal.failures is FailureModel.NODE else node.zone for node in model.problem.nodes}
    wanted = 1 - len(places) * (1 - goal.completeness + TOLERANCE)
    weighted = model.probability[:, None] / model.best_rows_per_s * model.rates[0]
    costs = model.probability[:, None] * model.rates[2]
    bound = _least(model)
    for gain, cost in sorted(zip(weighted.flat, costs.flat, strict=True), key=lambda pair: pair[1] / max(pair[0], 1e-300)):
        if wanted <= 0:
            break
        bound += float(cost * min(1.0, wanted / max(gain, 1e-300)))
        wanted -= float(gain)
    return bound
