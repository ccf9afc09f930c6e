"""The closing epoch of a bounded stream: whatever waits for its time comes out, once, and the same whoever computes it."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from levee_spark.lane import closing
from levee_spark.lane.query import Output
from tests.lane.lanes import PERIOD_MS, Inputs, Lanes, drive, values
from tests.lane.test_lane_state import PROVIDER, ROCKSDB, updates, windows

LAST = 5  # with rows
CLOSING = LAST + 1


def numbers(epoch: int) -> list[pa.Table]:
    some = list(range(3 * epoch, 3 * epoch + 3)) if epoch <= LAST else []
    return [pa.table({"key": pa.array([f"k{value % 2}" for value in some], pa.string()), "value": pa.array(some, pa.int64())})]


def both(epoch: int) -> list[pa.Table]:
    return [*numbers(epoch), *numbers(epoch + 1 if epoch < LAST else CLOSING)]


def unmatched(inputs: Inputs) -> DataFrame:
    """Of an outer join, what has found nothing comes out when its time has passed."""
    left = inputs["rows"].withWatermark("_epoch_time", "1 minute").select("value", f.col("_epoch_time").alias("at"))
    right = inputs["others"].withWatermark("_epoch_time", "1 minute").select(f.col("value").alias("other"), f.col("_epoch_time").alias("t"))
    near = f.expr("value = other and t between at - interval 1 minute and at + interval 1 minute")
    return left.join(right, near, "left_outer").select("value", "other")


def windows_of_windows(inputs: Inputs) -> DataFrame:
    late = inputs["rows"].withWatermark("_epoch_time", "1 second")
    inner = late.groupBy(f.window("_epoch_time", "2 seconds")).agg(f.sum("value").alias("n"))
    outer = inner.groupBy(f.window(f.window_time("window"), "1 minute"))
    return outer.agg(f.sum("n").alias("total"), f.count("*").alias("inner")).drop("window")


def timeouts(inputs: Inputs) -> DataFrame:
    """Sums up, and says so when an hour has passed."""

    def total(key: tuple[str], frames: Iterator[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
        if state.hasTimedOut:
            yield pd.DataFrame({"key": [key[0]], "total": [state.get[0]]})
            state.remove()
            return
        state.update(((state.get[0] if state.exists else 0) + sum(int(frame["value"].sum()) for frame in frames),))
        state.setTimeoutTimestamp(3_600_000)

    late = inputs["rows"].withWatermark("_epoch_time", "1 second").groupBy("key")
    return late.applyInPandasWithState(total, "key string, total long", "n long", "append", GroupStateTimeout.EventTimeTimeout)


def run(lanes: Lanes, function: Callable[[Inputs], DataFrame], rows: Callable[[int], Sequence[pa.Table]]) -> list[Output]:
    """All epochs, and two after the closing one."""
    lane = lanes(function, *(("rows", "others") if len(rows(1)) == 2 else ("rows",)))
    before = drive(lane, range(1, CLOSING), rows)
    closed = lane.compute(CLOSING, PERIOD_MS * CLOSING, rows(CLOSING), closing=True)
    return [*before, closed, *drive(lane, range(CLOSING + 1, CLOSING + 3), rows)]


@pytest.fixture(autouse=True)
def _rocksdb(spark: SparkSession) -> Iterator[None]:
    before = spark.conf.get(PROVIDER)
    spark.conf.set(PROVIDER, ROCKSDB)
    yield
    spark.conf.set(PROVIDER, str(before))


def test_all_windows_come_out_and_nothing_comes_after(lanes: Lanes) -> None:
    outputs = run(lanes, windows, numbers)
    found = [row for output in outputs for row in values(output)]
    assert sum(row[2] for row in found) == sum(range(3, 3 * LAST + 3))  # type: ignore[misc]
    assert len(found) == len({row[:2] for row in found})
    assert values(outputs[CLOSING - 1])
    assert not [row for output in outputs[CLOSING:] for row in values(output)]


def test_what_an_outer_join_has_not_matched_comes_out(lanes: Lanes) -> None:
    outputs = run(lanes, unmatched, both)
    assert values(outputs[CLOSING - 1]) == [(value, None) for value in (3, 4, 5)]


def test_windows_of_windows_come_out_together(lanes: Lanes) -> None:
    found = [row for output in run(lanes, windows_of_windows, numbers) for row in values(output)]
    assert [row[0] for row in found] == [sum(range(3, 3 * LAST + 3))]


def test_timeouts_that_are_not_due_for_long_are_told(lanes: Lanes) -> None:
    outputs = run(lanes, timeouts, numbers)
    evens, odds = (sum(n for n in range(3, 3 * LAST + 3) if n % 2 == rest) for rest in (0, 1))
    assert values(outputs[CLOSING - 1]) == [("k0", evens), ("k1", odds)]


def test_a_function_without_state_closes_like_any_other_epoch(lanes: Lanes) -> None:
    outputs = run(lanes, lambda inputs: inputs["rows"].select("value"), numbers)
    assert [output.table.num_rows for output in outputs] == [3] * LAST + [0] * 3


def test_an_aggregation_that_waits_for_nothing_has_nothing_to_let_out(lanes: Lanes) -> None:
    outputs = run(lanes, updates, numbers)
    assert [output.table.num_rows for output in outputs] == [2] * LAST + [0] * 3


def test_a_fork_that_closes_gives_the_same(lanes: Lanes) -> None:
    first, second = lanes(windows), lanes(windows)
    drive(first, range(1, CLOSING), numbers)
    second.restore(LAST, [data for _, data in first.snapshot()])
    closed = [lane.compute(CLOSING, PERIOD_MS * CLOSING, numbers(CLOSING), closing=True) for lane in (first, second)]
    assert closed[0].digest == closed[1].digest
    third = lanes(windows)
    third.restore(CLOSING, [data for _, data in first.snapshot()])
    assert drive(third, [CLOSING + 1], numbers)[0].table.num_rows == 0


def test_a_planned_batch_keeps_what_the_one_before_says(tmp_path: Path) -> None:
    (tmp_path / "offsets").mkdir()
    told = 'v2\n{"batchWatermarkMs":7,"conf":{"a":"b"}}\ninput_0:{"epoch": 41}\ninput_1:{"epoch": 41}'
    (tmp_path / "offsets" / "3").write_text(told)
    closing.write(tmp_path, 4, 42)
    version, metadata, *offsets = (tmp_path / "offsets" / "4").read_text().split("\n")
    assert (version, offsets) == ("v2", ['input_0:{"epoch": 42}', 'input_1:{"epoch": 42}'])
    assert metadata == f'{{"batchWatermarkMs": {closing.FAR_MS}, "conf": {{"a": "b"}}}}'
