"""A function is edited: what may go on with the old state does, and what would be wrong is refused."""

from collections.abc import Callable

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from levee_spark.lane.trouble import Failed
from tests.lane.lanes import Inputs, Lanes, drive, table, values


def counted(inputs: Inputs) -> DataFrame:
    return inputs["rows"].groupBy("key").agg(f.count("*").alias("n"))


def renamed(inputs: Inputs) -> DataFrame:
    """What lies before and after the state may change."""
    some = inputs["rows"].where("value < 100").withColumn("more", f.col("value") + 1)
    return some.groupBy("key").agg(f.count("*").alias("count")).withColumn("twice", 2 * f.col("count"))


def summed(inputs: Inputs) -> DataFrame:
    """Of the same types: Spark accepts that."""
    return inputs["rows"].groupBy("key").agg(f.sum("value").alias("n"))


def averaged(inputs: Inputs) -> DataFrame:
    return inputs["rows"].groupBy("key").agg(f.avg("value").alias("n"))


def counted_otherwise(inputs: Inputs) -> DataFrame:
    return inputs["rows"].groupBy(f.upper("key").alias("key")).agg(f.count("*").alias("n"))


def passed(inputs: Inputs) -> DataFrame:
    return inputs["rows"]


def windows(seconds: int) -> Callable[[Inputs], DataFrame]:
    def made(inputs: Inputs) -> DataFrame:
        late = inputs["rows"].withWatermark("_epoch_time", "1 second")
        return late.groupBy(f.window("_epoch_time", f"{seconds} seconds"), "key").count()

    return made


def distinct_by(*columns: str) -> Callable[[Inputs], DataFrame]:
    return lambda inputs: inputs["rows"].dropDuplicates(list(columns))


def rows_of(epoch: int) -> list[pa.Table]:
    return [table(key=["a", "a", "b"], value=[epoch, 2, 3])]


def edited(lanes: Lanes, before: Callable[[Inputs], DataFrame], after: Callable[[Inputs], DataFrame]) -> list[tuple[object, ...]]:
    lane = lanes(before)
    drive(lane, range(1, 3), rows_of)
    files = tuple(data for _, data in lane.snapshot())
    lane.stop()
    other = lanes(after)
    other.restore(2, files)
    return values(drive(other, [3], rows_of)[0])


def test_what_lies_before_and_after_the_state_may_change(lanes: Lanes) -> None:
    assert edited(lanes, counted, renamed) == [("a", 6, 12), ("b", 3, 6)]


def test_a_function_without_state_may_get_one(lanes: Lanes) -> None:
    assert edited(lanes, passed, counted) == [("a", 2), ("b", 1)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(counted, summed, id="another aggregate of the same type"),
        pytest.param(counted, averaged, id="another aggregate"),
        pytest.param(counted, counted_otherwise, id="another key of the same type"),
        pytest.param(counted, passed, id="none any more"),
        pytest.param(windows(2), windows(4), id="windows of another width"),
        pytest.param(distinct_by("key", "value"), distinct_by("key"), id="fewer columns to tell rows apart"),
    ],
)
def test_a_state_that_means_something_else_is_refused(
    lanes: Lanes, before: Callable[[Inputs], DataFrame], after: Callable[[Inputs], DataFrame]
) -> None:
    with pytest.raises(Failed, match="its state cannot be kept"):
        edited(lanes, before, after)
