"""Spark's Python daemon, with what its workers need already imported, and a limit for what they run.

Why: workers are forked from it for tasks, so what it has imported costs them neither time nor memory of their own; and frozen objects are
passed over by the garbage collection after each task.
Called by: Spark, as `spark.python.daemon.module`.
"""

import gc

import pyarrow as pa  # noqa: F401  (imported for the workers)
from pyspark import daemon, worker  # noqa: F401
from pyspark.sql import types  # noqa: F401

from levee_spark.spark import hanging

if __name__ == "__main__":
    hanging.limit_tasks()
    gc.freeze()
    daemon.manager()
