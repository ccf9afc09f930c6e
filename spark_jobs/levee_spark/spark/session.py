"""The Spark session that all replicas of a worker share.

Called by: worker.main; tests and benchmarks.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from levee_spark.spark import gateway
from levee_spark.spark.settings import Size, flags, settings


def open_session(size: Size, extra: Mapping[str, str], log: Path | None = None) -> tuple[SparkSession, gateway.Jvm]:
    """One a process: PySpark knows only one JVM."""
    wanted = settings(size, extra)
    jvm = gateway.start(flags(size), wanted, log)
    os.environ.update(PYSPARK_GATEWAY_PORT=str(jvm.port), PYSPARK_GATEWAY_SECRET=jvm.secret, PYSPARK_PYTHON=sys.executable)
    builder = SparkSession.builder.config(map=dict(wanted))
    return builder.getOrCreate(), jvm
