"""Plan the placement together with the activation: exactly where the problem is small, else by moving replicas, with a bound.

Why: a placement that was chosen first decides what can be promised and at what cost; LAAR leaves their interaction as future work.
Called by: levee plan --place joint; the benchmarks of planning.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite

from levee.planning.completeness import exact
from levee.planning.completeness.joint_bound import lower_bound
from levee.planning.completeness.joint_milp import solve_whole, worth_solving
from levee.planning.completeness.model import TOLERANCE, Model, Placement, node_loads
from levee.planning.placement import place
from levee.planning.problem import Goal, Plan, Problem
from levee.planning.result import Progress, Result, Status, Stop
from levee.topology.names import NodeName, TaskId

CLOSED = 1e-6  # Relative gap that counts as proven, as in the exact solver.
STEEP = 1e3  # What missing all of the completeness weighs, against all the load there is, while no placement reaches the goal.
LOOK_S = 2.0  # At most, for what one placement is worth.
HEAVY, COOL = 6, 3  # Moves that are tried: so many of the heaviest replicas of the fullest node, to so many of the emptiest nodes.

Pinned = frozenset[TaskId]


def solve(problem: Problem, goal: Goal, *, stop: Stop | None = None, pinned: Pinned = frozenset()) -> Result[Plan]:
    """The cheapest plan over all placements that leave `pinned` tasks where they are and keep replicas of a task on different nodes."""
    stop = stop or Stop()
    if len(problem.nodes) < max(2, problem.replicas):
        return exact.solve(problem, goal, stop=stop)  # There is nothing to choose.
    bound = lower_bound(problem, goal, _part(stop, 0.2))
    if bound is None:
        return Result(None, None, None, Status.INFEASIBLE, ("Not even one node with the room of all nodes together would do.",))
    best = exact.solve(problem, goal, stop=_part(stop, 0.3)).plan
    if worth_solving(problem) and not _done(problem, goal, best, bound, stop):
        whole = solve_whole(problem, goal, pinned, stop=_part(stop, 0.5), start=best)
        if whole.status in (Status.OPTIMAL, Status.INFEASIBLE):
            return whole
        best, bound = whole.plan or best, max(bound, whole.bound or bound)
    return _result(problem, goal, _improved(problem, goal, best, bound, pinned, stop), bound)


def _part(stop: Stop, share: float) -> Stop:
    """A stop for a first step, which may use this share of what time is left."""
    before_s = stop.remaining_s()
    kept_s = before_s * (1 - share) if isfinite(before_s) else 0.0
    return Stop(stop.asked, lambda: stop.remaining_s() - kept_s)


def _improved(problem: Problem, goal: Goal, best: Plan | None, bound: float, pinned: Pinned, stop: Stop) -> Plan | None:
    """The best plan that moving replicas leads to; where none reaches the goal, the one that misses least."""
    for placement in _starts(problem, pinned):
        best = _better(problem, goal, best, placement, bound, stop) or best
    while best is not None:
        moves = _moves(problem, best, pinned)
        better = next((found for move in moves if (found := _better(problem, goal, best, move, bound, stop)) is not None), None)
        if better is None:
            break
        best = better
    return best


def _better(problem: Problem, goal: Goal, best: Plan | None, placement: Placement, bound: float, stop: Stop) -> Plan | None:
    """What this placement gives, if that beats the best so far."""
    if _done(problem, goal, best, bound, stop):
        return None
    found = _look(problem, goal, placement, stop).plan
    if found is None or (best is not None and _worth(problem, goal, found) >= _worth(problem, goal, best) * (1 - CLOSED)):
        return None
    if _reached(problem, goal, found):
        stop.report(Progress(_value(problem, goal, found), bound))
    return found


def _done(problem: Problem, goal: Goal, best: Plan | None, bound: float, stop: Stop) -> bool:
    if stop.asked() or stop.remaining_s() <= 0:
        return True
    return best is not None and _reached(problem, goal, best) and _value(problem, goal, best) <= bound * (1 + CLOSED)


def _look(problem: Problem, goal: Goal, placement: Placement, stop: Stop) -> Result[Plan]:
    """The best activation on a placement, in limited time."""
    limit_s = stop.remaining_s() - LOOK_S if isfinite(stop.remaining_s()) else 0.0
    brief = Stop(stop.asked, lambda: stop.remaining_s() - max(0.0, limit_s))
    return exact.solve(replace(problem, placement=placement), _softened(problem, goal), stop=brief)


def _softened(problem: Problem, goal: Goal) -> Goal:
    """The goal at a steep price, so that placements that miss it can be told apart."""
    load = Model(problem).rates[2].max(axis=0).sum() * problem.replicas
    return goal if goal.penalty is not None else replace(goal, penalty=STEEP * float(load) * problem.window_s)


def _on(problem: Problem, plan: Plan) -> Model:
    return Model(replace(problem, placement=plan.placement))


def _worth(problem: Problem, goal: Goal, plan: Plan) -> float:
    return exact.value(_on(problem, plan), _softened(problem, goal), plan)


def _value(problem: Problem, goal: Goal, plan: Plan) -> float:
    return exact.value(_on(problem, plan), goal, plan)


def _reached(problem: Problem, goal: Goal, plan: Plan) -> bool:
    return goal.penalty is not None or exact.shortfall(_on(problem, plan), goal, plan) <= TOLERANCE


def _result(problem: Problem, goal: Goal, plan: Plan | None, bound: float) -> Result[Plan]:
    if plan is None or not _reached(problem, goal, plan):
        return Result(None, None, bound, Status.UNKNOWN, ("No placement was found that reaches the goal; none was proven not to exist.",))
    objective = _value(problem, goal, plan)
    status = Status.OPTIMAL if objective <= bound * (1 + CLOSED) else Status.FEASIBLE
    return Result(plan, objective, min(bound, objective), status)


def _starts(problem: Problem, pinned: Pinned) -> Iterator[Placement]:
    """As it was given; and balanced by the load in each configuration, the fullest first."""
    yield problem.placement
    fixed = {task: problem.placement[task] for task in pinned}
    for load in sorted(Model(problem).reserved, key=lambda row: -row.sum()):
        loads = {task.id: float(cores) for task, cores in zip(problem.tasks, load, strict=True)}
        yield place(loads, problem.nodes, problem.replicas, fixed)


def _moves(problem: Problem, plan: Plan, pinned: Pinned) -> Iterator[Placement]:
    """Take weight off the node that is fullest under the plan: a heavy replica goes to an empty node, alone or against a lighter one."""
    model = _on(problem, plan)
    capacity = [node.capacity_cores for node in problem.nodes]
    filled = node_loads(model, plan.active, plan.placement).max(axis=0) / capacity
    names = [problem.nodes[number].name for number in sorted(range(len(capacity)), key=lambda number: (-filled[number], number))]
    weight = {task.id: float(cores) for task, cores in zip(problem.tasks, model.reserved.max(axis=0), strict=True)}
    standing = {name: [task for task in weight if name in plan.placement[task] and task not in pinned] for name in names}
    for task in sorted(standing[names[0]], key=lambda task: -weight[task])[:HEAVY]:
        for cool in [name for name in reversed(names) if name not in plan.placement[task]][:COOL]:
            yield _moved(plan.placement, {task: (names[0], cool)})
            others = [other for other in standing[cool] if weight[other] < weight[task] and names[0] not in plan.placement[other]]
            if others:
                against = max(others, key=lambda other: weight[other])
                yield _moved(plan.placement, {task: (names[0], cool), against: (cool, names[0])})


def _moved(placement: Placement, moves: Mapping[TaskId, tuple[NodeName, NodeName]]) -> Placement:
    """The placement with one replica of each of these tasks moved from the first node to the second."""
    changed = {task: tuple(after if name == before else name for name in placement[task]) for task, (before, after) in moves.items()}
    return {**placement, **changed}
