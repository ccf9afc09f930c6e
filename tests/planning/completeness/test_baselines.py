"""Static, none, greedy and non-replicated plans: what each of them is, and what it may not do."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings

from levee.planning.completeness.baselines import greedy, non_replicated, none, result, static
from levee.planning.completeness.ftsearch import solve
from levee.planning.completeness.model import Model, completeness, cost_cores
from levee.planning.completeness.verify import verify
from levee.planning.generate.applications import application, corpus
from levee.planning.problem import Goal, Plan, Problem
from levee.topology.graph import FailureModel
from tests.planning.completeness.small_problems import problems

CASES = [case.problem for case in corpus(3, 40) if case.hosts <= 5]
SMALL = application(Random(16), hosts=2, tasks=8)


def ic(problem: Problem, plan: Plan) -> float:
    return completeness(Model(problem), plan.active, FailureModel.PESSIMISTIC, problem.placement)


def test_static_is_complete_and_overloads_high() -> None:
    for problem in CASES:
        plan = static(problem)
        assert ic(problem, plan) == pytest.approx(1.0)
        said = result(problem, plan)
        assert said.notes
        assert all(note.startswith("configuration high: node host-") for note in said.notes)
        assert len(said.notes) == len(verify(problem, plan, claimed=said))


def test_greedy_relieves_every_node_or_says_which_it_could_not() -> None:
    relieved = 0
    for problem in CASES:
        plan = greedy(problem)
        said = result(problem, plan)
        assert len(said.notes) == len(verify(problem, plan, claimed=said))
        relieved += not said.notes
        assert plan.active[0] == static(problem).active[0]  # Nothing is overloaded in low.
        assert cost_cores(Model(problem), plan.active) < cost_cores(Model(problem), static(problem).active)
    assert relieved > len(CASES) / 2


def test_greedy_switches_off_the_largest_redundant_replica_of_an_overloaded_node() -> None:
    load = Model(SMALL).rates[2][1]  # Each of the two nodes has a replica of every task.
    tight = replace(SMALL, nodes=tuple(replace(node, capacity_cores=float(load.sum()) * 0.999) for node in SMALL.nodes))
    off = {task: set(range(2)) - active for task, active in enumerate(greedy(tight).active[1]) if len(active) == 1}
    assert set(off) == set(load.argsort()[-2:])
    assert sorted(len(replicas) for replicas in off.values()) == [1, 1]


def test_none_has_one_replica_each_and_overloads_nobody_where_there_is_room() -> None:
    good = 0
    for problem in CASES:
        plan = none(problem)
        assert {len(active) for row in plan.active for active in row} == {1}
        assert len(set(plan.active)) == 1
        good += not verify(problem, plan)
    assert good > len(CASES) * 0.7


def test_non_replicated_keeps_one_of_each_that_the_half_complete_plan_has_in_high() -> None:
    half = solve(SMALL, Goal(0.5)).plan
    assert half is not None
    plan = non_replicated(SMALL, half)
    assert verify(SMALL, plan) == ()
    for row in plan.active:
        assert all(len(active) == 1 and active <= planned for active, planned in zip(row, half.active[1], strict=True))


def test_costs_rank_as_in_the_paper() -> None:
    half, more = solve(SMALL, Goal(0.5)), solve(SMALL, Goal(0.7))
    assert half.plan is not None
    costs = [result(SMALL, plan).objective or 0.0 for plan in (non_replicated(SMALL, half.plan), greedy(SMALL), static(SMALL))]
    assert costs[0] < (half.objective or 0.0) < (more.objective or 0.0) < costs[1] < costs[2]


@given(problems(replicas=3, max_tasks=5))
@settings(max_examples=60, deadline=None)
def test_baselines_are_plans_for_any_number_of_replicas(problem: Problem) -> None:
    for plan in (static(problem), none(problem), greedy(problem)):
        complaints = verify(problem, plan, claimed=result(problem, plan))
        assert all("cores are needed" in complaint.wrong for complaint in complaints)
