"""A lane: one streaming query that turns input epochs into output epochs, from a checkpoint.

Why: Spark drives its own batches; the log's roles want a function of an epoch. The lane is what lies between: it spools the inputs, tells
the query (one call to Java an epoch: jvm/Lane.java), reads the rows, and keeps epochs and Spark's batch ids in step.
Called by: worker.replica, from one thread, to answer Compute, Restore and Snapshot.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.streaming.query import StreamingQuery

from levee_spark.lane import attempts, closing, emitting, rows, stateful
from levee_spark.lane.blame import judged
from levee_spark.lane.emitting import Emitted
from levee_spark.lane.folder import Folder
from levee_spark.lane.spool import read_output, spool, spool_parts
from levee_spark.lane.trouble import Failed, Trouble, explained, is_hung, never_returned, own_lines_dumped, place_of, within
from levee_spark.spark.hanging import LIMIT_S

Function = Callable[[dict[str, DataFrame]], DataFrame]

COMMITS_WITHIN_S = 30.0
LATER = 4 / 3  # limits: Python processes begin later than the epoch, end themselves at the limit, and tell where they were
STARTS_WITHIN_S = 30.0  # more for a query's first epoch: on a busy machine classes and processes take their time, whatever the function is
LARGE_ROWS = 50_000  # from here on several partitions are worth their tasks
SOURCE, SINK = "dev.levee.spark.LaneSource", "dev.levee.spark.LaneSink"
DRIVER = "driver:"  # executors reach the lane's folder through it: jvm/DriverFiles.java
ONLY_MODE = "STREAMING_OUTPUT_MODE"  # Spark minds the mode only, so that what it says of the other one is the trouble
KEY_SALT = 7  # not that of digests: else all rows of a task would share bits of their hash


@dataclass(frozen=True, slots=True)
class Keyed:
    """The part of a stream whose keys fall to this task."""

    columns: tuple[str, ...]
    index: int
    of: int


@dataclass(frozen=True, slots=True)
class LaneInput:
    stream: str  # as the function knows it
    keyed: Keyed | None = None


@dataclass(frozen=True, slots=True)
class Output:
    table: pa.Table
    digest: str


@dataclass
class Lane:
    session: SparkSession
    directory: Path  # its own
    spool: Path  # in memory, if the machine has that
    name: str
    function: Function
    inputs: tuple[LaneInput, ...]
    cores: int = 2
    limit_s: float = 30.0  # a function that has not returned by then never will
    function_name: str = ""  # none: it is only tried
    spread: int = 0  # the parts of every epoch, where executors compute them; 0: the worker itself does
    epoch: int = 0  # of the state
    base: int = 0  # the epoch before batch 0
    runs: int = 0
    first: int = 0  # epoch of the query
    folder: Folder = field(init=False)
    query: StreamingQuery | None = None
    handover: Any = None  # its Lane.java
    emits: pa.Schema | None = None
    schemas: tuple[pa.Schema, ...] | None = None
    operators: list[str] | None = None  # what made the state
    emitted: Emitted | None = None  # up to the epoch of the state

    def __post_init__(self) -> None:
        self.folder = self.fresh()

    # ---- what roles ask for

    def compute(self, epoch: int, time_ms: int, tables: Sequence[pa.Table], *, closing: bool = False) -> Output:
        """The rows of `epoch`, the state being that of the epoch before; `tables` has one for each input.

        Closing: no row will come any more, so that every window ends with this epoch.
        """
        assert epoch == self.epoch + 1, f"{self.name}: asked for epoch {epoch} with the state of {self.epoch}"
        self.settle(tables)
        files = self.spooled(epoch, time_ms, tables)
        if closing:
            self.close_watermarks(epoch)
        if self.query is None:
            self.start(tables)
        output = self.handed_over(epoch, files, large=any(table.num_rows >= LARGE_ROWS for table in tables))
        self.epoch, self.emitted = epoch, self.emitting()
        return output

    def restore(self, epoch: int, files: Sequence[bytes]) -> None:
        """Forget the state and take the one after `epoch`; no files: the state before the first."""
        self.stop()
        self.folder.remove()
        self.folder = self.fresh()
        told = json.loads(files[0]) if files else {}
        self.epoch, self.base, self.operators = epoch, told.get("base", epoch), told.get("operators")
        self.emitted = Emitted.read(told.get("emitted"))
        if len(files) > 1:
            self.folder.unpack(files[1])
            self.folder.truncate(self.batch())

    def snapshot(self) -> tuple[tuple[str, bytes], ...]:
        """The state as it is now. Without any, only the base counts, and a fork begins with batch 0."""
        if self.query is not None:
            self.wait_for_commit()
        emitted = self.emitted.told() if self.emitted else None
        if not self.folder.has_state():
            return (("lane", json.dumps({"base": self.epoch, "emitted": emitted}).encode()),)
        told = json.dumps({"base": self.base, "operators": self.operators, "emitted": emitted}).encode()
        return ("lane", told), ("checkpoint", self.folder.pack(self.batch()))

    def keeps_state(self) -> bool:
        """Of the epochs so far."""
        if self.query is not None:
            self.wait_for_commit()
        return self.folder.has_state()

    def is_stateless(self) -> bool:
        """By what its query says, and by what Spark has written for it; known once an epoch was computed."""
        return self.operators == [] and not self.folder.has_state()

    def stop(self) -> None:
        if self.query is not None:
            self.query.stop()
            self.query = None
        if self.handover is not None:
            self.handover.close()
            self.handover = None

    def close(self) -> None:
        self.stop()
        self.folder.remove()

    # ---- the query

    def batch(self) -> int:
        """The batch that made the state."""
        return self.epoch - self.base - 1

    def fresh(self) -> Folder:
        self.runs += 1
        return Folder(self.directory / f"{self.runs:06d}")

    def settle(self, tables: Sequence[pa.Table]) -> None:
        """A schema that changes under a running query would be read wrongly: say so."""
        schemas = tuple(table.schema.remove_metadata() for table in tables)
        if self.schemas is not None and schemas != self.schemas:
            changed = next(i for i, (old, new) in enumerate(zip(self.schemas, schemas, strict=True)) if old != new)
            raise Failed(f"the schema of '{self.inputs[changed].stream}' has changed from\n{self.schemas[changed]}\nto\n{schemas[changed]}")
        self.schemas = schemas

    def start(self, tables: Sequence[pa.Table]) -> None:
        self.hand_over()
        frame = self.result({one.stream: self.read(index, one, tables[index]) for index, one in enumerate(self.inputs)})
        emitting.check(self.emitted, self.emitting(), place_of(self.function))
        self.first = self.epoch + 1
        operators = stateful.operators_of(frame)
        stateful.check(self.operators if self.folder.has_state() else None, operators)
        self.operators = operators
        self.session.sparkContext.setLocalProperty("spark.scheduler.pool", self.name)
        self.session.sparkContext.setLocalProperty(LIMIT_S, f"{self.limit_s:g}")
        mode = getattr(self.function, "output_mode", None)
        self.query = self.begin(frame, mode) if mode else self.begin_either(frame)

    def hand_over(self) -> None:
        self.stop()  # a definition that failed before has left its handover
        self.handover = self.session._jvm.dev.levee.spark.Lane.open(self.base, bool(self.spread))  # type: ignore[union-attr]  # noqa: SLF001

    def emitting(self) -> Emitted:
        assert self.emits is not None
        return Emitted(self.function_name, emitting.without_hashes(self.emits))

    def read(self, index: int, one: LaneInput, table: pa.Table) -> DataFrame:
        stamped = rows.stamped(table.schema.empty_table(), 0, 0)
        reader = self.session.readStream.format(SOURCE).schema(from_arrow_schema(stamped.schema, prefer_timestamp_ntz=False))
        options = {"lane": self.handover.id(), "input": index, "parts": self.spread or self.cores}
        frame = reader.name(f"input_{index}").options(**{name: str(value) for name, value in options.items()}).load()
        if one.keyed is None:
            return frame
        missing = [column for column in one.keyed.columns if column not in frame.columns]
        if missing:
            raise Failed(f"partitionBy names {', '.join(missing)}, but '{one.stream}' has only {', '.join(table.column_names)}")
        return of_task(frame, one.keyed)

    def result(self, frames: dict[str, DataFrame]) -> DataFrame:
        """By the user's function, which may do anything."""
        try:
            frame = within(self.limit_s, lambda: self.function(frames))
        except (Exception, SystemExit) as error:
            raise (judged(error, self.limit_s) if isinstance(error, Exception) else Failed(explained(error))) from error
        if not isinstance(frame, DataFrame):
            raise Failed(f"the function returned {type(frame).__name__}, not a DataFrame{place_of(self.function)}")
        if not frame.isStreaming:
            wrong = "the function returned a DataFrame that is not computed from its inputs: derive it from the frames it is given"
            raise Failed(wrong + place_of(self.function))
        return self.hashed(frame)

    def hashed(self, frame: DataFrame) -> DataFrame:
        """As it is emitted, if others can read it."""
        emitting.check_names(rows.own(frame).columns, place_of(self.function))
        try:
            made = rows.emitted(frame)
            self.emits = to_arrow_schema(made.schema, error_on_duplicated_field_names_in_struct=True, timezone="UTC")
        except PySparkException as error:  # two fields of one name, or values that Arrow does not have
            raise Failed(explained(error) + place_of(self.function)) from error
        return made

    def begin_either(self, frame: DataFrame) -> StreamingQuery:
        """Append where Spark permits it; else update: aggregations without a watermark."""
        try:
            return self.begin(frame, "append")
        except AnalysisException as error:
            try:
                return self.begin(frame, "update")
            except AnalysisException as again:
                raise Failed(explained(again if ONLY_MODE in str(error) else error)) from error

    def begin(self, frame: DataFrame, mode: str) -> StreamingQuery:
        writer = frame.writeStream.format(SINK).option("lane", self.handover.id()).outputMode(mode).queryName(f"{self.name}-{self.runs}")
        scheme = DRIVER if self.spread else ""
        return writer.option("checkpointLocation", f"{scheme}{self.folder.path.absolute()}").start()

    def handed_over(self, epoch: int, files: Sequence[Path], *, large: bool) -> Output:
        assert self.query is not None and self.emits is not None
        output = self.spool_file("out")
        inputs = "\n".join(map(str, files))
        try:
            if not self.handover.compute(self.query._jsq, epoch, inputs, large, str(output), self.patience_ms(epoch)):  # noqa: SLF001
                raise never_returned(self.limit_s, self.hanging(), place_of(self.function))
        except (PySparkException, Py4JJavaError, Failed) as error:
            raise self.broken(error) from None
        return Output(*rows.digested(read_output(output, self.emits)))

    def hanging(self) -> list[str]:
        """Where, as the executors have told whose tasks are tried again."""
        assert self.query is not None
        told = attempts.errors(self.session, self.query) if self.spread else ()
        return next((own_lines_dumped(text) for text in told if is_hung(text)), [])

    def patience_ms(self, epoch: int) -> int:
        """For what hangs outside of Python."""
        return round(1000 * (LATER * self.limit_s + (STARTS_WITHIN_S if epoch == self.first else 0.0)))

    def broken(self, error: Exception) -> Failed | Trouble:
        """The state is still that of the epoch before: go back to it, in another folder."""
        blamed = judged(error, self.limit_s, place_of(self.function))
        self.stop()
        self.move()
        return blamed

    def close_watermarks(self, epoch: int) -> None:
        """The next batch begins as if Spark had planned it already, with all time behind it. Without state there is nothing to close."""
        if self.query is not None:
            self.wait_for_commit()
            self.stop()
            self.move()
        if self.folder.has_state():
            closing.write(self.folder.path, self.batch() + 1, epoch)

    def move(self) -> None:
        """To another folder: Spark keeps state of a path in memory."""
        old, self.folder = self.folder, self.fresh()
        if self.batch() >= 0 and old.path.exists():
            old.path.rename(self.folder.path)
            self.folder.truncate(self.batch())

    def wait_for_commit(self) -> None:
        until = time.monotonic() + COMMITS_WITHIN_S
        while (committed := self.folder.committed()) is None or committed < self.batch():
            if time.monotonic() > until:
                raise TimeoutError(f"{self.name}: Spark has not committed batch {self.batch()} within {COMMITS_WITHIN_S:.0f} s")
            time.sleep(0.002)

    def spooled(self, epoch: int, time_ms: int, tables: Sequence[pa.Table]) -> list[Path]:
        files = [self.spool_file(f"{index}-{epoch % 2}") for index in range(len(tables))]  # the epoch before may still be mapped
        for file, table in zip(files, tables, strict=True):
            stamped = rows.stamped(table, epoch, time_ms)
            if self.spread:
                spool_parts(file, stamped, self.spread)
            else:
                spool(file, stamped)
        return files

    def spool_file(self, part: str) -> Path:
        return self.spool / f"{self.name.replace('/', '-')}-{part}.arrow"


def of_task(frame: DataFrame, keyed: Keyed) -> DataFrame:
    keys = [f.col(f"`{column}`") for column in keyed.columns]
    return frame.where(f.pmod(f.xxhash64(f.lit(KEY_SALT), *keys), f.lit(keyed.of)) == keyed.index)
