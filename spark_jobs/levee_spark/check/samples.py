"""Epochs to try functions on: what the user gives, else what the source itself would make.

Called by: passing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
from pyarrow import ipc, parquet

from levee.topology.streams import Source
from levee_spark.ingest.opening import with_period
from levee_spark.ingest.replay import Replay
from levee_spark.lane.rows import united

START = datetime(2026, 1, 1, tzinfo=UTC)
RATE_ROWS_MIN = 20  # of an epoch: fewer would show little


class NoSample(Exception):
    """Why there are no epochs of a stream."""


@dataclass(frozen=True, slots=True)
class Samples:
    epochs: int
    period_s: float
    folder: Path | None = None

    def given(self, stream: str) -> list[pa.Table] | None:
        """`DIR/stream.parquet`, or `DIR/stream/` with a file for each epoch."""
        if self.folder is None:
            return None
        files = sorted(self.folder.glob(f"{stream}.*")) + sorted((self.folder / stream).glob("*"))
        tables = [read(file) for file in files if file.suffix in READERS]
        return list(spread(tables, self.epochs)) if tables else None

    def of_source(self, source: Source) -> list[pa.Table]:
        found = self.given(source.name)
        if found is not None:
            return found
        spark = source.spark
        if spark is None or spark.format not in {"replay", "rate"}:
            what = f"a source of format {spark.format}" if spark is not None else "an imported stream"
            raise NoSample(f"'{source.name}' is {what}, of which there are no sample epochs")
        if spark.format == "rate":
            return [self.ticks(epoch, float(spark.options.get("rowsPerSecond", 1))) for epoch in range(1, self.epochs + 1)]
        options = with_period(spark.options, round(1_000 * self.period_s))
        tasks = [Replay.of(options, task, source.parallelism) for task in range(source.parallelism)]
        return [united(one.rows(epoch) for one in tasks) for epoch in range(1, self.epochs + 1)]

    def ticks(self, epoch: int, rows_per_s: float) -> pa.Table:
        """As Spark's rate source has them."""
        count = max(RATE_ROWS_MIN, round(rows_per_s * self.period_s))
        values = range(count * (epoch - 1), count * epoch)
        times = [START + timedelta(seconds=self.period_s * value / count) for value in values]
        return pa.table({"timestamp": pa.array(times, pa.timestamp("us", "UTC")), "value": pa.array(values, pa.int64())})


def read(file: Path) -> pa.Table:
    return READERS[file.suffix](file)


def read_arrow(file: Path) -> pa.Table:
    """Either of Arrow's two forms."""
    with pa.memory_map(str(file)) as data:
        try:
            return ipc.open_file(data).read_all()
        except pa.ArrowInvalid:
            data.seek(0)
            return ipc.open_stream(data).read_all()


READERS = {".parquet": parquet.read_table, ".arrow": read_arrow, ".feather": read_arrow}


def spread(tables: list[pa.Table], epochs: int) -> Iterator[pa.Table]:
    """A single file is cut into epochs; of several, each is one."""
    if len(tables) > 1:
        yield from tables[:epochs]
        return
    [table] = tables
    step = -(-table.num_rows // epochs) or 1
    yield from (table.slice(step * epoch, step) for epoch in range(epochs))
