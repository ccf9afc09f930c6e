"""A function is edited: what may go on with the old state does, and what would be wrong is refused."""

from collections.abc import Callable

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from levee_spark.lane.stateful import check, where_they_differ
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


def test_a_function_with_state_may_get_another_input(lanes: Lanes) -> None:
    """Spark would take the second for the first, were they not told apart by name."""

    def counted_both(inputs: Inputs) -> DataFrame:
        return inputs["more"].select("key").unionByName(inputs["rows"].select("key")).groupBy("key").agg(f.count("*").alias("n"))

    lane = lanes(counted)
    drive(lane, range(1, 3), rows_of)
    files = tuple(data for _, data in lane.snapshot())
    lane.stop()
    other = lanes(counted_both, "more", "rows")
    other.restore(2, files)
    outputs = drive(other, range(3, 5), lambda epoch: [table(key=["b", "c"]), *rows_of(epoch)])
    assert [values(one) for one in outputs] == [[("a", 6), ("b", 4), ("c", 1)], [("a", 8), ("b", 6), ("c", 2)]]


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


def test_of_two_plans_what_differs_is_shown_with_what_is_around_it() -> None:
    columns = ", ".join(f"column_{number} as it was read" for number in range(40))
    was, now = f"Aggregate(by: [{columns}], aggregateExpressions: [sum(n)])", f"Aggregate(by: [{columns}], aggregateExpressions: [max(n)])"
    with pytest.raises(Failed) as refused:
        check(["Deduplicate(keys: [a])", was, "Join(x)"], ["Deduplicate(keys: [a])", now, "Join(y)"])
    text = str(refused.value)
    before = "Aggregate(...column_39 as it was read], aggregateExpressions: ["
    assert f"{before}sum(n)])\nand the function now has" in text
    assert f"{before}max(n)])\n" in text
    assert text.count("\n  Aggregate(...") == 2
    assert "Deduplicate" not in text and "Join" not in text
    assert len(text) < 700


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (["a" * 40], ["b" * 40], ("a" * 40, "b" * 40)),
        (["A(x)"], [], ("A(x)", "nothing more that keeps state")),
        (["A(x)"], ["A(x)", "B(y)"], ("nothing more that keeps state", "B(y)")),
        (["A(sum" + "x" * 900], ["A(max" + "x" * 900], ("A(sum" + "x" * 47 + "...", "A(max" + "x" * 47 + "...")),
    ],
)
def test_short_plans_are_shown_whole_and_long_ones_from_where_they_begin(
    before: list[str], after: list[str], told: tuple[str, str]
) -> None:
    assert where_they_differ(before, after) == told
