"""Rows of all kinds of columns pass through a lane as they are."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from levee_spark.lane import query
from tests.lane.lanes import Lanes, drive, table, values

KINDS = """
    SELECT id, CAST(id AS INT) AS small, CAST(id AS SMALLINT) AS smaller, CAST(id AS TINYINT) AS tiny, CAST(id AS FLOAT) AS single,
    CAST(id AS DECIMAL(20, 3)) AS exact, CAST(id AS DOUBLE) / 3 AS real, CAST(id AS STRING) AS text,
    CAST(CAST(id AS STRING) AS BINARY) AS bytes, id % 2 = 0 AS even, IF(id % 2 = 0, NULL, id) AS gaps,
    DATE '2024-02-29' AS day, TIMESTAMP '2024-02-29 12:00:00' AS instant,
    IF(id = 3, NULL, array(id, NULL)) AS list, map('k', IF(id = 4, NULL, id)) AS map, struct(id AS a, IF(id = 5, NULL, 'b') AS b) AS pair,
    array(map('k', struct(id AS a, array(CAST(id AS DECIMAL(9, 2)), NULL) AS deep))) AS nested, CAST(NULL AS STRING) AS none
    FROM range(25)
"""


@pytest.mark.parametrize("rows", ["id < 25", "false"])
def test_all_kinds_of_columns_pass_through_as_they_are(lanes: Lanes, spark: SparkSession, rows: str) -> None:
    given = spark.sql(KINDS).where(rows).toArrow()
    [output] = drive(lanes(lambda inputs: inputs["rows"]), [1], lambda _: [given])
    assert output.table.schema.names == given.schema.names
    assert output.table.to_pylist() == given.to_pylist()
    assert output.table.schema.types == given.schema.types


DAY, SECOND = datetime(2024, 2, 29, tzinfo=UTC), datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
OTHERS = [
    (pa.large_string(), ["a", None], ["a", None]),
    (pa.large_binary(), [b"a", None], [b"a", None]),
    (pa.binary(1), [b"a", None], [b"a", None]),
    (pa.dictionary(pa.int32(), pa.string()), ["a", None, "a"], ["a", None, "a"]),
    (pa.large_list(pa.large_string()), [["a", None], None], [["a", None], None]),
    (pa.list_(pa.int64(), 2), [[1, 2], None], [[1, 2], None]),
    (pa.timestamp("ms", "Europe/Berlin"), [DAY, None], [DAY, None]),
    (pa.timestamp("s"), [DAY.replace(tzinfo=None)], [DAY]),
    (pa.timestamp("us"), [DAY.replace(tzinfo=None)], [DAY]),
    (pa.timestamp("ns", "UTC"), [SECOND], [SECOND]),
    (pa.decimal128(9, 2), [Decimal("1.20")], [Decimal("1.20")]),
]


@pytest.mark.parametrize(("kind", "given", "expected"), OTHERS, ids=str)
def test_what_arrow_holds_in_another_way_comes_out_in_spark_s(
    lanes: Lanes, kind: pa.DataType, given: Sequence[object], expected: Sequence[object]
) -> None:
    [output] = drive(lanes(lambda inputs: inputs["rows"]), [1], lambda _: [pa.table({"value": pa.array(given, kind)})])
    assert output.table["value"].to_pylist() == expected


def test_an_epoch_of_several_partitions_has_every_row_once(lanes: Lanes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "LARGE_ROWS", 1)
    many = table(value=list(range(150_000)))
    lane = lanes(lambda inputs: inputs["rows"])
    for output in drive(lane, [1, 2], lambda _: [many]):
        assert values(output) == sorted(((value,) for value in range(150_000)), key=repr)
