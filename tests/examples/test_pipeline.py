"""The smallest example."""

from typing import TYPE_CHECKING

from levee_spark.examples import pipeline

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_each_reading_is_read_and_labelled(spark: "SparkSession") -> None:
    readings = spark.range(0, 100).withColumnRenamed("id", "value")
    labelled = pipeline.enrich({"pe1": pipeline.clean({"readings": readings})}).toArrow()
    assert labelled.num_rows == 100
    assert labelled.slice(49, 2).to_pylist() == [
        {"value": 49, "celsius": -0.1, "frost": True},
        {"value": 50, "celsius": 0.0, "frost": False},
    ]
