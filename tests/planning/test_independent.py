"""What a plan keeps on average when nodes fail on their own."""

from random import Random

import pytest

from levee.planning.completeness.model import Model
from levee.planning.independent import expected_completeness
from levee.planning.problem import Edge, Plan, Problem, SourceTask, Task
from levee.topology.graph import Configuration, Late, Node
from levee.topology.names import (
    ConfigurationName,
    NodeName,
    OperatorName,
    TaskId,
    ZoneName,
)

SRC, OP = OperatorName("src"), OperatorName("op")


def one_task(nodes: int, active: frozenset[int]) -> tuple[Model, Plan]:
    names = tuple(NodeName(f"n{i}") for i in range(nodes))
    problem = Problem(
        sources=(SourceTask(TaskId("src/0"), SRC, (10.0,)),),
        tasks=(Task(TaskId("op/0"), OP, (Edge(TaskId("src/0"), 1.0, 0.01),), Late.SKIP),),
        configurations=(Configuration(ConfigurationName("c0"), 1.0, {SRC: 10.0}),),
        nodes=tuple(Node(name, ZoneName("z"), 1.0) for name in names),
        placement={TaskId("op/0"): names[:2]},
        replicas=2,
    )
    return Model(problem), Plan(((active,),), problem.placement)


def test_one_active_replica_keeps_what_its_node_keeps() -> None:
    expected = expected_completeness(*one_task(3, frozenset({1})), 0.1, Random(0))
    assert expected.completeness == pytest.approx(0.9)
    assert expected.half_width == 0.0


def test_two_active_replicas_are_lost_only_together() -> None:
    assert expected_completeness(*one_task(3, frozenset({0, 1})), 0.1, Random(0)).completeness == pytest.approx(0.99)


def test_many_nodes_are_sampled_and_the_interval_covers_the_truth() -> None:
    expected = expected_completeness(*one_task(40, frozenset({0, 1})), 0.3, Random(7))
    assert abs(expected.completeness - 0.91) <= 2 * expected.half_width
    assert 0 < expected.half_width < 0.02
