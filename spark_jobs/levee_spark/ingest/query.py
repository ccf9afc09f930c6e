"""One streaming query, from one position on: the tick source and the user's, a batch for each epoch that is asked for.

Why: Spark remembers where it is by itself as long as nobody else wins; so a query lives on from epoch to epoch, and is made anew only to
go on from what somebody else has committed.
Called by: `streaming`.
"""

import math
import re
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.query import StreamingQuery

from levee_spark.ingest import checkpoint
from levee_spark.ingest.silence import Silence
from levee_spark.lane.query import SINK, SOURCE
from levee_spark.lane.rows import emitted
from levee_spark.lane.spool import read_output, spool

Frame: TypeAlias = Callable[[SparkSession], DataFrame]
BASE = 0  # tick n is batch n - 1
LOOK_MS = 1_000  # how often one asks again while nothing comes
NO_TICKS = pa.table({"tick": pa.array([], pa.int64())})
NO_SOURCE = re.compile(r"Failed to find (the )?data source")
JARS = "\nFix: name the jars of its connector in spec.sparkConf: {spark.jars: ...}, or mend the name of the format"
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
    """Ticks are epochs of a lane's source (jvm/LaneSource.java), which waits until the next is announced; its rows go to a lane's sink."""

    folder: Path  # of its checkpoint
    stopping: threading.Event
    running: StreamingQuery | None = None
    handover: Any = None  # its Lane.java
    emits: pa.Schema | None = None
    tick: int = BASE
    silence: Silence = field(default_factory=Silence)

    def start(self, spark: SparkSession, source: Frame, *, goes_on: bool) -> None:
        """`goes_on`: after the batch that the checkpoint says was done."""
        self.tick = BASE + checkpoint.BATCH + 1 if goes_on else BASE
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        spool(self.beside("ticks"), NO_TICKS)
        self.handover = spark._jvm.dev.levee.spark.Lane.open(BASE, False)  # type: ignore[union-attr]  # noqa: SLF001
        ticks = spark.readStream.format(SOURCE).schema("tick long").option("lane", self.handover.id()).name(checkpoint.TICK).load()
        frame = emitted(before(ticks, source(spark)))
        self.emits = to_arrow_schema(frame.schema, error_on_duplicated_field_names_in_struct=True, timezone="UTC")
        writer = frame.writeStream.format(SINK).option("lane", self.handover.id()).option("checkpointLocation", str(self.folder))
        self.running = writer.start()

    def next_batch(self, looks: float = math.inf) -> Batch:
        """All that the source has now, which may be nothing. `looks`: how often one asks before one gives up."""
        assert self.running is not None and self.emits is not None
        self.tick += 1
        output = self.beside("rows")
        told = self.running._jsq, self.tick, str(self.beside("ticks")), False, str(output), LOOK_MS  # noqa: SLF001
        asked = 0  # a second each
        try:
            while not self.handover.compute(*told):
                asked += 1
                if self.stopping.is_set() or asked >= looks:
                    raise Ended("stopped")
                self.silence.lasts(asked)
        except (PySparkException, Py4JError) as error:
            raise Ended(self.why(error)) from error
        finally:
            self.silence.ends(asked)
        return Batch(self.tick - BASE - 1, read_output(output, self.emits))

    def why(self, error: Exception) -> str:
        if self.stopping.is_set():
            return "stopped"
        return reasons(str((self.running.exception() if self.running else None) or error))

    def beside(self, what: str) -> Path:
        return self.folder.with_name(f"{self.folder.name}-{what}.arrow")

    def stop(self) -> None:
        try:
            if self.running is not None:
                self.running.stop()
        finally:
            if self.handover is not None:
                self.handover.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            for what in ("ticks", "rows"):
                self.beside(what).unlink(missing_ok=True)


def reasons(text: str) -> str:
    """Of the many lines of an exception of Spark's those that say why: its causes, without stacks; the deepest says most."""
    causes = [cause for cause in dict.fromkeys(CAUSE.findall(text)) if "Python Proxy" not in cause]
    return " <- ".join(causes) or NOISE.split(text)[0]


def with_remedy(error: str) -> str:
    """Spark knows nothing of where jars are named."""
    return f"{error}{JARS}" if NO_SOURCE.search(error) else error


def before(ticks: DataFrame, rows: DataFrame) -> DataFrame:
    """The rows, and the ticks before them, which have none: Spark asks the sources in this order."""
    nothing = [f.lit(None).cast(field.dataType).alias(field.name) for field in rows.schema]
    return ticks.where(f.lit(False)).select(*nothing).union(rows)
