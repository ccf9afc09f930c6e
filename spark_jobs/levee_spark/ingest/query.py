"""One streaming query, from one position on: the tick source and the user's, a batch for each epoch that is asked for.

Why: Spark remembers where it is by itself as long as nobody else wins; so a query lives on from epoch to epoch, and is made anew only to
go on from what somebody else has committed.
Called by: `streaming`.
"""

import queue
import re
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from levee_spark.ingest import checkpoint, tick
from levee_spark.lane.rows import emitted

Frame: TypeAlias = Callable[[SparkSession], DataFrame]
NOISE = re.compile(r"\n=== Streaming Query ===|\n\tat ")  # where Spark's text begins to speak of itself
CAUSE = re.compile(r"^Caused by: (?:[\w.$]+: )?(.+)$", re.MULTILINE)


class Ended(Exception):
    """The query is no more; why."""


@dataclass(frozen=True, slots=True)
class Batch:
    number: int
    rows: pa.Table  # with their hashes


@dataclass(slots=True)
class Query:
    folder: Path  # of its checkpoint
    stopping: threading.Event
    gate: tick.Gate = field(init=False)
    batches: "queue.SimpleQueue[Batch]" = field(default_factory=queue.SimpleQueue)
    running: StreamingQuery | None = None

    def __post_init__(self) -> None:
        self.gate = tick.Gate(self.folder.with_name(f"gate-{self.folder.name}"))

    def start(self, spark: SparkSession, source: Frame) -> None:
        spark.dataSource.register(tick.TickSource)
        ticks = spark.readStream.format(tick.FORMAT).option("gate", str(self.gate.path)).name(checkpoint.TICK).load()
        frame = emitted(beside(ticks, source(spark)))
        writer = frame.writeStream.foreachBatch(self.take).option("checkpointLocation", str(self.folder))
        self.running = writer.start()

    def take(self, frame: DataFrame, number: int) -> None:
        """Called by Spark. It must not wait here: `stop` would wait for it."""
        self.batches.put(Batch(number, frame.toArrow()))

    def next_batch(self) -> Batch:
        self.gate.let_one_pass(self.must_live)
        while True:
            try:
                return self.batches.get(timeout=tick.LOOK_S)
            except queue.Empty:
                self.must_live()

    def must_live(self) -> None:
        if self.stopping.is_set():
            raise Ended("stopped")
        assert self.running is not None
        if not self.running.isActive:
            raise Ended(reasons(str(self.running.exception() or "the query has ended")))

    def stop(self) -> None:
        """The query first: it would notice that the gate is gone."""
        try:
            if self.running is not None:
                self.running.stop()
        finally:
            self.gate.close()
            shutil.rmtree(self.folder, ignore_errors=True)


def reasons(text: str) -> str:
    """Of the many lines of an exception of Spark's those that say why: its causes, without stacks; the deepest says most."""
    causes = [cause for cause in dict.fromkeys(CAUSE.findall(text)) if "Python Proxy" not in cause]
    return " <- ".join(causes) or NOISE.split(text)[0]


def beside(ticks: DataFrame, rows: DataFrame) -> DataFrame:
    """The rows, and the ticks before them, which have none: Spark asks the sources in this order."""
    nothing = [f.lit(None).cast(field.dataType).alias(field.name) for field in rows.schema]
    return ticks.where(f.lit(False)).select(*nothing).union(rows)
