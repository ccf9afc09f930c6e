"""A few epochs of nothing, before a worker says that it is ready.

Why: the first epochs of a JVM load its classes and compile what every query needs; if they were real epochs, they would all be late. The
query is stateful, for that loads the most.
Called by: main.
"""

import shutil
import time
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from levee_spark.lane.query import Lane, LaneInput

EPOCHS = 4
LIMIT_S = 120.0
ENOUGH_S = 30.0  # on a busy machine the first epoch, which does most of it, must do
NAME = "warm-up"  # no task has this name: theirs have a slash in them


def warm_up(session: SparkSession, directory: Path, spool: Path, spread: int = 0) -> None:
    folder = directory / NAME
    lane = Lane(session, folder, spool, NAME, counts, (LaneInput("rows"),), limit_s=LIMIT_S, spread=spread)
    until_s = time.monotonic() + ENOUGH_S
    try:
        for epoch in range(1, EPOCHS + 1):
            lane.compute(epoch, 1_000 * epoch, [rows(epoch)])
            if time.monotonic() > until_s:
                break
    finally:
        lane.close()
        shutil.rmtree(folder, ignore_errors=True)


def rows(epoch: int) -> pa.Table:
    return pa.table({"key": [f"k{number % 7}" for number in range(100)], "value": [float(epoch * number) for number in range(100)]})


def counts(inputs: dict[str, DataFrame]) -> DataFrame:
    return inputs["rows"].where(f.col("value") >= 0).groupBy("key").agg(f.count("value").alias("values"))
