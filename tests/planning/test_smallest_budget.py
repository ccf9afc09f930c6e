"""The smallest budget for a fidelity, and how a fidelity plan stands on nodes."""

from collections.abc import Callable
from itertools import count
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee.planning.completeness.model import Model, node_loads
from levee.planning.completeness.verify import verify
from levee.planning.fidelity import exact
from levee.planning.fidelity.problem import fidelity_problem
from levee.planning.fidelity.verify import verify as verify_fidelity
from levee.planning.generate.applications import application
from levee.planning.generate.topologies import SETTINGS, generate
from levee.planning.result import Result, Status, Stop
from levee.planning.smallest_budget import smallest_budget
from levee.planning.spread import spread

Values = list[float]


def optimal(values: Values) -> Callable[[int], Result[int]]:
    return lambda budget: Result(budget, values[budget], values[budget], Status.OPTIMAL)


def without_a_bound(values: Values) -> Callable[[int], Result[int]]:
    return lambda budget: Result(budget, values[budget], None, Status.FEASIBLE)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.floats(0, 1))
def test_no_smaller_budget_reaches_the_fidelity(raw: Values, wanted: float) -> None:
    values = sorted(raw)
    budget, found = smallest_budget(optimal(values), len(values) - 1, wanted)
    assert found.plan == budget
    reaching = [index for index, value in enumerate(values) if value >= wanted - 1e-9]
    assert budget == (reaching[0] if reaching else len(values) - 1)


def test_it_is_said_what_one_replica_less_would_give() -> None:
    assert smallest_budget(optimal([0, 0.5, 0.9, 1]), 3, 0.8)[1].notes == ("2 is the smallest budget: with 1 no plan has more than 0.5",)


def test_a_heuristic_proves_nothing_about_smaller_budgets() -> None:
    notes = smallest_budget(without_a_bound([0, 0.5, 0.9, 1]), 3, 0.8)[1].notes
    assert notes == ("2 is the smallest budget found; it is not proven that 1 would not do",)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.floats(0, 1), st.integers(0, 8))
def test_stopped_early_it_gives_what_does_and_claims_nothing_about_less(raw: Values, wanted: float, looks: int) -> None:
    values, asked = sorted([*raw, 1.0]), count()
    budget, found = smallest_budget(optimal(values), len(values) - 1, wanted, Stop(asked=lambda: next(asked) >= looks))
    assert found.plan == budget and values[budget] >= wanted - 1e-9
    if any("is the smallest budget:" in note for note in found.notes):
        assert values[budget - 1] < wanted


@pytest.mark.parametrize("looks", [0, 1, 3])
def test_the_exact_search_for_fidelity_looks_at_the_clock_before_it_has_a_bound_and_has_one_all_the_same(looks: int) -> None:
    problem, asked = fidelity_problem(generate(1, SETTINGS[-1], 0)), count()
    budget = len(problem.tasks) // 2
    hurried = exact.solve(problem, budget, stop=Stop(asked=lambda: next(asked) >= looks))
    best = exact.solve(problem, budget)
    assert verify_fidelity(problem, hurried, budget) == ()
    assert hurried.bound is not None and hurried.objective is not None and best.objective is not None
    assert hurried.objective <= best.objective + 1e-9 <= hurried.bound + 2e-9
    assert hurried.counters["boxes"] <= 1 + 2 * looks


@given(st.integers(0, 10**6), st.integers(1, 4), st.floats(0, 1))
def test_a_fidelity_plan_has_one_active_replica_of_every_task_and_all_of_the_chosen(seed: int, hosts: int, share: float) -> None:
    rng = Random(seed)
    problem = application(rng, hosts=hosts, tasks=hosts * 3)
    chosen = frozenset(task.id for task in problem.tasks if rng.random() < share)
    plan = spread(problem, chosen)
    for row in plan.active:
        assert [len(active) for active in row] == [2 if task.id in chosen else 1 for task in problem.tasks]
    overloads = [complaint for complaint in verify(problem, plan) if "cores are needed" not in complaint.wrong]
    assert overloads == []


def test_the_working_replicas_are_spread_over_the_nodes() -> None:
    problem = application(Random(1), hosts=3, tasks=18)
    bare = spread(problem, frozenset())
    first = bare.active[:0] + tuple(tuple(frozenset({0}) for _ in problem.tasks) for _ in problem.configurations)
    model = Model(problem)
    assert node_loads(model, bare.active, problem.placement).max() < node_loads(model, first, problem.placement).max()


def test_a_stop_leaves_the_other_searches_their_share() -> None:
    from levee.planning.by_budget import part

    left = [40.0]
    quarter = part(Stop(remaining_s=lambda: left[0]), 0.25)
    assert (quarter.remaining_s(), quarter.asked()) == (10, False)
    left[0] = 30.0
    assert (quarter.remaining_s(), quarter.asked()) == (0, True)
    assert not part(Stop(), 0.25).asked()
