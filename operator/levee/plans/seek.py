"""Look for the plan that was asked for; where there is none, for the nearest that there is.

Why: "infeasible" is no answer; which node is too small in which configuration is, or the most that can be had.
Called by: plans.planner.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from levee.planning.case import Case, Found, Kind, Place
from levee.planning.completeness import baselines
from levee.planning.completeness.exact import highest
from levee.planning.completeness.explain import explain, needs, worst
from levee.planning.problem import Goal, Plan
from levee.planning.result import Result, Status
from levee.planning.strategies import verified
from levee.plans import words
from levee.plans.amounts import floor4, fraction, number
from levee.plans.asked import Wish, has_target
from levee.plans.clock import Clock

OVERLOADS_MAX = 6  # The table above shows the others.
DIGITS = 3  # of cores, unless it takes more to tell what is needed from what there is
HAIR = 1e-7  # The most that can be had is asked for a hair lower, so that rounding does not forbid it.
MORE = "allow more --time-limit"


@dataclass(frozen=True, slots=True)
class Sought:
    """What was found, and, where it is not what was asked for, why."""

    found: Found
    reasons: tuple[str, ...] = ()


def seek(wish: Wish, case: Case, clock: Clock) -> Sought:
    completeness = wish.strategy.kind is Kind.COMPLETENESS
    if completeness and not has_target(wish.target):
        top = _most(wish, case, clock)
        if top.plan is not None:
            return Sought(_cheapest(wish, case, clock, top, top.plan))
    found = wish.strategy.solve(case, clock.stop())
    if found.result.plan is not None:
        return Sought(found)
    if found.result.status is Status.INFEASIBLE and completeness:
        return _instead(wish, case, clock, found)
    return Sought(found) if clock.interrupted else _so_far(wish, case, clock, found)


def _so_far(wish: Wish, case: Case, clock: Clock, found: Found) -> Sought:
    """What takes no search to find, where the time was too short for the search."""
    late = f"No plan for that was found in {number(clock.elapsed_s())} s, nor is it proven that there is none: {MORE}."
    if wish.target.completeness is None or wish.strategy.kind is not Kind.COMPLETENESS or case.place is Place.JOINT:
        return Sought(found, (late,))
    top = _most(wish, case, clock)
    if top.plan is None:
        return Sought(found, (late,))
    return Sought(_as_found(case, top.plan), (f"{late} The most that was found is completeness {floor4(top.objective or 0.0)}.",))


def _instead(wish: Wish, case: Case, clock: Clock, found: Found) -> Sought:
    """The most that can be had, and the plan for it; where it is proven that nothing fits at all, what overloads which node."""
    reached = f"reaches completeness {words.goal(wish.target, case.goal.completeness)} on" if has_target(wish.target) else "fits"
    asked = f"No plan {reached} these nodes"
    placed = ", with the replicas where the balanced placement puts them" if case.place is Place.JOINT else ""
    top = _most(wish, case, clock)
    if top.plan is not None:
        return Sought(_cheapest(wish, case, clock, top, top.plan), (f"{asked}: {_how_much(top, case.goal)}",))
    if top.status is not Status.INFEASIBLE:
        return Sought(found, (f"{asked}, and in {number(clock.elapsed_s())} s no other plan was found: {MORE}.",))
    bare = replace(found, result=replace(found.result, plan=baselines.none(case.problem)))
    return Sought(bare, (f"{asked}: even one replica of every task is too much for them{placed}.", *_too_small(case, clock)))


def _too_small(case: Case, clock: Clock) -> Iterator[str]:
    """The nodes that are overloaded however the working replicas are chosen, the worst first."""
    overloads = worst(explain(case.problem, case.goal, stop=clock.stop()).overloads)
    for over in overloads[:OVERLOADS_MAX]:
        yield f"{over.node} {needs(over, DIGITS, f' in {over.configuration}')}."
    if len(overloads) > OVERLOADS_MAX:
        yield f"So it is on {len(overloads) - OVERLOADS_MAX} more."
    if not overloads and not clock.interrupted:
        yield f"There was no time to find which nodes are too small: {MORE}."


def _most(wish: Wish, case: Case, clock: Clock) -> Result[Plan]:
    clock.doing, clock.unit = ", the most there is", "completeness"
    top = highest(case.problem, wish.failures, stop=clock.stop(0.5))
    clock.doing, clock.unit = "", "cores"
    return top


def _cheapest(wish: Wish, case: Case, clock: Clock, top: Result[Plan], plan: Plan) -> Found:
    """The least cost at which the most completeness can be had."""
    clock.doing = ", the least cost of that"
    at_top = replace(case, goal=Goal(max(0.0, (top.objective or 0.0) - HAIR), wish.failures), place=Place.BALANCED, start=plan)
    cheapest = wish.strategy.solve(at_top, clock.stop())
    return cheapest if cheapest.result.plan is not None else _as_found(at_top, plan)


def _as_found(case: Case, plan: Plan) -> Found:
    """Nothing is proven of what it costs."""
    return verified(case, replace(baselines.result(case.problem, plan), notes=()))


def _how_much(top: Result[Plan], goal: Goal) -> str:
    most = top.objective or 0.0
    reached = floor4(most)
    asks = f"A target of {reached} asks for it (levee plan --target {reached})."
    if top.status is Status.OPTIMAL:
        return f"{fraction(most) or reached} is the most that can be had. {asks}"
    if top.bound is None or top.bound >= goal.completeness:
        return f"{reached} is the most that was found; whether there is more is not known. {asks}"
    return f"{reached} is the most that was found, and no plan has more than {number(top.bound)}. {asks}"
