"""What is said where no plan keeps the promise."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from levee.planning.completeness.exact import solve
from levee.planning.completeness.explain import Overload, explain, explained, needs, worst
from levee.planning.problem import Goal, Problem
from levee.planning.result import Status
from levee.topology.graph import FailureModel
from levee.topology.names import ConfigurationName, NodeName
from tests.planning.completeness.brute import most
from tests.planning.completeness.small_problems import goals, problems
from tests.planning.completeness.test_exact import pipeline


def test_the_most_that_can_be_had_is_said() -> None:
    explanation = explain(pipeline(), Goal(0.7))
    assert explanation.overloads == ()
    assert explanation.highest == pytest.approx(2 / 3)
    assert explanation.bound == pytest.approx(2 / 3)
    assert explanation.notes == ("0.7 cannot be had under pessimistic failures: 0.6666 is the most.",)


def test_the_nodes_that_are_too_small_are_named_with_their_load() -> None:
    """Each of the two tasks needs 0.8 of a core at the high rate."""
    small = replace(pipeline(), nodes=tuple(replace(node, capacity_cores=0.7) for node in pipeline().nodes))
    explanation = explain(small, Goal(0.1))
    assert [(o.configuration, o.node, o.capacity_cores) for o in explanation.overloads] == [
        ("high", "node-0", 0.7),
        ("high", "node-1", 0.7),
    ]
    assert [o.load_cores for o in explanation.overloads] == [pytest.approx(0.8)] * 2
    assert explanation.notes[0] == "configuration high: even with one replica per task, node node-0 needs 0.8 cores and has 0.7."


def test_a_result_that_is_infeasible_is_given_the_reason_and_no_other_is() -> None:
    no, yes = solve(pipeline(), Goal(0.7)), solve(pipeline(), Goal(0.6))
    assert explained(pipeline(), Goal(0.7), no).notes == explain(pipeline(), Goal(0.7)).notes
    assert explained(pipeline(), Goal(0.6), yes) == yes


@given(problems(max_tasks=3), goals(tuple(FailureModel)))
@settings(max_examples=60, deadline=None)
def test_nodes_are_blamed_exactly_where_nothing_fits_them(problem: Problem, goal: Goal) -> None:
    explanation = explain(problem, goal)
    assert (most(problem, goal) is None) is bool(explanation.overloads)
    assert bool(explanation.notes) is (solve(problem, goal).status is Status.INFEASIBLE)
    assert all(o.load_cores >= o.capacity_cores * (1 - 1e-5) for o in explanation.overloads)


def overload(configuration: str, node: str, load: float) -> Overload:
    return Overload(ConfigurationName(configuration), NodeName(node), load, 1.0)


def test_of_each_node_the_worst_configuration_is_named_and_the_worst_node_first() -> None:
    found = [overload("low", "a", 1.1), overload("low", "b", 1.3), overload("high", "a", 2.0), overload("high", "b", 1.2)]
    assert [(over.configuration, over.node) for over in worst(found)] == [("high", "a"), ("low", "b")]


@pytest.mark.parametrize(
    ("load", "told"),
    [
        (1.5, "needs 1.5 cores and has 1"),
        (1.0002, "needs 1.0002 cores and has 1"),
        (1.0, "needs all of its 1 cores, and is full with less than that"),
    ],
)
def test_what_a_node_needs_is_told_apart_from_what_it_has(load: float, told: str) -> None:
    assert needs(overload("low", "a", load), 3) == told
