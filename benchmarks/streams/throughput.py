"""Rows a second in large epochs, and Spark's own Parquet to Parquet over the same rows, files and JVM flags.

Called by: __main__ (keys), take.
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.streams.rows import Key, Row
from benchmarks.streams.settings import FUNCTIONS, Mode

WHO = ("levee", "tuned")


def keys(mode: Mode) -> Iterator[Key]:
    for repetition in range(mode.repetitions):
        for rows, warm, epochs in mode.large:
            for function in FUNCTIONS:
                for who in WHO:
                    yield who, function, rows, warm, epochs, repetition


def take(work: Path, who: str, function: str, rows: int, warm: int, epochs: int, repetition: int) -> Row:
    from benchmarks.streams import lane_time, spark_time  # noqa: PLC0415  (the page is written without Spark)

    if who == "levee":
        found = lane_time.measure(work, function, rows, warm, epochs)
    else:
        found = spark_time.measure(work, function, rows, warm, epochs, tuned=True)
    return {"who": who, "function": function, "epoch_rows": rows, "repetition": repetition, **found}
