"""Time per epoch of 100 rows, warm, one replica in one worker: Spark's defaults, Spark with Levee's settings, Levee.

Called by: __main__ (keys), take.
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.streams.rows import Key, Row
from benchmarks.streams.settings import FUNCTIONS, Mode

ROWS = 100
WHO = ("levee", "tuned", "defaults")


def keys(mode: Mode) -> Iterator[Key]:
    """Interleaved, so that slow changes of the machine meet all alike."""
    for repetition in range(mode.repetitions):
        yield "floor", "", mode.warm_epochs, mode.epochs, repetition
        for function in FUNCTIONS:
            for who in WHO:
                slow = mode.spark_epochs[function == "windowed"]
                warm, epochs = (slow // 2, slow) if who == "defaults" else (mode.warm_epochs, mode.epochs)
                yield who, function, warm, epochs, repetition


def take(work: Path, who: str, function: str, warm: int, epochs: int, repetition: int) -> Row:
    from benchmarks.streams import lane_time, spark_time  # noqa: PLC0415  (the page is written without Spark)

    if who == "floor":
        found = spark_time.measure_floor(work, ROWS, warm, epochs)
    elif who == "levee":
        found = lane_time.measure(work, function, ROWS, warm, epochs)
    else:
        found = spark_time.measure(work, function, ROWS, warm, epochs, tuned=who == "tuned")
    return {"who": who, "function": function, "repetition": repetition, **found}
