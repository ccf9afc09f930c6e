"""One Spark for the tests of lanes.

Called by: pytest.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.lane.lanes import Lanes
from tests.spark_session import spark

__all__ = ["spark"]


@pytest.fixture
def lanes(spark: SparkSession, tmp_path: Path) -> Iterator[Lanes]:
    made = Lanes(spark, tmp_path)
    yield made
    made.close()
