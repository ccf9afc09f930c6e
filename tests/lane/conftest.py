"""One Spark for the tests of lanes.

Called by: pytest.
"""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from levee_spark.lane.feed import feed
from levee_spark.lane.source import register
from tests.lane.lanes import Lanes
from tests.spark_session import spark

__all__ = ["spark"]


@pytest.fixture
def lanes(spark: SparkSession) -> Iterator[Lanes]:
    """In a folder of a short name: the path of a socket is limited."""
    register(spark)
    place = Path(tempfile.mkdtemp(prefix="lanes-"))
    with feed(place / "feed") as opened:
        made = Lanes(spark, opened, place)
        try:
            yield made
        finally:
            made.close()
    shutil.rmtree(place, ignore_errors=True)
