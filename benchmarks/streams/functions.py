"""What the measured topologies compute, as any user would write it; Spark's own queries use the same functions.

Called by: workers, by name; lane_time and spark_time.
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

KEYS = 100
START_US = 1_700_000_000_000_000


def table(epoch: int, count: int, period_ms: int) -> pa.Table:
    """The rows of an epoch: spread over its time, the same in every run."""
    draws = np.random.default_rng(epoch)
    times = START_US + 1000 * period_ms * epoch + np.arange(count) * (1000 * period_ms) // max(1, count)
    return pa.table(
        {
            "key": draws.integers(0, KEYS, count),
            "value": draws.integers(0, 1_000_000, count),
            "time": pa.array(times).cast(pa.timestamp("us", "UTC")),
        }
    )


def rows(epoch: int, options: Mapping[str, str], task: int, tasks: int) -> pa.Table:
    """Of the `replay` source: a fixed rate, and keys that no other task and no other epoch has."""
    period_ms = int(options["periodMs"])
    count = int(options["ratePerS"]) * period_ms // 1000
    numbers = np.arange((epoch - 1) * count, epoch * count) * tasks + task
    return pa.table({"key": numbers, "value": numbers % 1000})


def filter_rows(inputs: dict[str, DataFrame]) -> DataFrame:
    frame = inputs["numbers"]
    return frame.where(f.col("value") % 10 < 6).select("key", (2 * f.col("value")).alias("doubled"), "time")


def windowed(inputs: dict[str, DataFrame]) -> DataFrame:
    """Sums per key and second, once the second is over; aggregations can be written to files in this mode only."""
    late = inputs["numbers"].withWatermark("time", "1 second")
    sums = late.groupBy(f.window("time", "1 second"), "key").agg(f.count("*").alias("n"), f.sum("value").alias("total"))
    return sums.select(f.col("window.start").alias("second"), "key", "n", "total")


FUNCTIONS = {"filter": filter_rows, "windowed": windowed}


def window_10(inputs: dict[str, DataFrame]) -> DataFrame:
    return window_of(inputs, 10)


def window_30(inputs: dict[str, DataFrame]) -> DataFrame:
    return window_of(inputs, 30)


def window_of(inputs: dict[str, DataFrame], seconds: int) -> DataFrame:
    """PPA's synthetic operator: its state is all rows of the window, every second row goes on."""
    [frame] = inputs.values()
    kept = frame.withWatermark("_epoch_time", f"{seconds} seconds").dropDuplicatesWithinWatermark(["key", "value"])
    return kept.where(f.pmod(f.xxhash64("key", "value"), f.lit(2)) == 0).select((f.col("key") * 3 + 1).alias("key"), "value")
