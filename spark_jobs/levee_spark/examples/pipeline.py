"""The two operators of the smallest example: each row is read, and each row is labelled.

Why: the shortest chain with something to compute, over Spark's own `rate` source.
Called by: the workers of the topology `pipeline`.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as f


def clean(inputs: dict[str, DataFrame]) -> DataFrame:
    """The reading in degrees: the rate source only counts."""
    return inputs["readings"].select("value", ((f.col("value") % 400 - 50) / 10).alias("celsius"))


def enrich(inputs: dict[str, DataFrame]) -> DataFrame:
    return inputs["pe1"].select("value", "celsius", (f.col("celsius") < 0).alias("frost"))
