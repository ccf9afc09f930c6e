"""Look for the plan that was asked for; where there is none, for the nearest that there is.

Why: "infeasible" is no answer; which node is too small in which configuration is, or the most that can be had.
Called by: cli.planner.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from levee.cli.amounts import floor4, fraction, number
from levee.cli.asked import Wish, has_target
from levee.cli.clock import Clock
from levee.planning.case import Case, Found, Kind, Place
from levee.planning.completeness import baselines
from levee.planning.completeness.exact import highest
from levee.planning.completeness.explain import explain
from levee.planning.problem import Goal, Plan
from levee.planning.result import Result, Status
from levee.planning.strategies import verified

OVERLOADS_MAX = 6  # The table above shows the others.
HAIR = 1e-7  # The most that can be had is asked for a hair lower, so that rounding does not forbid it.


@dataclass(frozen=True, slots=True)
class Sought:
    """What was found, and, where it is not what was asked for, why."""

    found: Found
    reasons: tuple[str, ...] = ()
    top: Result[Plan] | None = None  # the most completeness there is, where that was looked for


def seek(wish: Wish, case: Case, clock: Clock) -> Sought:
    completeness = wish.strategy.kind is Kind.COMPLETENESS
    if completeness and not has_target(wish.target):
        most = _most(wish, case, clock)
        return most or Sought(wish.strategy.solve(case, clock.stop()))
    found = wish.strategy.solve(case, clock.stop())
    if found.result.plan is not None:
        return Sought(found)
    if found.result.status is Status.INFEASIBLE and completeness:
        return _instead(wish, case, clock, found)
    late = f"No plan was found in {clock.elapsed_s():.0f} s, nor is it proven that there is none: allow more --time-limit."
    return Sought(found, () if clock.interrupted else (late,))


def _instead(wish: Wish, case: Case, clock: Clock, found: Found) -> Sought:
    """The most that can be had, and the plan for it; where nothing fits at all, what overloads which node."""
    most = _most(wish, case, clock)
    wanted = f"No plan reaches completeness {case.goal.completeness:g} on these nodes"
    if most is not None:
        return replace(most, reasons=(f"{wanted}: {_how_much(most)}",))
    bare = replace(found, result=replace(found.result, plan=baselines.none(case.problem)))
    return Sought(bare, (f"{wanted}: even one replica of every task is too much for them.", *_too_small(case, clock)))


def _too_small(case: Case, clock: Clock) -> Iterator[str]:
    """The nodes that are overloaded however the working replicas are chosen."""
    for over in explain(case.problem, case.goal, stop=clock.stop()).overloads[:OVERLOADS_MAX]:
        yield f"{over.node} needs {number(over.load_cores)} cores in {over.configuration} and has {number(over.capacity_cores)}."


def _most(wish: Wish, case: Case, clock: Clock) -> Sought | None:
    """The cheapest plan with the most completeness; None where no plan fits the nodes."""
    clock.doing, clock.unit = ", the most there is", "completeness"
    top = highest(case.problem, wish.failures, stop=clock.stop(0.5))
    clock.doing, clock.unit = ", the least cost of that", "cores"
    if top.plan is None or top.objective is None:
        return None
    at_top = replace(case, goal=Goal(max(0.0, top.objective - HAIR), wish.failures), place=Place.BALANCED, start=top.plan)
    cheapest = wish.strategy.solve(at_top, clock.stop())
    return Sought(cheapest if cheapest.result.plan is not None else verified(at_top, top), top=top)


def _how_much(most: Sought) -> str:
    assert most.top is not None
    assert most.top.objective is not None
    reached, exactly = floor4(most.top.objective), fraction(most.top.objective)
    asks = f"The plan above has it; --target {reached} asks for it."
    if most.top.status is Status.OPTIMAL or most.top.bound is None:
        return f"{exactly or reached} is the most that can be had. {asks}"
    return f"{reached} is the most that was found, and no plan has more than {number(most.top.bound)}. {asks}"
