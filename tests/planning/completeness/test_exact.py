"""The exact solver: as good as brute force in every failure model, for any number of replicas, and honest when it is stopped."""

from dataclasses import replace
from itertools import count
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levee.planning.completeness.exact import highest, solve
from levee.planning.completeness.model import Model, completeness, cost_cores
from levee.planning.completeness.verify import verify
from levee.planning.generate.applications import application
from levee.planning.problem import Edge, Goal, Plan, Problem, SourceTask, Task
from levee.planning.result import Progress, Status, Stop
from levee.topology.graph import Configuration, FailureModel, Late, Node
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId, ZoneName
from tests.planning.completeness.brute import best, most
from tests.planning.completeness.small_problems import goals, problems

ANY = tuple(FailureModel)


def agrees_with_brute_force(problem: Problem, goal: Goal) -> None:
    result, found = solve(problem, goal), best(problem, goal)
    if found is None or result.plan is None:
        assert (found, result.plan, result.status) == (None, None, Status.INFEASIBLE)
        return
    assert result.objective == pytest.approx(found.objective, rel=2e-6)
    assert result.status is Status.OPTIMAL
    assert verify(problem, result.plan, goal=goal, claimed=result) == ()


@given(problems(max_tasks=4), goals(ANY))
@settings(max_examples=200, deadline=None)
def test_two_replicas_are_planned_as_well_as_by_brute_force(problem: Problem, goal: Goal) -> None:
    agrees_with_brute_force(problem, goal)


@given(problems(replicas=3, max_tasks=3), goals(ANY))
@settings(max_examples=120, deadline=None)
def test_three_replicas_are_planned_as_well_as_by_brute_force(problem: Problem, goal: Goal) -> None:
    agrees_with_brute_force(problem, goal)


@given(problems(max_tasks=4, repeatable=False), goals(ANY))
@settings(max_examples=150, deadline=None)
def test_where_some_replicas_would_differ_one_is_active_and_the_rest_is_planned_as_well_as_by_brute_force(
    problem: Problem, goal: Goal
) -> None:
    agrees_with_brute_force(problem, goal)


@given(problems(max_tasks=6, max_configurations=1, lates=(Late.WAIT, Late.SKIP)), goals(ANY))
@settings(max_examples=80, deadline=None)
def test_deeper_graphs_in_which_some_wait_are_planned_as_well_as_by_brute_force(problem: Problem, goal: Goal) -> None:
    agrees_with_brute_force(problem, goal)


@given(problems(replicas=2, max_tasks=3), goals(ANY), st.sampled_from([1.0, 100.0, 3600.0, 1e6]))
@settings(max_examples=100, deadline=None)
def test_what_a_shortfall_costs_is_weighed_as_well_as_by_brute_force(problem: Problem, goal: Goal, penalty: float) -> None:
    agrees_with_brute_force(problem, replace(goal, penalty=penalty))


@given(problems(max_tasks=4), goals(ANY))
@settings(max_examples=100, deadline=None)
def test_the_highest_completeness_is_that_of_brute_force(problem: Problem, goal: Goal) -> None:
    result, reached = highest(problem, goal.failures), most(problem, goal)
    assert result.objective == (None if reached is None else pytest.approx(reached, abs=2e-6))
    assert result.status is (Status.INFEASIBLE if reached is None else Status.OPTIMAL)


@given(st.integers(0, 10_000), st.sampled_from([0.5, 0.6, 0.7, 0.8, 0.9]), st.sampled_from(Late))
@settings(max_examples=15, deadline=None)
def test_every_plan_for_a_random_application_passes_the_verifier(seed: int, goal: float, late: Late) -> None:
    problem = application(Random(seed), hosts=2, tasks=10, late=late)
    result = solve(problem, Goal(goal))
    assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)
    assert result.plan is None or verify(problem, result.plan, goal=Goal(goal), claimed=result) == ()


def pipeline() -> Problem:
    """Two tasks in a row on two nodes, as in Figure 1 of LAAR: 160 % of a node are needed at the high rate."""
    first, second = (TaskId("pe1/0"), TaskId("pe2/0"))
    nodes = tuple(Node(NodeName(f"node-{n}"), ZoneName("zone"), 1.0) for n in (0, 1))
    source = SourceTask(TaskId("source/0"), OperatorName("source"), (4.0, 8.0), Late.SKIP)
    return Problem(
        sources=(source,),
        tasks=(
            Task(first, OperatorName("pe1"), (Edge(source.id, 1.0, 0.1),), Late.SKIP),
            Task(second, OperatorName("pe2"), (Edge(first, 1.0, 0.1),), Late.SKIP),
        ),
        configurations=(
            Configuration(ConfigurationName("low"), 0.8, {source.operator: 4.0}),
            Configuration(ConfigurationName("high"), 0.2, {source.operator: 8.0}),
        ),
        nodes=nodes,
        placement={task: tuple(node.name for node in nodes) for task in (first, second)},
        replicas=2,
    )


def test_the_pipeline_of_laar_keeps_two_thirds_with_its_tasks_on_different_nodes_at_the_high_rate() -> None:
    result = solve(pipeline(), Goal(0.6))
    assert result.plan is not None
    low, high = result.plan.active
    assert low == (frozenset({0, 1}), frozenset({0, 1}))
    assert sorted(high, key=sorted) == [frozenset({0}), frozenset({1})]
    reached = completeness(Model(pipeline()), result.plan.active, FailureModel.PESSIMISTIC, result.plan.placement)
    assert reached == pytest.approx(2 / 3)


