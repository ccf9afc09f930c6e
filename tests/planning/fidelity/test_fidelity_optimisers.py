"""The optimisers against brute force, each other, and the verifier."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levee.planning.fidelity import dynamic, exact, greedy, structure_aware
from levee.planning.fidelity.decompose import sub_topologies, units
from levee.planning.fidelity.plan import ActivePlan, Metric, Optimiser
from levee.planning.fidelity.problem import FidelityProblem, fidelity_problem
from levee.planning.fidelity.verify import verify
from levee.planning.generate.topologies import SETTINGS, Setting, Shape, corpus, topology
from levee.planning.result import Progress, Result, Status, Stop
from levee.topology.names import TaskId
from tests.planning.fidelity.random_problems import best_by_brute_force, problem
from tests.planning.fidelity.test_fidelity_model import figure_1

OPTIMISERS: dict[str, Optimiser] = {
    "dynamic": dynamic.solve,
    "greedy": greedy.solve,
    "structure-aware": structure_aware.solve,
    "exact": exact.solve,
}
SEEDS = st.integers(0, 10_000)
BUDGETS = st.integers(0, 12)


@given(SEEDS, BUDGETS)
def test_the_exact_solver_finds_what_brute_force_finds(seed: int, budget: int) -> None:
    some = problem(seed)
    result = exact.solve(some, budget)
    assert result.objective == pytest.approx(best_by_brute_force(some, budget, Metric.OF), abs=1e-8)
    assert result.status is Status.OPTIMAL


@settings(max_examples=40)
@given(SEEDS, BUDGETS)
def test_the_exact_solver_finds_what_brute_force_finds_where_tasks_wait(seed: int, budget: int) -> None:
    some = problem(seed, waiting=0.4)
    assert exact.solve(some, budget).objective == pytest.approx(best_by_brute_force(some, budget, Metric.OF), abs=1e-8)


@settings(max_examples=40)
@given(SEEDS, BUDGETS)
def test_the_exact_solver_brackets_the_most_complete_plan_too(seed: int, budget: int) -> None:
    some = problem(seed, waiting=0.2)
    result, best = exact.solve(some, budget, metric=Metric.IC, stop=after(400)), best_by_brute_force(some, budget, Metric.IC)
    assert result.objective is not None
    assert result.bound is not None
    assert result.objective - 1e-8 <= best <= result.bound + 1e-8
    assert result.status is not Status.OPTIMAL or result.objective == pytest.approx(best, abs=1e-8)


@settings(max_examples=60)
@given(SEEDS, BUDGETS)
def test_the_dynamic_programme_is_optimal_when_it_comes_to_its_end(seed: int, budget: int) -> None:
    some = problem(seed)
    result = dynamic.solve(some, budget)
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(best_by_brute_force(some, budget, Metric.OF), abs=1e-8)


@settings(max_examples=60)
@given(SEEDS, BUDGETS, st.sampled_from(Metric), st.sampled_from(sorted(OPTIMISERS)))
def test_every_claim_of_every_optimiser_is_verified(seed: int, budget: int, metric: Metric, name: str) -> None:
    some = problem(seed, waiting=0.2)
    assert verify(some, OPTIMISERS[name](some, budget, metric=metric, stop=after(400)), budget, metric=metric) == ()


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: str(setting.name))
def test_no_heuristic_beats_the_exact_solver_on_a_random_topology(setting: Setting) -> None:
    for drawn in corpus(3, setting, 2):
        some = fidelity_problem(drawn)
        budget = len(some.tasks) // 2
        ours = exact.solve(some, budget, stop=after(40))
        assert verify(some, ours, budget) == ()
        for heuristic in (structure_aware.solve, greedy.solve):
            theirs = heuristic(some, budget)
            assert ours.objective is not None
            assert theirs.objective is not None
            assert ours.objective >= theirs.objective - 1e-12
            assert verify(some, theirs, budget) == ()


def after(asks: int) -> Stop:
    """A stop that comes after so many questions; clocks have no place in a test."""
    left = iter(range(asks))
    return Stop(asked=lambda: next(left, None) is None)


@pytest.mark.parametrize("name", ["exact", "dynamic"])
def test_a_search_that_is_stopped_brings_what_it_has(name: str) -> None:
    some = hard_problem()
    result = OPTIMISERS[name](some, 20, stop=after(30))
    assert result.status is Status.FEASIBLE
    assert verify(some, result, 20) == ()


def hard_problem() -> FidelityProblem:
    """Too much for thirty steps of any search."""
    return fidelity_problem(list(corpus(1, next(one for one in SETTINGS if one.name == "d half joins"), 2))[1])


def test_the_bound_only_falls_and_the_objective_only_rises() -> None:
    heard: list[Progress] = []
    stop = after(60)
    exact.solve(hard_problem(), 20, stop=replace(stop, report=heard.append))
    bounds = [progress.bound for progress in heard if progress.bound is not None]
    objectives = [progress.objective for progress in heard if progress.objective is not None]
    assert len(bounds) > 10
    assert bounds == sorted(bounds, reverse=True)
    assert objectives == sorted(objectives)


def test_structure_aware_plans_nothing_below_one_replica_per_operator() -> None:
    some = fidelity_problem(topology(Random(1), Setting("any")))
    assert structure_aware.solve(some, len(some.operators) - 1).plan == ActivePlan(frozenset())


def test_structure_aware_replicates_all_when_it_may() -> None:
    some = fidelity_problem(topology(Random(5), Setting("joins", shape=Shape.FULL)))
    assert structure_aware.solve(some, len(some.tasks)).objective == pytest.approx(1)


@pytest.mark.parametrize("shape", list(Shape))
def test_a_general_topology_falls_into_full_and_structured_ones(shape: Shape) -> None:
    for drawn in corpus(2, Setting(f"shape {shape}", shape=shape), 10):
        some = fidelity_problem(drawn)
        parts = sub_topologies(some)
        assert sorted(operator for part in parts for operator in part.operators) == list(range(len(some.operators)))
        if shape is not Shape.MIXED:
            assert [part.is_full for part in parts] == [shape is Shape.FULL]
        for part in parts:
            pieces = units(some, part) if not part.is_full else (part.operators,)
            assert sorted(operator for piece in pieces for operator in piece) == sorted(part.operators)


def test_greedy_takes_the_tasks_whose_failure_hurts_most_even_if_nothing_comes_through() -> None:
    some = figure_1(correlated=False)
    result = greedy.solve(some, 3)
    assert result.plan is not None
    assert {TaskId("o4/0"), TaskId("o4/1")} <= result.plan.replicated
    assert structure_aware.solve(some, 4).objective == pytest.approx(exact.solve(some, 4).objective)


@pytest.mark.parametrize(
    ("spoilt", "where"),
    [
        ({"objective": 0.9}, "objective"),
        ({"bound": 0.0}, "bound"),
        ({"bound": 1.0}, "status"),
        ({"plan": None}, "plan"),
        ({"plan": ActivePlan(frozenset({TaskId("nobody/0")})), "objective": 0.0, "bound": 1.0}, "plan"),
    ],
)
def test_the_verifier_finds_a_false_claim(spoilt: dict[str, object], where: str) -> None:
    some = problem(2)
    honest = exact.solve(some, 8)
    assert honest.objective
    false: Result[ActivePlan] = replace(honest, **spoilt)  # type: ignore[arg-type]
    assert where in {complaint.where for complaint in verify(some, false, 8)}


def test_the_verifier_counts_replicas() -> None:
    some = problem(2)
    assert "the budget is 3" in verify(some, exact.solve(some, 4), 3)[0].wrong
