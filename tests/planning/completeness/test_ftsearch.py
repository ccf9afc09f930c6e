"""FT-Search: as good as brute force, whatever it prunes, however it is split, and honest when it is stopped."""

import subprocess
import sys
from itertools import count
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levee.planning.completeness.ftsearch import solve
from levee.planning.completeness.ftsearch_tables import FAITHFUL, Pruning
from levee.planning.completeness.verify import verify
from levee.planning.generate.applications import application
from levee.planning.problem import Goal, Problem
from levee.planning.result import Progress, Status, Stop
from levee.topology.graph import FailureModel, Late
from tests.planning.completeness.brute import best
from tests.planning.completeness.small_problems import goals, problems


def agrees_with_brute_force(problem: Problem, goal: Goal, *, threads: int, prunings: Pruning, full_first: bool) -> None:
    result = solve(problem, goal, threads=threads, prunings=prunings, full_first=full_first)
    found = best(problem, goal)
    if found is None or result.plan is None:
        assert (found, result.plan, result.status) == (None, None, Status.INFEASIBLE)
        return
    assert result.objective == pytest.approx(found.objective)
    assert result.status is Status.OPTIMAL
    assert verify(problem, result.plan, goal=goal, claimed=result) == ()


@given(problems(max_tasks=4), goals(), st.sampled_from([1, 2]), st.booleans())
@settings(max_examples=120, deadline=None)
def test_it_finds_what_brute_force_finds(problem: Problem, goal: Goal, threads: int, full_first: bool) -> None:
    agrees_with_brute_force(problem, goal, threads=threads, prunings=FAITHFUL, full_first=full_first)


@given(problems(max_tasks=3), goals(), st.lists(st.sampled_from(Pruning), unique=True), st.booleans())
@settings(max_examples=120, deadline=None)
def test_no_set_of_prunings_changes_the_answer(problem: Problem, goal: Goal, chosen: list[Pruning], full_first: bool) -> None:
    agrees_with_brute_force(problem, goal, threads=1, prunings=Pruning(sum(chosen)), full_first=full_first)


@given(problems(max_tasks=5, lates=(Late.SKIP,), max_configurations=3), goals())
@settings(max_examples=60, deadline=None)
def test_no_split_changes_the_answer(problem: Problem, goal: Goal) -> None:
    one, many = solve(problem, goal), solve(problem, goal, threads=3)
    assert one.status is many.status
    assert one.objective == pytest.approx(many.objective)


def medium(seed: int = 16) -> Problem:
    return application(Random(seed), hosts=2, tasks=8)


def test_each_pruning_cuts_something_and_saves_nodes() -> None:
    without = {p: solve(medium(), Goal(0.7), prunings=FAITHFUL & ~p).counters for p in FAITHFUL}
    full = solve(medium(), Goal(0.7)).counters
    for pruning in FAITHFUL:
        name = str(pruning.name).lower()
        assert full[f"pruned_{name}"] > 0 == without[pruning][f"pruned_{name}"]
        assert 1 <= full[f"height_{name}"] <= 16
        assert without[pruning]["nodes"] > full["nodes"]


@pytest.mark.parametrize(("extension", "seed"), [(Pruning.SYM, 16), (Pruning.FIT, 17)])
def test_what_the_paper_does_not_prune_is_off_unless_asked_for(extension: Pruning, seed: int) -> None:
    problem = medium(seed)
    faithful, shorter = solve(problem, Goal(0.7)), solve(problem, Goal(0.7), prunings=FAITHFUL | extension)
    name = f"pruned_{str(extension.name).lower()}"
    assert faithful.counters[name] == 0 < shorter.counters[name]
    assert shorter.counters["nodes"] < faithful.counters["nodes"]
    assert shorter.objective == pytest.approx(faithful.objective)


def test_without_numba_it_searches_the_same_tree() -> None:
    script = (
        "import sys; sys.modules['numba'] = None\n"
        "from random import Random\n"
        "from levee.planning.completeness.ftsearch import solve\n"
        "from levee.planning.generate.applications import application\n"
        "from levee.planning.problem import Goal\n"
        "result = solve(application(Random(16), hosts=2, tasks=8), Goal(0.7))\n"
        "print(result.counters['nodes'], result.objective)"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    result = solve(medium(), Goal(0.7))
    assert [float(word) for word in said] == [result.counters["nodes"], result.objective]


def test_first_and_best_plan_are_told_from_one_run() -> None:
    ticks = count()
    told: list[Progress] = []
    result = solve(medium(), Goal(0.7), stop=Stop(remaining_s=lambda: 1e6 - next(ticks), report=told.append))
    counters = result.counters
    assert counters["plans"] == len(told) > 1
    assert (told[0].objective, told[-1].objective) == (counters["first_cost"], result.objective)
    assert sorted((p.objective or 0.0 for p in told), reverse=True) == [p.objective for p in told]
    assert 0 < counters["first_seconds"] < counters["best_seconds"]


@pytest.mark.parametrize("threads", [1, 2])
def test_out_of_time_it_returns_the_best_so_far(threads: int) -> None:
    told: list[Progress] = []
    big = application(Random(2), hosts=6, tasks=36)
    result = solve(big, Goal(0.5), threads=threads, stop=Stop(asked=lambda: bool(told), report=told.append))
    assert result.status is Status.FEASIBLE
    assert result.plan is not None
    assert result.bound is not None
    assert verify(big, result.plan, goal=Goal(0.5), claimed=result) == ()


def test_stopped_before_any_plan_it_knows_nothing() -> None:
    result = solve(medium(), Goal(0.7), stop=Stop(asked=lambda: True))
    assert (result.plan, result.objective, result.status) == (None, None, Status.UNKNOWN)


def test_an_impossible_goal_is_infeasible() -> None:
    assert solve(medium(), Goal(1.0)).status is Status.INFEASIBLE
    assert solve(medium(), Goal(1.0), threads=2).status is Status.INFEASIBLE


def test_it_refuses_what_it_is_not_defined_for() -> None:
    three = application(Random(1), hosts=3, tasks=6, replicas=3)
    for problem, goal in ((three, Goal(0.5)), (medium(), Goal(0.5, FailureModel.NODE)), (medium(), Goal(0.5, penalty=1.0))):
        with pytest.raises(ValueError, match="FT-Search knows two replicas"):
            solve(problem, goal)
