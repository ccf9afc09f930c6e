"""Lanes of one session compute beside each other: an epoch of one that has much to do does not hold up those of another."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame

from levee_spark.lane.query import Function
from tests.lane.lanes import Inputs, Lanes, drive, table

PARTS, PART_S = 400, 0.1  # twenty seconds on two cores, unless it is let go


def large(place: Path) -> Function:
    """Many tasks of Spark's for one epoch, each of them short."""
    begun, enough = place / "begun", place / "enough"

    def work(parts: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        begun.touch()
        if not enough.exists():
            time.sleep(PART_S)
        yield from parts

    def made(inputs: Inputs) -> DataFrame:
        return inputs["rows"].repartition(PARTS, "value").mapInPandas(work, "value long")

    return made


def small(epoch: int) -> list[pa.Table]:
    return [table(value=[epoch])]


def test_a_large_epoch_of_one_lane_does_not_hold_up_the_small_ones_of_another(lanes: Lanes, tmp_path: Path) -> None:
    one, other = lanes(large(tmp_path)), lanes(lambda inputs: inputs["rows"])
    drive(other, [1], small)
    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(drive, one, [1], lambda _: [table(value=list(range(10 * PARTS)))])
        while not (tmp_path / "begun").exists() and not working.done():
            time.sleep(0.01)
        drive(other, range(2, 12), small)
        is_working = not working.done()
        (tmp_path / "enough").touch()
        assert working.result()[0].table.num_rows == 10 * PARTS
    assert is_working
