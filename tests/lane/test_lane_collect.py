"""What a lane takes out of the JVM is what PySpark's own way gives."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from levee_spark.lane.collect import collected

KINDS = """
    SELECT id, CAST(id AS INT) AS small, CAST(id AS DECIMAL(20, 3)) AS exact, CAST(id AS DOUBLE) / 3 AS real, CAST(id AS STRING) AS text,
    CAST(CAST(id AS STRING) AS BINARY) AS bytes, id % 2 = 0 AS even, IF(id % 2 = 0, NULL, id) AS gaps, DATE '2024-02-29' AS day,
    TIMESTAMP '2024-02-29 12:00:00' AS instant, array(id, NULL) AS list, map('k', id) AS map, struct(id AS a, 'b' AS b) AS pair
    FROM range(25)
"""


@pytest.mark.parametrize("rows", ["id < 25", "false"])
def test_all_kinds_of_columns_come_as_from_to_arrow(spark: SparkSession, rows: str) -> None:
    frame = spark.sql(KINDS).where(rows)
    schema = to_arrow_schema(frame.schema, error_on_duplicated_field_names_in_struct=True, timezone="UTC")
    assert collected(frame._jdf, schema).equals(frame.toArrow())


def test_what_spark_raises_is_raised(spark: SparkSession) -> None:
    frame = spark.sql("SELECT raise_error('broken in row ' || id) AS never FROM range(3)")
    with pytest.raises(Exception, match="broken in row"):
        collected(frame._jdf, to_arrow_schema(frame.schema))
