"""A store with streams in it, and a Spark that knows the format `levee` of notebooks.

Called by: pytest.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from levee_spark.notebook import register
from tests.notebook.streams import Streams
from tests.spark_session import spark

__all__ = ["spark"]


@pytest.fixture
def streams(tmp_path: Path) -> Streams:
    return Streams(tmp_path / "store")


EVOLUTION = "spark.sql.streaming.queryEvolution.enableSourceEvolution"


@pytest.fixture
def notebook(spark: SparkSession) -> Iterator[SparkSession]:
    """As a user's is: sources need no names."""
    before = spark.conf.get(EVOLUTION)
    assert before is not None
    spark.conf.set(EVOLUTION, "false")
    register(spark)
    yield spark
    spark.conf.set(EVOLUTION, before)
