"""The digest of an epoch: the same for the same rows in any order, another for anything else."""

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from levee_spark.lane import rows

Row = tuple[object, ...]
PLAIN = "name string, number long, price double"
NESTED = "tags map<string, array<int>>, pair struct<a: int, b: int>, list array<string>, more array<int>"
ROWS: list[Row] = [("a", 1, 1.5), ("b", 2, -0.5), (None, 3, None), ("a", 1, 1.5)]


def digest(spark: SparkSession, data: list[Row], schema: str = PLAIN) -> str:
    frame = spark.createDataFrame(data, schema).withColumns({rows.EPOCH: f.lit(1), rows.EPOCH_TIME: f.current_timestamp()})
    return rows.digested(rows.emitted(frame).toArrow())[1]


def nested(*, tags: object = None, pair: object = (1, 2), items: object = ("a",), more: object = ()) -> Row:
    return tags, pair, items, more


def test_the_order_of_rows_does_not_count(spark: SparkSession) -> None:
    assert digest(spark, ROWS) == digest(spark, ROWS[::-1])


@pytest.mark.parametrize(
    "others",
    [
        pytest.param(ROWS[:-1], id="a row that was there twice"),
        pytest.param([*ROWS, ROWS[0]], id="a row that is there three times"),
        pytest.param([*ROWS[:2], (None, None, 3.0), ROWS[3]], id="a null in another column"),
        pytest.param([*ROWS[:2], ("", 3, None), ROWS[3]], id="nothing instead of null"),
        pytest.param([("b", 1, 1.5), ("a", 2, -0.5), *ROWS[2:]], id="values of two rows exchanged"),
        pytest.param([], id="none"),
    ],
)
def test_other_rows_have_another_digest(spark: SparkSession, others: list[Row]) -> None:
    assert digest(spark, ROWS) != digest(spark, others)


def test_the_order_of_a_map_s_entries_does_not_count_and_its_entries_do(spark: SparkSession) -> None:
    one, same, other = ([nested(tags=tags)] for tags in ({"x": [1], "y": None}, {"y": None, "x": [1]}, {"x": None, "y": [1]}))
    assert digest(spark, one, NESTED) == digest(spark, same, NESTED)
    assert digest(spark, one, NESTED) != digest(spark, other, NESTED)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(nested(pair=(None, 1)), nested(pair=(1, None)), id="a null elsewhere in a struct"),
        pytest.param(nested(items=[None, "a"]), nested(items=["a", None]), id="a null elsewhere in an array"),
        pytest.param(nested(items=[]), nested(items=None), id="an empty array and none"),
        pytest.param(nested(items=["1"], more=[2, 3]), nested(items=["1", "2"], more=[3]), id="elements in another array"),
        pytest.param(nested(pair=(None, None)), nested(pair=None), id="a struct of nulls and none"),
    ],
)
def test_where_values_stand_within_values_counts(spark: SparkSession, one: Row, other: Row) -> None:
    assert digest(spark, [one], NESTED) != digest(spark, [other], NESTED)


def test_rows_survive_being_encoded() -> None:
    for table in (
        pa.table({"a": [1, None], "b": [["x"], []]}),
        pa.table({"a": pa.array([], pa.int32())}),
        pa.table({"a": list(range(9_999))}),
    ):
        assert rows.decode(rows.encode(table)) == table
