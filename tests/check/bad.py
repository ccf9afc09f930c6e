"""Operators of which two replicas would not compute the same, each in its own way; and some that are as they should be.

Called by: `levee check`, in tests; it stands beside the topology there.
"""

import os
import time
from collections.abc import Iterator

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

Inputs = dict[str, DataFrame]


def good(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].where("value % 2 = 0").select("value", "name", (f.col("price") * 2).alias("twice"))


def counted(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].groupBy("name").agg(f.count("*").alias("rows"), f.max("value").alias("highest"))


def clock(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].select("value", f.current_timestamp().alias("seen"))


def dice(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].select("value", (f.rand() * 6).alias("thrown"))


def dice_in_sql(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].selectExpr("value", "floor(rand() * 6) as thrown")


def numbered(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].select("value", f.monotonically_increasing_id().alias("id"))


def python_clock(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].select("value", f.udf(lambda value: value + time.time_ns(), "long")("value").alias("stamped"))


def hash_order(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].select("value", f.udf(lambda name: "".join({name, "left", "right", "up"}), "string")("name").alias("set"))


def row_order(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].groupBy("name").agg(f.collect_list("value").alias("all"))


def float_sum(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].groupBy("name").agg(f.sum("price").alias("total"))


def pairs(inputs: Inputs) -> DataFrame:
    def number(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            yield frame.assign(at=range(len(frame)))[["value", "at"]]

    return inputs["numbers"].mapInPandas(number, "value long, at long")


def timers(inputs: Inputs) -> DataFrame:
    def step(_key: tuple[str], frames: Iterator[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
        state.setTimeoutDuration(1_000)
        for frame in frames:
            yield frame[["value"]]

    groups = inputs["numbers"].groupBy("name")
    return groups.applyInPandasWithState(step, "value long", "kept long", "append", GroupStateTimeout.ProcessingTimeTimeout)


def raises(inputs: Inputs) -> DataFrame:
    def refuse(value: int) -> int:
        if value > 20:
            raise ValueError(f"{value} is too much")
        return value

    return inputs["numbers"].select(f.udf(lambda value: refuse(value) + 0, "long")("value").alias("value"))


def columns_by_run(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].select(f.col("value").alias("at_" + os.environ["TZ"].partition("/")[0].lower()))


def doubled(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].select("value", "value", "name")


def windows(inputs: Inputs) -> DataFrame:
    """None of them ends within the sample."""
    late = inputs["numbers"].withWatermark("_epoch_time", "10 minutes")
    return late.groupBy(f.window("_epoch_time", "1 hour"), "name").agg(f.max("value").alias("highest"))


def after_windows(inputs: Inputs) -> DataFrame:
    return inputs["windows"].select("name", "highest")


def windows_by_chance(inputs: Inputs) -> DataFrame:
    drawn = inputs["numbers"].withColumn("drawn", f.udf(lambda value: value + time.time_ns(), "long")("value"))
    late = drawn.withWatermark("_epoch_time", "10 minutes")
    return late.groupBy(f.window("_epoch_time", "1 hour"), "name").agg(f.max("drawn").alias("drawn"))


def silent(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].where("value < 0")


def no_frame(_: Inputs) -> DataFrame:
    return None  # type: ignore[return-value]


def foreign(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].sparkSession.range(3).toDF("value")


def leaves(_: Inputs) -> DataFrame:
    os._exit(7)


def leaves_quietly(_: Inputs) -> DataFrame:
    os._exit(0)


def leaves_rows(inputs: Inputs) -> DataFrame:
    return inputs["numbers"].select(f.udf(lambda _: os._exit(0), "long")("value").alias("value"))


def after_raises(inputs: Inputs) -> DataFrame:
    return inputs["raises"]


def after_dice(inputs: Inputs) -> DataFrame:
    return inputs["dice"].select("value", (f.col("thrown") > 3).alias("high"))


def of_given(inputs: Inputs) -> DataFrame:
    return inputs["given"].where("value > 5")


def of_ticks(inputs: Inputs) -> DataFrame:
    return inputs["ticks"].where("value > 5")


def of_unknown(inputs: Inputs) -> DataFrame:
    return inputs["unknown"]
