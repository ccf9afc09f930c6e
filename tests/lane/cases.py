"""Functions without, with little and with windowed state, and rows for them; sums are of whole numbers: an order of adding is nobody's.

Called by: test_lane_executors, in both of its processes.
"""

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from tests.lane.lanes import Inputs

FORKED, FORKED_AT, LAST = "updates", 3, 6


def filtered(inputs: Inputs) -> DataFrame:
    return inputs["rows"].where(f.col("value") % 3 != 0).withColumn("epoch", f.col("_epoch"))


def updates(inputs: Inputs) -> DataFrame:
    return inputs["rows"].groupBy("key").agg(f.count("*").alias("rows"), f.sum("value").alias("total"))


def windows(inputs: Inputs) -> DataFrame:
    late = inputs["rows"].withWatermark("_epoch_time", "1 second")
    return (
        late.groupBy(f.window("_epoch_time", "2 seconds"), "key").agg(f.sum("value").alias("total")).select("window.start", "key", "total")
    )


CASES = {one.__name__: one for one in (filtered, updates, windows)}


def rows(epoch: int) -> list[pa.Table]:
    some = [37 * epoch + n for n in range(40)] if epoch != LAST - 1 else []
    return [pa.table({"key": pa.array([f"k{value % 7}" for value in some], pa.string()), "value": pa.array(some, pa.int64())})]
