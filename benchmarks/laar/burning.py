"""What the elements of a live run compute: nothing, for as much CPU as they are told, and as many rows as their selectivity says.

Why: so does the paper (section 5.2, footnote 3). The CPU of the thread is burnt, not time, so that who shares a core takes longer.
Called by: the module that live writes for each run; the `replay` source.
"""

import time
from collections.abc import Iterator, Mapping
from functools import partial, reduce

import pyarrow as pa
from pyspark.sql import DataFrame

ODD = 0x9E3779B97F4A7C15
MASK = (1 << 62) - 1


def readings(epoch: int, options: Mapping[str, str], _task: int, _tasks: int) -> pa.Table:
    """Low, High, Low: so many epochs of each, and Low from then on."""
    low, high, each = float(options["low"]), float(options["high"]), int(options["epochsOfEach"])
    begun, ended = (int(rows_until(one, low, high, each)) for one in (epoch - 1, epoch))
    return pa.table({"number": pa.array(range(begun, ended), pa.int64())})


def rows_until(epoch: int, low: float, high: float, each: int) -> float:
    """Rows of all epochs up to this one."""
    at_peak = min(max(epoch - each, 0), each)
    return low * (epoch - at_peak) + high * at_peak


def element(inputs: Mapping[str, DataFrame], ports: Mapping[str, tuple[float, float]]) -> DataFrame:
    """`ports`: of each input its selectivity and the CPU seconds of a row."""
    frames = [
        inputs[name].select("number").coalesce(1).mapInArrow(partial(burn, selectivity=gain, cost_s=cost_s, port=place), "number long")
        for place, (name, (gain, cost_s)) in enumerate(ports.items())
    ]
    return reduce(DataFrame.union, frames)


def burn(batches: Iterator[pa.RecordBatch], selectivity: float, cost_s: float, port: int) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        found: list[int] = []
        for number in batch.column(0).to_pylist():
            spin(cost_s)
            found += [mixed(number, port, copy) for copy in range(copies(number, port, selectivity))]
        yield pa.RecordBatch.from_arrays([pa.array(found, pa.int64())], names=["number"])


def spin(cost_s: float) -> None:
    until_s = time.thread_time() + cost_s
    while time.thread_time() < until_s:
        pass


def copies(number: int, port: int, selectivity: float) -> int:
    """The same for each replica; on average as many as the selectivity says."""
    whole = int(selectivity)
    return whole + (mixed(number, port, -1) / MASK < selectivity - whole)


def mixed(number: int, port: int, copy: int) -> int:
    """Another number, which is nobody else's."""
    value = (number + 1) * ODD + (port * 7 + copy + 2) * 0xD1B54A32D192ED03
    value ^= (value >> 31) & MASK
    return value * ODD & MASK
