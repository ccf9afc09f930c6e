"""A function that emits other columns under the same name is refused before anything is computed."""

import pytest
from pyspark.sql import DataFrame

from levee_spark.lane.query import Lane
from levee_spark.lane.trouble import Failed
from tests.lane.lanes import Inputs, Lanes, drive, table, values


def prices(inputs: Inputs) -> DataFrame:
    return inputs["rows"].selectExpr("key", "value as price")


def renamed(inputs: Inputs) -> DataFrame:
    return inputs["rows"].selectExpr("key", "value as cost")


def typed(inputs: Inputs) -> DataFrame:
    return inputs["rows"].selectExpr("key", "cast(value as double) as price")


def turned(inputs: Inputs) -> DataFrame:
    return inputs["rows"].selectExpr("value as price", "key")


def nullable(inputs: Inputs) -> DataFrame:
    return inputs["rows"].selectExpr("key", "if(value > 1, value, null) as price")


def edited(lanes: Lanes, function: object, name: str) -> Lane:
    """It begins where `prices` has left a checkpoint."""
    before, after = lanes(prices), lanes(function)  # type: ignore[arg-type]
    before.function_name, after.function_name = "mine:prices", name
    drive(before, [1, 2], lambda epoch: [table(key=["a"], value=[epoch])])
    after.restore(2, [content for _, content in before.snapshot()])
    return after


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (renamed, "'price' is missing, 'cost' is new"),
        (typed, "'price' was int64 and is double"),
        (turned, "their order is another"),
    ],
)
def test_columns_that_change_under_the_same_name_are_refused_and_named(lanes: Lanes, function: object, told: str) -> None:
    with pytest.raises(Failed) as raised:
        edited(lanes, function, "mine:prices").compute(3, 0, [table(key=["a"], value=[3])])
    assert told in str(raised.value)
    assert "expects\n  key string, price int64\n" in str(raised.value)
    assert str(raised.value).splitlines()[-1].endswith(f" in {function.__name__}")  # type: ignore[attr-defined]


def test_another_function_may_emit_what_it_likes_and_nulls_where_there_were_none(lanes: Lanes) -> None:
    assert values(edited(lanes, renamed, "mine:costs").compute(3, 0, [table(key=["a"], value=[3])])) == [("a", 3)]
    assert values(edited(lanes, nullable, "mine:prices").compute(3, 0, [table(key=["a"], value=[3])])) == [("a", 3)]


def test_what_was_emitted_is_known_from_the_running_lane_too(lanes: Lanes) -> None:
    lane = lanes(prices)
    lane.function_name = "mine:prices"
    lane.compute(1, 0, [table(key=["a"], value=[1])])
    lane.stop()
    lane.move()
    lane.function = renamed
    with pytest.raises(Failed, match="'cost' is new"):
        lane.compute(2, 0, [table(key=["a"], value=[2])])


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (("key", "key", "value"), "'key', 'key'"),
        (("key", "value", "value AS KEY"), "'key', 'KEY'"),
        (("named_struct('a', 1, 'a', value) AS one",), "Ambiguous reference to the field `a`"),
    ],
)
def test_columns_that_have_a_name_in_common_are_refused_and_named(lanes: Lanes, columns: tuple[str, ...], told: str) -> None:
    """Whoever reads a row by name would keep one of them, or none."""
    with pytest.raises(Failed) as raised:
        lanes(lambda inputs: inputs["rows"].selectExpr(*columns)).compute(1, 0, [table(key=["a"], value=[1])])
    assert told in str(raised.value)
    assert str(raised.value).splitlines()[-1].endswith(" in <lambda>")
