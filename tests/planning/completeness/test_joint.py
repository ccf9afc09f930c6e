"""Placement and activation together: against every placement there is, and never worse than the placement that was given."""

from dataclasses import replace
from itertools import permutations, product
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from levee.planning.completeness import exact, joint, joint_bound, joint_milp
from levee.planning.completeness.verify import verify
from levee.planning.generate.applications import application
from levee.planning.problem import Goal, Problem
from levee.planning.result import Status, Stop
from levee.topology.graph import FailureModel, Node
from levee.topology.names import NodeName, ZoneName
from tests.planning.completeness.brute import best
from tests.planning.completeness.small_problems import problems

GOALS = st.builds(Goal, st.sampled_from([0.0, 0.5, 0.8, 1.0]), st.sampled_from(list(FailureModel)), st.sampled_from([None, 500.0]))


@st.composite
def spread_problems(draw: st.DrawFn) -> Problem:
    """Problems on two or three nodes, replicas of a task apart: what joint planning chooses from."""
    problem = draw(problems(max_tasks=3, max_configurations=2))
    rooms = draw(st.lists(st.sampled_from([0.7, 1.6, 3.1]), min_size=2, max_size=3))
    nodes = tuple(Node(NodeName(f"n{n}"), ZoneName(f"z{n % 2}"), room) for n, room in enumerate(rooms))
    names = [node.name for node in nodes]
    return replace(problem, nodes=nodes, placement={task.id: (names[0], names[1]) for task in problem.tasks})


def best_of_all_placements(problem: Problem, goal: Goal) -> float | None:
    names = [node.name for node in problem.nodes]
    pairs = [pair for pair in permutations(names, problem.replicas) if list(pair) == sorted(pair)]
    found = []
    for chosen in product(pairs, repeat=len(problem.tasks)):
        placed = replace(problem, placement={task.id: pair for task, pair in zip(problem.tasks, chosen, strict=True)})
        if (plan := best(placed, goal)) is not None:
            found.append(plan.objective)
    return min(found, default=None)


@settings(max_examples=40)
@given(spread_problems(), GOALS)
def test_small_problems_get_the_best_of_all_placements(problem: Problem, goal: Goal) -> None:
    expected = best_of_all_placements(problem, goal)
    found = joint.solve(problem, goal)
    assert (found.objective is None) == (expected is None)
    if expected is not None and found.plan is not None:
        assert found.status is Status.OPTIMAL
        assert found.objective == pytest.approx(expected, rel=1e-5)
        assert not verify(problem, found.plan, goal=goal if goal.penalty is None else None, moved=True)


@settings(max_examples=40)
@given(spread_problems(), GOALS)
def test_no_placement_is_cheaper_than_the_bound(problem: Problem, goal: Goal) -> None:
    expected = best_of_all_placements(problem, goal)
    assume(expected is not None)
    bound = joint_bound.lower_bound(problem, goal, Stop())
    assert expected is not None
    assert bound is not None
    assert bound <= expected * (1 + 1e-6)


@pytest.mark.parametrize("index", range(4))
def test_moving_replicas_is_never_worse_than_the_given_placement(index: int) -> None:
    problem, goal = application(Random(index), hosts=5, tasks=25), Goal(0.7)
    assert not joint_milp.worth_solving(problem)
    given_placement, moved = exact.solve(problem, goal), joint.solve(problem, goal)
    if given_placement.objective is not None:
        assert moved.objective is not None
        assert moved.objective <= given_placement.objective * (1 + 1e-6)
    if moved.plan is not None:
        assert not verify(problem, moved.plan, goal=goal, moved=True)
        assert moved.bound is not None
        assert moved.objective is not None
        assert moved.bound <= moved.objective


def test_pinned_tasks_stay_where_they_are() -> None:
    problem = application(Random(3), hosts=4, tasks=16)
    pinned = frozenset(task.id for task in problem.tasks[:5])
    found = joint.solve(problem, Goal(0.5), pinned=pinned)
    assert found.plan is not None
    assert all(sorted(found.plan.placement[task]) == sorted(problem.placement[task]) for task in pinned)