def test_the_pipeline_of_laar_cannot_keep_seven_tenths_but_two_thirds() -> None:
    assert solve(pipeline(), Goal(0.7)).status is Status.INFEASIBLE
    most_kept = highest(pipeline(), FailureModel.PESSIMISTIC)
    assert most_kept.objective == pytest.approx(2 / 3)
    assert most_kept.bound == pytest.approx(2 / 3)


def test_a_task_that_waits_is_kept_without_input_where_it_would_hold_up_others() -> None:
    """The dominance cut does not hold for it: safe, it gets nothing itself, but its reader goes on with the rows of the source."""
    problem = pipeline()
    source, (feeder, waiter) = problem.sources[0], problem.tasks
    waits = replace(waiter, late=Late.WAIT)
    reader = Task(TaskId("reader/0"), OperatorName("reader"), (Edge(waiter.id, 1.0, 0.01), Edge(source.id, 1.0, 0.01)), Late.SKIP)
    costly = replace(feeder, inputs=(replace(feeder.inputs[0], cost_s=1.24),))
    three = replace(
        problem, tasks=(costly, waits, reader), placement=dict.fromkeys((feeder.id, waiter.id, reader.id), problem.placement[feeder.id])
    )
    roomy = replace(three, nodes=tuple(replace(node, capacity_cores=12.0) for node in three.nodes))
    result, found = solve(roomy, Goal(0.25)), best(roomy, Goal(0.25))
    assert result.plan is not None
    assert found is not None
    assert result.objective == pytest.approx(found.objective)
    assert any(len(row[0]) == 1 and len(row[1]) == 2 for row in result.plan.active)


def test_a_penalty_that_is_low_is_paid_and_one_that_is_high_is_avoided() -> None:
    cheap, dear = (solve(pipeline(), Goal(0.6, penalty=penalty)) for penalty in (1.0, 1e7))
    assert cheap.counters["shortfall"] == pytest.approx(0.6)
    assert cheap.objective == pytest.approx(cheap.counters["cost"] + 1.0 / 3600 * 0.6)
    assert dear.counters["shortfall"] == 0.0
    assert dear.objective == pytest.approx(solve(pipeline(), Goal(0.6)).objective)


def test_the_same_promise_is_cheaper_when_only_single_nodes_fail() -> None:
    problem = application(Random(5), hosts=4, tasks=12)
    pessimistic, node = (solve(problem, Goal(0.6, failures)).objective for failures in (FailureModel.PESSIMISTIC, FailureModel.NODE))
    assert pessimistic is not None
    assert node is not None
    assert node < pessimistic


def test_the_same_problem_gives_the_same_plan() -> None:
    problem = application(Random(11), hosts=3, tasks=18)
    one, two = solve(problem, Goal(0.6)), solve(problem, Goal(0.6))
    assert one == two
    assert one.plan is not None


def large() -> Problem:
    return application(Random(480), hosts=9, tasks=90)


def test_a_search_that_is_stopped_at_once_claims_nothing() -> None:
    result = solve(large(), Goal(0.6), stop=Stop(asked=lambda: True))
    assert result.status in (Status.UNKNOWN, Status.FEASIBLE)
    assert (result.plan is None) is (result.status is Status.UNKNOWN)


def test_a_search_that_is_stopped_at_once_returns_the_plan_it_was_given() -> None:
    everything = frozenset({0, 1})
    problem = replace(large(), nodes=tuple(replace(node, capacity_cores=9.0) for node in large().nodes))
    given_plan = Plan(tuple(tuple(everything for _ in problem.tasks) for _ in problem.configurations), problem.placement)
    result = solve(problem, Goal(0.9), stop=Stop(asked=lambda: True), start=given_plan)
    assert result.plan == given_plan
    assert result.status is Status.FEASIBLE
    assert result.objective == pytest.approx(cost_cores(Model(problem), given_plan.active))


def test_a_search_that_is_stopped_on_the_way_is_honest_about_its_bound() -> None:
    asked = count()
    result = solve(large(), Goal(0.6), stop=Stop(asked=lambda: next(asked) > 400))
    optimum = solve(large(), Goal(0.6))
    assert optimum.objective is not None
    assert optimum.status is Status.OPTIMAL
    assert result.bound is None or result.bound <= optimum.objective * (1 + 1e-6)
    assert result.objective is None or result.objective >= optimum.objective * (1 - 1e-6)


def test_progress_is_told_with_bounds_that_never_exceed_the_optimum() -> None:
    told: list[Progress] = []
    result = solve(large(), Goal(0.6), stop=Stop(report=told.append))
    assert result.objective is not None
    assert told
    assert all(p.bound is None or p.bound <= result.objective * (1 + 1e-6) for p in told)


@pytest.mark.parametrize("seed", range(12))
def test_a_start_changes_how_the_best_plan_is_found_but_not_what_it_costs(seed: int) -> None:
    problem = application(Random(seed), hosts=3, tasks=9)
    start = solve(problem, Goal(0.5)).plan
    for goal in (0.0, 0.2, 0.4):
        with_start, without = solve(problem, Goal(goal), start=start), solve(problem, Goal(goal))
        assert with_start.objective == pytest.approx(without.objective, rel=1e-5)
    cheapest = solve(problem, Goal(0.0))
    singles = float(Model(problem).probability @ Model(problem).rates[2].sum(axis=1))
    assert cheapest.objective == pytest.approx(singles) or cheapest.objective is None
