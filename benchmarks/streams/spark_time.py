"""Spark's own file source and Parquet sink, with a checkpoint, over the same rows: its defaults, and with Levee's settings. And its floor.

Called by: take, for the parts `epochs` and `throughput`.
"""

import time
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from benchmarks.streams.functions import FUNCTIONS, table
from benchmarks.streams.lane_time import LARGE_HEAP_MIB
from benchmarks.streams.processes import cpu_s
from benchmarks.streams.rows import Row
from levee_spark.spark import gateway
from levee_spark.spark.session import adopt, open_session
from levee_spark.spark.settings import C1_ROWS, OPENED, Size

SCHEMA = "key long, value long, time timestamp"
LOOK_S = 0.2
FILES = 2  # for large epochs, so that both cores read
# What spark-submit gives a JVM when nobody says anything; the rest of its defaults are Spark's own.
DEFAULT_FLAGS = ["-Xmx1g", "-XX:+IgnoreUnrecognizedVMOptions", *(f"--add-opens={module}=ALL-UNNAMED" for module in OPENED)]


def measure(folder: Path, function: str, rows: int, warm: int, epochs: int, *, tuned: bool, period_ms: int = 250) -> Row:
    files = write_files(folder / "in", rows, warm + epochs, period_ms)
    session, jvm = tuned_session(rows, folder) if tuned else default_session(folder)
    try:
        reader = session.readStream.name("numbers") if tuned else session.readStream  # Levee's settings ask for names
        frame = reader.schema(SCHEMA).option("maxFilesPerTrigger", files).parquet(str(folder / "in"))
        writer = FUNCTIONS[function]({"numbers": frame}).writeStream.format("parquet").option("path", str(folder / "out"))
        query = writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True).start()
        first, before_s = when_warm(query, warm)
        query.awaitTermination()
        cpu = (cpu_s() - before_s) / (warm + epochs - first)
        all_ms = [float(one["durationMs"]["triggerExecution"]) for one in query.recentProgress if one["numInputRows"]]
    finally:
        jvm.process.kill()
    assert len(all_ms) == warm + epochs, f"{len(all_ms)} batches"
    took_ms = all_ms[warm:]
    return {"epochs_ms": took_ms, "rows_per_s": rows * len(took_ms) / (sum(took_ms) / 1000), "cpu_ms": 1000 * cpu}


def measure_floor(folder: Path, rows: int, warm: int, epochs: int) -> Row:
    """The least that Spark takes for a batch: its rate source, to nothing, with Levee's settings."""
    session, jvm = tuned_session(rows, folder)
    try:
        frame = session.readStream.name("numbers").format("rate-micro-batch").option("rowsPerBatch", rows).load()
        query = frame.writeStream.format("noop").option("checkpointLocation", str(folder / "checkpoint")).start()
        first, before_s = when_warm(query, warm)
        last, after_s = when_warm(query, warm + epochs)
        took_ms = [float(one["durationMs"]["triggerExecution"]) for one in query.recentProgress if one["numInputRows"]]
    finally:
        jvm.process.kill()
    return {"epochs_ms": took_ms[warm : warm + epochs], "rows_per_s": 0.0, "cpu_ms": 1000 * (after_s - before_s) / (last - first)}


def when_warm(query: StreamingQuery, warm: int) -> tuple[int, float]:
    """How many batches have ended then, and the CPU seconds until then."""
    while query.isActive:
        last = query.lastProgress
        if last is not None and last["batchId"] + 1 >= warm:
            return int(last["batchId"]) + 1, cpu_s()
        time.sleep(LOOK_S)
    raise AssertionError(f"the query ended before batch {warm}: {query.exception()}")


def write_files(folder: Path, rows: int, epochs: int, period_ms: int) -> int:
    """How many files make an epoch."""
    folder.mkdir(parents=True)
    count = FILES if rows > C1_ROWS else 1
    for epoch in range(1, epochs + 1):
        made = table(epoch, rows, period_ms)
        for part in range(count):
            size = rows // count
            pq.write_table(made.slice(part * size, size), folder / f"{epoch:06d}-{part}.parquet")
    return count


def default_session(folder: Path) -> tuple[SparkSession, gateway.Jvm]:
    wanted = {"spark.master": "local[2]", **KEPT}
    jvm = gateway.start(DEFAULT_FLAGS, wanted, folder / "spark.log")
    return adopt(jvm, wanted), jvm


def tuned_session(rows: int, folder: Path) -> tuple[SparkSession, gateway.Jvm]:
    large = rows > C1_ROWS
    return open_session(Size(LARGE_HEAP_MIB, 2, large_epochs=True) if large else Size(), KEPT, folder / "spark.log")


KEPT: Mapping[str, str] = {"spark.sql.streaming.numRecentProgressUpdates": "10000"}  # only how much can be read back afterwards
