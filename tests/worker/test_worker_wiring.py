"""What the log's roles are told of a topology: who reads whom, when they publish, how they treat what is late or raises."""

import itertools

import pytest

from levee.topology.convert import convert
from levee.topology.names import OperatorName, TaskId
from levee_spark.lane.query import Keyed
from levee_spark.log.wiring import TaskWiring
from levee_spark.worker.assembly import keyed, slices_of
from levee_spark.worker.wiring import times_of, wiring_of
from tests.worker.topologies import resource


@pytest.fixture(scope="module")
def tasks() -> dict[TaskId, TaskWiring]:
    return wiring_of(resource(), "uid-1").tasks


def inputs(tasks: dict[TaskId, TaskWiring], operator: str) -> list[tuple[str, ...]]:
    return [one.inputs for one in tasks.values() if one.operator == operator]


def test_sources_read_nothing(tasks: dict[TaskId, TaskWiring]) -> None:
    assert inputs(tasks, "market") == [(), ()]
    assert all(tasks[TaskId(f"market/{index}")].is_source for index in range(2))


def test_one_to_one_reads_the_task_of_the_same_number(tasks: dict[TaskId, TaskWiring]) -> None:
    assert inputs(tasks, "same") == [("market/0",), ("market/1",)]


def test_split_reads_one_task_together_with_others(tasks: dict[TaskId, TaskWiring]) -> None:
    assert inputs(tasks, "spread") == [("same/0",), ("same/0",), ("same/1",), ("same/1",)]


def test_full_reads_all_tasks_of_every_input_in_the_order_of_the_inputs(tasks: dict[TaskId, TaskWiring]) -> None:
    assert inputs(tasks, "keyed") == [("spread/0", "spread/1", "spread/2", "spread/3", "market/0", "market/1")] * 3


def test_merge_reads_several_tasks(tasks: dict[TaskId, TaskWiring]) -> None:
    assert inputs(tasks, "united") == [("keyed/0", "keyed/1", "keyed/2")]


def test_a_sink_is_a_task_that_reads_all_of_its_stream(tasks: dict[TaskId, TaskWiring]) -> None:
    assert [(task, one.inputs) for task, one in tasks.items() if one.sink] == [
        ("out/0", ("united/0",)),
        ("raw/0", ("market/0", "market/1")),
    ]


def test_tasks_publish_as_often_as_is_said_and_not_at_once(tasks: dict[TaskId, TaskWiring]) -> None:
    assert {(one.checkpoint_every, one.keep) for one in tasks.values()} == {(20, 2)}
    offsets = [one.checkpoint_offset for one in tasks.values()]
    assert all(0 <= offset < 20 for offset in offsets)
    assert len(set(offsets)) >= 7
    assert all(one != other for one, other in itertools.pairwise(offsets))


@pytest.mark.parametrize(("backlog", "every"), [("1s", 1), ("3s", 1), ("40s", 10), ("1h", 20)])
def test_a_sink_says_how_far_it_is_before_sources_wait_for_it(backlog: str, every: int) -> None:
    tasks = wiring_of(resource(f"{{period: 1s, backlog: {backlog}}}"), "uid-1").tasks
    assert {one.checkpoint_every for one in tasks.values() if one.sink} == {every}
    assert {one.checkpoint_every for one in tasks.values() if not one.sink} == {20}


def test_policies_are_those_of_the_operator(tasks: dict[TaskId, TaskWiring]) -> None:
    assert {task for task, one in tasks.items() if one.skips_errors} == {"keyed/0", "keyed/1", "keyed/2"}
    assert {task for task, one in tasks.items() if one.skips_late} == {"united/0"}
    assert {task for task, one in tasks.items() if not one.may_adopt} == {"united/0"}


def test_streams_are_found_by_topology_and_uid() -> None:
    layouts = [wiring_of(resource(), uid).layout for uid in ("uid-1", "uid-2")]
    assert layouts[0].epoch(TaskId("market/0"), 1) != layouts[1].epoch(TaskId("market/0"), 1)
    assert "tests/wired" in layouts[0].epoch(TaskId("market/0"), 1)


def test_times_follow_from_what_is_said_and_from_where_the_store_is() -> None:
    near = times_of(resource("{period: 200ms, hold: 30ms, backlog: 4s}", "file:///tmp/levee").spec)
    far = times_of(resource("{period: 1s}", "s3://bucket/levee").spec)
    assert (near.period_ms, near.hold_ms, near.backlog, near.failure_timeout_ms) == (200, 30, 20, 9_000)
    assert near.poll_ms < far.poll_ms
    assert near.resolution_ms < far.resolution_ms
    assert near.deadline_ms == 2 * (2 * 30 + 200)
    assert times_of(resource("{period: 200ms, hold: 30ms}").spec, 7.0).deadline_ms == 7_000


def test_rows_of_a_split_stream_are_shared_out_by_the_shares() -> None:
    topology = convert(resource())
    operator = next(one for one in topology.operators if one.name == "spread")
    found = [slices_of(operator, operator.inputs[0], 2, index) for index in range(4)]
    assert [(round(one.low, 9), round(one.high, 9)) for one in found if one] == [(0, 0.25), (0.25, 1), (0, 0.5), (0.5, 1)]


def test_only_parallel_tasks_of_a_keyed_stream_choose_rows() -> None:
    topology = convert(resource())
    by_name = {one.name: one for one in topology.operators}
    operator = by_name[OperatorName("keyed")]
    assert keyed(operator, operator.inputs[1], 2, ("symbol", "price")) == Keyed(("symbol", "price"), 2, 3)
    assert keyed(by_name[OperatorName("same")], by_name[OperatorName("same")].inputs[0], 1, ()) is None
    assert keyed(by_name[OperatorName("united")], by_name[OperatorName("united")].inputs[0], 0, ()) is None
