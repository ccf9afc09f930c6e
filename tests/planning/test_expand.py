"""Operators become tasks, and rows are neither lost nor doubled between them."""

import pytest

from levee.planning.completeness.model import Model
from levee.planning.expand import expand
from levee.topology.graph import (
    Configuration,
    FailureModel,
    FaultTolerance,
    Input,
    Late,
    Node,
    Operator,
    Partitioning,
    RateLevel,
    Sink,
    Source,
    Strategy,
    Target,
    Topology,
)
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId, ZoneName

NODES = tuple(Node(NodeName(f"node-{i}"), ZoneName("z"), 4.0) for i in (1, 2, 3))
SRC, OP, SINK = OperatorName("src"), OperatorName("op"), OperatorName("out")


def topology(
    partitioning: Partitioning,
    producers: int,
    consumers: int,
    shares: tuple[float, ...] | None = None,
) -> Topology:
    return Topology(
        name="t",
        namespace="default",
        sources=(
            Source(
                SRC,
                (RateLevel("low", 100.0, 1.0),),
                producers,
                (1 / producers,) * producers,
                Late.WAIT,
            ),
        ),
        operators=(
            Operator(
                OP,
                (Input(SRC, partitioning, 0.5, 0.001),),
                consumers,
                shares or (1 / consumers,) * consumers,
                False,
                Late.WAIT,
            ),
        ),
        sinks=(Sink(SINK, OP),),
        configurations=(Configuration(ConfigurationName("low"), 1.0, {SRC: 100.0}),),
        wanted=FaultTolerance(
            Strategy.COMPLETENESS,
            2,
            Target(completeness=0.5),
            FailureModel.PESSIMISTIC,
            3600.0,
        ),
        nodes=NODES,
        capacity_cores=4.0,
        pinned={"op/0": (NodeName("node-3"), NodeName("node-1"))},
    )


@pytest.mark.parametrize(
    ("partitioning", "producers", "consumers"),
    [
        (Partitioning.ONE_TO_ONE, 4, 4),
        (Partitioning.SPLIT, 2, 6),
        (Partitioning.MERGE, 6, 2),
        (Partitioning.FULL, 3, 5),
    ],
)
def test_every_partitioning_hands_on_each_row_once(partitioning: Partitioning, producers: int, consumers: int) -> None:
    read, emitted, load = Model(expand(topology(partitioning, producers, consumers), NODES)).rates
    assert read.sum() == pytest.approx(100.0)
    assert emitted.sum() == pytest.approx(50.0)
    assert load.sum() == pytest.approx(0.1)


def test_split_tasks_read_one_producer_and_merged_tasks_read_neighbours() -> None:
    split = expand(topology(Partitioning.SPLIT, 2, 4), NODES)
    assert [[edge.producer for edge in task.inputs] for task in split.tasks] == [
        ["src/0"],
        ["src/0"],
        ["src/1"],
        ["src/1"],
    ]
    merge = expand(topology(Partitioning.MERGE, 4, 2), NODES)
    assert [[edge.producer for edge in task.inputs] for task in merge.tasks] == [
        ["src/0", "src/1"],
        ["src/2", "src/3"],
    ]


def test_shares_decide_how_much_a_task_reads() -> None:
    read, *_ = Model(expand(topology(Partitioning.FULL, 2, 2, shares=(0.9, 0.1)), NODES)).rates
    assert read[0].tolist() == pytest.approx([90.0, 10.0])


def test_a_pinned_task_stands_where_the_user_put_it() -> None:
    assert expand(topology(Partitioning.FULL, 2, 2), NODES).placement[TaskId("op/0")] == (
        "node-3",
        "node-1",
    )


def test_the_tasks_before_a_sink_are_the_ones_delivered() -> None:
    assert expand(topology(Partitioning.FULL, 2, 2), NODES).sinks == ("op/0", "op/1")
