"""From epochs of tasks to one table for each stream, with this task's part of its rows; and what is told when the function fails."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import cast

import pyarrow as pa
import pytest

from levee.topology.names import TaskId
from levee_spark.lane import rows
from levee_spark.lane.emitting import Emitted
from levee_spark.lane.query import Lane, LaneInput, Output
from levee_spark.lane.trouble import Crashed, Failed, Trouble
from levee_spark.log.requests import Compute, Computed, Done, Files, Raised, Restore, Snapshot
from levee_spark.log.values import EpochObject, Kind, Manifest
from levee_spark.worker.assembly import end
from levee_spark.worker.crashes import EpochBroke
from levee_spark.worker.operating import Operating, Slice, StreamPart, sample

LEFT, RIGHT = StreamPart((TaskId("left/0"), TaskId("left/1"))), StreamPart((TaskId("right/0"),))


@dataclass
class HeldLane:
    """Keeps what it is given, and gives back the first table."""

    inputs: tuple[LaneInput, ...] = (LaneInput("left"), LaneInput("right"))
    function_name: str = "mine:function"
    emitted: Emitted | None = None
    computed: list[tuple[int, int, list[pa.Table]]] = field(default_factory=list)
    restored: list[tuple[int, tuple[bytes, ...]]] = field(default_factory=list)
    fails: str = ""
    broken: Trouble | None = None
    closed: bool = False
    spread: int = 0
    stateless: bool = False

    def is_stateless(self) -> bool:
        return self.stateless

    def close(self) -> None:
        self.closed = True

    def compute(self, epoch: int, time_ms: int, tables: Sequence[pa.Table], *, closing: bool) -> Output:
        self.computed.append((epoch, time_ms, list(tables)))
        if self.broken is not None:
            raise self.broken
        if self.fails:
            raise Failed(self.fails)
        return Output(tables[0], "digest")

    def restore(self, epoch: int, files: tuple[bytes, ...]) -> None:
        self.restored.append((epoch, files))

    def snapshot(self) -> tuple[tuple[str, bytes], ...]:
        return (("lane", b"{}"),)


def numbers(*values: int) -> pa.Table:
    return pa.table({"n": pa.array(values, pa.int64())})


def epoch(table: pa.Table | None, kind: Kind = Kind.FINAL, time_ms: int = 1_000) -> EpochObject:
    count = table.num_rows if table is not None else 0
    return EpochObject(Manifest(5, kind, count, "", "", 0, "somebody", time_ms), rows.encode(table) if table is not None else None)


def operating(*streams: StreamPart, lane: HeldLane | None = None) -> tuple[Operating, HeldLane]:
    held = lane or HeldLane()
    made = Operating(cast(Lane, held), streams or (LEFT, RIGHT), columns)
    return made, held


def columns(task: TaskId, _epoch: int) -> pa.Schema:
    return numbers().schema if task == "left/0" else pa.schema([("m", pa.string())])


def given(held: HeldLane) -> list[dict[str, list[object]]]:
    return [table.to_pydict() for table in held.computed[-1][2]]


def test_a_stream_of_several_tasks_is_one_table_and_the_latest_time_counts() -> None:
    work, held = operating()
    answer = work(Compute(5, (epoch(numbers(1, 2)), epoch(numbers(3)), epoch(pa.table({"m": ["x"]}), time_ms=1_250))))
    assert isinstance(answer, Computed)
    assert rows.decode(answer.payload) == numbers(1, 2, 3)  # type: ignore[arg-type]
    assert (answer.rows, answer.digest) == (3, "digest")
    assert given(held) == [{"n": [1, 2, 3]}, {"m": ["x"]}]
    assert held.computed[0][:2] == (5, 1_250)


def test_dropped_inputs_are_no_rows_with_the_columns_they_would_have() -> None:
    work, held = operating()
    work(Compute(5, (epoch(numbers(1)), epoch(numbers(2)), epoch(pa.table({"m": ["x"]}))), dropped=True))
    assert given(held) == [{"n": []}, {"m": []}]


@pytest.mark.parametrize("kind", [Kind.SKIPPED, Kind.FAILED])
def test_an_input_that_was_sealed_without_rows_counts_as_none(kind: Kind) -> None:
    work, held = operating()
    work(Compute(5, (epoch(None, kind), epoch(numbers(2)), epoch(None, kind))))
    assert given(held) == [{"n": [2]}, {"m": []}]


def test_rows_that_come_in_parts_are_put_together() -> None:
    work, held = operating()
    parts = EpochObject(epoch(numbers(1, 2)).manifest, (rows.encode(numbers(1)), rows.encode(numbers(2))))
    work(Compute(5, (parts, epoch(numbers(3)), epoch(pa.table({"m": ["x"]})))))
    assert given(held)[0] == {"n": [1, 2, 3]}


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100])
def test_the_slices_of_a_split_stream_are_all_of_its_rows_and_each_once(count: int) -> None:
    bounds = [0.0, 0.1, 0.4, 0.75, 1.0]
    table = numbers(*range(count))
    found = [Slice(low, high).of(table).to_pydict()["n"] for low, high in itertools.pairwise(bounds)]
    assert [value for part in found for value in part] == list(range(count))


@pytest.mark.parametrize("stateless", [False, True])
def test_the_log_hears_whether_the_function_keeps_anything(*, stateless: bool) -> None:
    work, _ = operating(StreamPart((TaskId("left/0"),)), lane=HeldLane((LaneInput("left"),), stateless=stateless))
    answer = work(Compute(5, (epoch(numbers(1)),)))
    assert isinstance(answer, Computed) and answer.stateless is stateless


def test_a_task_computes_only_its_slice() -> None:
    work, held = operating(StreamPart((TaskId("left/0"),), Slice(0.5, 1.0)), lane=HeldLane((LaneInput("left"),)))
    work(Compute(5, (epoch(numbers(1, 2, 3, 4)),)))
    assert given(held) == [{"n": [3, 4]}]


def test_what_a_function_raised_is_told_with_the_epoch_and_a_sample_of_its_input() -> None:
    work, _ = operating(lane=HeldLane(fails="ValueError: no\n  job.py:3 in f: raise"))
    answer = work(Compute(5, (epoch(numbers(1, 2)), epoch(numbers(3, 4, 5)), epoch(pa.table({"m": ["x" * 1_000]})))))
    assert isinstance(answer, Raised)
    lines = answer.error.splitlines()
    assert lines[:2] == ["epoch 5: ValueError: no", "  job.py:3 in f: raise"]
    assert lines[2:6] == ["the first 3 of 5 rows of 'left' in this epoch:", '  {"n": 1}', '  {"n": 2}', '  {"n": 3}']
    assert lines[6] == "the first 1 of 1 rows of 'right' in this epoch:"
    assert len(lines[7]) < 500


def test_a_sample_shows_rows_as_levee_tail_does() -> None:
    at = pa.array([datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)], pa.timestamp("us", "UTC"))
    table = pa.table({"at": at, "name": ["é"], "price": [float("nan")], "of": pa.array([{"none": None}])})
    assert sample("clicks", table).splitlines() == [
        "the first 1 of 1 rows of 'clicks' in this epoch:",
        '  {"at": "2026-01-02T03:04:05.000000Z", "name": "é", "price": "NaN", "of": {}}',
    ]


def test_trouble_of_the_machine_is_never_told_as_the_functions_however_often_it_comes() -> None:
    work, _ = operating(lane=HeldLane(broken=Trouble("No space left on device")))
    for _ in range(5):
        with pytest.raises(EpochBroke, match="epoch 5: not computed, and to be tried again: No space left"):
            work(Compute(5, (epoch(numbers(1)), epoch(numbers(2)), epoch(numbers(3)))))


def test_a_process_that_crashes_three_times_at_an_epoch_is_the_functions_doing_and_other_epochs_do_not_count() -> None:
    work, _ = operating(lane=HeldLane(broken=Crashed("Python worker exited unexpectedly")))
    inputs = (epoch(numbers(1)), epoch(numbers(2)), epoch(numbers(3)))
    for number in (5, 5, 6):
        with pytest.raises(EpochBroke):
            work(Compute(number, inputs))
    answer = work(Compute(5, inputs))
    assert isinstance(answer, Raised)
    assert "3 times at this epoch, so it is taken to be the function's doing: Python worker exited" in answer.error


def test_states_are_handed_to_and_from_the_lane() -> None:
    work, held = operating()
    assert isinstance(work(Restore(4, (b"a", memoryview(b"b")))), Done)
    assert held.restored == [(4, (b"a", b"b"))]
    answer = work(Snapshot())
    assert isinstance(answer, Files)
    assert answer.files == (("lane", b"{}"),)


def test_whose_function_is_replaced_leaves_nothing_running() -> None:
    """Queries of the next one have the same names."""
    work, held = operating()
    end(work)
    assert held.closed


@pytest.mark.parametrize(("begins", "files", "knows"), [(0, (), True), (4, (), False), (0, (b"lane",), False)])
def test_whoever_begins_without_a_checkpoint_must_emit_what_the_first_epoch_has(
    begins: int, files: tuple[bytes, ...], *, knows: bool
) -> None:
    _, held = operating()
    work = Operating(cast(Lane, held), (LEFT, RIGHT), columns, begun=lambda: numbers().schema)
    work(Restore(begins, files))
    assert held.emitted == (Emitted("mine:function", numbers().schema) if knows else None)
