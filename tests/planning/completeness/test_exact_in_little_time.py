"""The exact solver when there is too little time for the problem: a plan all the same, and nothing claimed that is not known."""

from itertools import count
from random import Random

import pytest

from levee.planning.completeness.exact import highest, solve
from levee.planning.completeness.highs import Program, hopeless
from levee.planning.completeness.verify import verify
from levee.planning.generate.applications import application
from levee.planning.problem import Goal
from levee.planning.result import Status, Stop
from levee.topology.graph import FailureModel

PROBLEM = application(Random(3), hosts=4, tasks=24)
SHORT = Stop(remaining_s=lambda: 1e-4)


@pytest.mark.parametrize("failures", FailureModel)
def test_without_time_for_a_search_the_greedy_plan_is_given_with_the_bound_that_is_known(failures: FailureModel) -> None:
    goal = Goal(0.3, failures)
    result, best = solve(PROBLEM, goal, stop=SHORT), solve(PROBLEM, goal)
    assert result.plan is not None
    assert result.status is Status.FEASIBLE
    assert result.notes == ("There was no search: its program would be too large for the time that was left.",)
    assert verify(PROBLEM, result.plan, goal=goal, claimed=result) == ()
    assert result.bound is not None and best.objective is not None and result.objective is not None
    assert result.bound <= best.objective <= result.objective + 1e-9


def test_without_time_a_start_that_is_better_than_the_greedy_plan_is_kept() -> None:
    best = solve(PROBLEM, Goal(0.3))
    assert solve(PROBLEM, Goal(0.3), stop=SHORT, start=best.plan).objective == pytest.approx(best.objective)


def test_without_time_and_without_a_plan_nothing_is_known() -> None:
    result = solve(PROBLEM, Goal(1.0), stop=SHORT)
    assert (result.plan, result.status) == (None, Status.UNKNOWN)


@pytest.mark.parametrize("failures", FailureModel)
def test_without_time_the_most_completeness_is_bounded_by_all(failures: FailureModel) -> None:
    most, true = highest(PROBLEM, failures, stop=SHORT), highest(PROBLEM, failures)
    assert (most.status, most.bound) == (Status.FEASIBLE, 1.0)
    assert most.objective is not None and true.objective is not None
    assert most.objective <= true.objective + 1e-6


@pytest.mark.parametrize("looks", range(0, 12, 2))
def test_whenever_it_is_stopped_the_plan_holds(looks: int) -> None:
    ticks = count()
    result = solve(PROBLEM, Goal(0.3), stop=Stop(asked=lambda: next(ticks) >= looks))
    assert result.plan is not None
    assert verify(PROBLEM, result.plan, goal=Goal(0.3), claimed=result) == ()


@pytest.mark.parametrize("looks", range(0, 12, 2))
@pytest.mark.parametrize("failures", FailureModel)
def test_whenever_the_search_for_the_most_is_stopped_it_has_a_plan(looks: int, failures: FailureModel) -> None:
    ticks = count()
    most = highest(PROBLEM, failures, stop=Stop(asked=lambda: next(ticks) >= looks))
    assert most.plan is not None and most.objective is not None and most.bound is not None
    assert verify(PROBLEM, most.plan, goal=Goal(most.objective - 1e-6, failures)) == ()
    assert most.objective <= highest(PROBLEM, failures).objective + 1e-6 <= most.bound + 2e-6  # type: ignore[operator]


def test_without_time_the_cheapest_plan_of_all_is_known_to_be_that() -> None:
    result = solve(PROBLEM, Goal(0.0), stop=SHORT)
    assert (result.status, result.notes) == (Status.OPTIMAL, ())
    assert result.objective == pytest.approx(solve(PROBLEM, Goal(0.0)).objective)


def test_a_larger_program_needs_more_time() -> None:
    small, large = Program(nonzeros=50_000), Program(nonzeros=500_000)
    half, two, hundred = Stop(remaining_s=lambda: 0.5), Stop(remaining_s=lambda: 2.0), Stop(remaining_s=lambda: 100.0)
    assert (hopeless(small, half), hopeless(small, two)) == (True, False)
    assert (hopeless(large, two), hopeless(large, hundred), hopeless(large, Stop())) == (True, False, False)
