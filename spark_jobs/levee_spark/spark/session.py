"""The Spark session that all replicas of a worker share.

Called by: worker.main; tests and benchmarks.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from levee_spark.spark import archive, gateway
from levee_spark.spark.scratch import Scratch
from levee_spark.spark.settings import Size, flags, settings


def open_session(
    size: Size, extra: Mapping[str, str], log: Path | None = None, home: Path = gateway.NO_HOME, scratch: Scratch | None = None
) -> tuple[SparkSession, gateway.Jvm]:
    """One a process: PySpark knows only one JVM. `scratch`: where its temporary files are; without, in /tmp."""
    wanted = settings(size, {**(scratch.settings() if scratch else {}), **extra})
    jvm = gateway.start([*flags(size), *(scratch.flags() if scratch else ()), *archive.flags()], wanted, log, home)
    return adopt(jvm, wanted), jvm


def adopt(jvm: gateway.Jvm, wanted: Mapping[str, str]) -> SparkSession:
    """PySpark is told of a JVM that it has not started."""
    os.environ.update(PYSPARK_GATEWAY_PORT=str(jvm.port), PYSPARK_GATEWAY_SECRET=jvm.secret, PYSPARK_PYTHON=sys.executable)
    return SparkSession.builder.config(map=dict(wanted)).getOrCreate()
