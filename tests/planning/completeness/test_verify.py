"""The verifier: it agrees with the fast evaluator that it shares nothing with, and no damaged plan or false claim gets past it."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levee.planning.completeness.definition import Definition
from levee.planning.completeness.model import Model, completeness, cost_cores, node_loads
from levee.planning.completeness.verify import verify
from levee.planning.problem import Edge, Goal, Plan, Problem, SourceTask, Task
from levee.planning.result import Result, Status
from levee.topology.graph import Configuration, FailureModel, Late, Node
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId, ZoneName
from tests.planning.completeness.brute import best
from tests.planning.completeness.small_problems import goals, plans, problems

BOTH, FIRST, SECOND, NOBODY = frozenset({0, 1}), frozenset({0}), frozenset({1}), frozenset[int]()


def pipeline(late: Late = Late.SKIP, capacity_cores: float = 1.0) -> Problem:
    """The two-element pipeline of the LAAR paper's Figure 1."""
    source = SourceTask(TaskId("source/0"), OperatorName("source"), (4.0, 8.0))
    one = Task(TaskId("one/0"), OperatorName("one"), (Edge(source.id, 1.0, 0.1),), late)
    two = Task(TaskId("two/0"), OperatorName("two"), (Edge(one.id, 1.0, 0.1),), late)
    names = NodeName("left"), NodeName("right")
    return Problem(
        sources=(source,),
        tasks=(one, two),
        configurations=tuple(
            Configuration(ConfigurationName(name), probability, {source.operator: rows})
            for name, probability, rows in (("low", 0.8, 4.0), ("high", 0.2, 8.0))
        ),
        nodes=(Node(names[0], ZoneName("a"), capacity_cores), Node(names[1], ZoneName("b"), capacity_cores)),
        placement={one.id: names, two.id: names},
        replicas=2,
    )


def differing() -> Problem:
    """The same, but for the first of the two, whose replicas would differ."""
    problem = pipeline()
    return replace(problem, tasks=(replace(problem.tasks[0], repeatable=False), problem.tasks[1]))


GOAL = Goal(0.6)
GOOD = Plan(((BOTH, BOTH), (FIRST, SECOND)), pipeline().placement)
COST = 0.8 * 1.6 + 0.2 * 1.6
CLAIM = Result(GOOD, COST, COST, Status.OPTIMAL)


def test_the_paper_s_plan_for_the_pipeline_holds() -> None:
    assert verify(pipeline(), GOOD, goal=GOAL, claimed=CLAIM) == ()
    assert float(Definition(pipeline(), GOOD).completeness(FailureModel.PESSIMISTIC)) == pytest.approx(2 / 3)


DAMAGE: dict[str, tuple[Plan, str]] = {
    "nobody active": (replace(GOOD, active=((BOTH, BOTH), (NOBODY, SECOND))), "no replica is active"),
    "overloaded in high": (replace(GOOD, active=((BOTH, BOTH), (FIRST, FIRST))), "1.6 cores are needed and 1 are there"),
    "goal missed": (replace(GOOD, active=((FIRST, BOTH), (FIRST, SECOND))), "completeness is 0, and 0.6 was asked for"),
    "a configuration is missing": (replace(GOOD, active=GOOD.active[:1]), "holds 1 configurations"),
    "a task is missing": (replace(GOOD, active=((BOTH,), (FIRST,))), "of [1] tasks instead of"),
    "rows of unequal length": (replace(GOOD, active=((BOTH, BOTH), (FIRST,))), "of [1, 2] tasks instead of"),
    "a replica that is not there": (replace(GOOD, active=((BOTH, BOTH), (frozenset({2}), SECOND))), "replicas [2] do not exist"),
    "a node that is not there": (
        replace(GOOD, placement={**GOOD.placement, TaskId("two/0"): (NodeName("left"), NodeName("gone"))}),
        "does not name a node for each",
    ),
    "a replica nowhere": (replace(GOOD, placement={**GOOD.placement, TaskId("two/0"): (NodeName("left"),)}), "does not name a node"),
    "a task nowhere": (replace(GOOD, placement={TaskId("one/0"): GOOD.placement[TaskId("one/0")]}), "does not name a node"),
    "moved": (replace(GOOD, placement={**GOOD.placement, TaskId("two/0"): (NodeName("right"), NodeName("left"))}), "but was given as"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_plan_is_caught(name: str) -> None:
    plan, wrong = DAMAGE[name]
    assert any(wrong in complaint.wrong for complaint in verify(pipeline(), plan, goal=GOAL)), verify(pipeline(), plan, goal=GOAL)


LIES: dict[str, tuple[Result[Plan], str]] = {
    "cheaper than it is": (replace(CLAIM, objective=COST - 0.01, bound=0.0, status=Status.FEASIBLE), "result.objective"),
    "dearer than it is": (replace(CLAIM, objective=COST + 0.01), "result.objective"),
    "no objective": (replace(CLAIM, objective=None), "result.objective"),
    "a bound above the objective": (replace(CLAIM, bound=COST + 0.01), "result.bound"),
    "optimal with a gap": (replace(CLAIM, bound=COST - 0.01), "result.status"),
    "optimal without a bound": (replace(CLAIM, bound=None), "result.status"),
    "infeasible with a plan": (replace(CLAIM, status=Status.INFEASIBLE), "result.status"),
    "another plan": (replace(CLAIM, plan=Plan(((BOTH, BOTH), (SECOND, FIRST)), GOOD.placement)), "result.plan"),
}


@pytest.mark.parametrize("name", LIES)
def test_a_false_claim_is_caught(name: str) -> None:
    claimed, where = LIES[name]
    assert where in {complaint.where for complaint in verify(pipeline(), GOOD, goal=GOAL, claimed=claimed)}


def test_two_that_would_differ_are_not_both_active() -> None:
    problem = differing()
    assert [(one.where, one.wrong) for one in verify(problem, GOOD)] == [
        ("configuration low, task one/0", "2 replicas are active, and they do not compute the same")
    ]
    assert verify(problem, replace(GOOD, active=((FIRST, BOTH), (FIRST, SECOND)))) == ()


def test_a_full_node_counts_as_overloaded() -> None:
    assert verify(pipeline(capacity_cores=0.8), GOOD)
    assert not verify(pipeline(capacity_cores=0.80001), GOOD)


def test_a_tentative_lane_takes_room_but_costs_nothing() -> None:
    single = Plan(((FIRST, SECOND), (FIRST, SECOND)), GOOD.placement)
    problem = pipeline(Late.TENTATIVE)
    assert [(c.where, c.wrong) for c in verify(problem, single)] == [
        ("configuration high, node right", "1.6 cores are needed and 1 are there")
    ]
    assert Definition(problem, single).cost() == Definition(pipeline(), single).cost()


def test_below_a_waiting_task_nothing_is_in_time_even_where_other_input_is_there() -> None:
    def diamond(late: Late) -> Problem:
        base = pipeline(late)
        second = replace(base.tasks[1], inputs=(*base.tasks[1].inputs, Edge(TaskId("source/0"), 1.0, 0.1)))
        return replace(base, tasks=(base.tasks[0], second))

    plan = Plan(((FIRST, BOTH), (FIRST, BOTH)), GOOD.placement)
    assert Definition(diamond(Late.SKIP), plan).completeness(FailureModel.PESSIMISTIC) == pytest.approx(1 / 3)
    assert Definition(diamond(Late.WAIT), plan).completeness(FailureModel.PESSIMISTIC) == 0


def test_a_shortfall_that_is_paid_for_is_part_of_the_objective() -> None:
    goal = Goal(1.0, penalty=3600.0)
    paid = replace(CLAIM, objective=COST + 1 / 3, bound=COST + 1 / 3)
    assert verify(pipeline(), GOOD, goal=goal, claimed=paid) == ()
    assert verify(pipeline(), GOOD, goal=goal, claimed=CLAIM)


def test_one_node_lost_is_survived_by_the_replica_on_the_other() -> None:
    definition = Definition(pipeline(), GOOD)
    assert float(definition.completeness(FailureModel.NODE)) == pytest.approx(2 / 3)  # The left one stops both in high.
    assert definition.completeness(FailureModel.ZONE) == definition.completeness(FailureModel.NODE)


@given(st.data(), st.sampled_from([2, 3]), st.sampled_from(FailureModel))
@settings(max_examples=150, deadline=None)
def test_definition_and_fast_model_agree_on_any_plan(data: st.DataObject, replicas: int, failures: FailureModel) -> None:
    problem = data.draw(problems(replicas=replicas, max_tasks=6))
    plan = data.draw(plans(problem))
    model, definition = Model(problem), Definition(problem, plan)
    assert float(definition.completeness(failures)) == pytest.approx(completeness(model, plan.active, failures, plan.placement))
    assert float(definition.cost()) == pytest.approx(cost_cores(model, plan.active))
    loads = node_loads(model, plan.active, plan.placement)
    for c in range(len(problem.configurations)):
        assert [float(definition.reserved(c, node)) for node in problem.nodes] == pytest.approx(list(loads[c]))


@given(st.data(), st.sampled_from([2, 3]))
@settings(max_examples=60, deadline=None)
def test_brute_force_s_plans_hold(data: st.DataObject, replicas: int) -> None:
    problem = data.draw(problems(replicas=replicas, max_tasks=5 - replicas))
    goal = data.draw(goals(tuple(FailureModel)))
    if found := best(problem, goal):
        claimed = Result(found.plan, found.objective, found.objective, Status.OPTIMAL)
        assert verify(problem, found.plan, goal=goal, claimed=claimed) == ()


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_nothing_cheaper_than_the_best_passes(data: st.DataObject) -> None:
    problem = data.draw(problems(max_tasks=3))
    goal = data.draw(goals(tuple(FailureModel)))
    plan = data.draw(plans(problem))
    if not verify(problem, plan, goal=goal):
        found = best(problem, goal)
        assert found is not None
        assert float(Definition(problem, plan).cost()) >= found.objective - 1e-9


def in_fractions(problem: Problem) -> Problem:
    """The same numbers, with which the definitions then compute exactly."""
    exact: Any = Fraction  # Fractions serve wherever floats do.
    return replace(
        problem,
        sources=tuple(replace(source, rows_per_s=tuple(map(exact, source.rows_per_s))) for source in problem.sources),
        tasks=tuple(replace(task, inputs=tuple(map(_edge_in_fractions, task.inputs))) for task in problem.tasks),
        configurations=tuple(replace(each, probability=exact(each.probability)) for each in problem.configurations),
    )


def _edge_in_fractions(edge: Edge) -> Edge:
    exact: Any = Fraction
    return Edge(edge.producer, exact(edge.selectivity), exact(edge.cost_s), exact(edge.fraction))


@given(st.data(), st.sampled_from(FailureModel))
@settings(max_examples=60, deadline=None)
def test_rounding_is_far_below_what_the_verifier_tolerates(data: st.DataObject, failures: FailureModel) -> None:
    problem = data.draw(problems(max_tasks=6))
    plan = data.draw(plans(problem))
    rounded, exact = Definition(problem, plan), Definition(in_fractions(problem), plan)
    assert isinstance(exact.cost(), Fraction)
    assert rounded.cost() == pytest.approx(float(exact.cost()), rel=1e-12)
    assert rounded.completeness(failures) == pytest.approx(float(exact.completeness(failures)), rel=1e-12)
    for c in range(len(problem.configurations)):
        for node in problem.nodes:
            assert rounded.reserved(c, node) == pytest.approx(float(exact.reserved(c, node)), rel=1e-12)
