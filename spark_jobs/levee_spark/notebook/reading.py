"""Spark's readers of a stream: batches of whole epochs, of all tasks of the streams.

Called by: Spark, in Python processes of its own: some ask for offsets, others read.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow

from levee_spark.notebook.asked import EARLIEST
from levee_spark.notebook.holding import hold
from levee_spark.notebook.look import Look
from levee_spark.notebook.parts import Epochs, Reading, lost

FLOOR_EVERY = 20  # idle looks; a query that has fallen below the floor finds nothing more


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.until: int | None = None  # of `availableNow`
        self.looked_s: float | None = None
        self.idle = 0

    def initialOffset(self) -> dict[str, int]:  # noqa: N802  (Spark's names)
        return {"epoch": self.reading.begin(self.reading.look())}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        look = self.reading.look()
        self.until = self.reading.head(look, max(look.oldest(task) for task in self.reading.tasks) - 1)

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:  # noqa: N802
        self.rest()
        look, low = self.reading.look(), start["epoch"]
        end = self.reading.head(look, low, self.limit(low))
        if end == low:
            end = self.after_a_gap(look, low)
        return {"epoch": end}

    def limit(self, low: int) -> int | None:
        most = self.reading.asked.max_epochs
        ends = [end for end in (self.until, low + most if most else None) if end is not None]
        return max(low, min(ends)) if ends else None

    def after_a_gap(self, look: Look, low: int) -> int:
        self.idle += 1
        if self.idle % FLOOR_EVERY != 1:
            return low
        for task in self.reading.tasks:
            if look.oldest(task) > low + 1:
                if self.reading.asked.fails_on_loss:
                    raise lost(look, task, low + 1)
                return self.reading.head(look, look.oldest(task) - 1, self.limit(look.oldest(task) - 1))
        return low

    def rest(self) -> None:
        """Spark asks a hundred times a second; a store may cost money."""
        now_s = time.monotonic()
        if self.looked_s is not None:
            time.sleep(max(0.0, self.looked_s + self.reading.asked.poll_ms / 1_000 - now_s))
        self.looked_s = time.monotonic()

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        return self.reading.split(start["epoch"] + 1, end["epoch"])

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Epochs)
        return self.reading.read(partition)

    def __getstate__(self) -> dict[str, Any]:
        return {"reading": self.reading, "until": None, "looked_s": None, "idle": 0}


class BatchReader(DataSourceReader):
    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def partitions(self) -> Sequence[InputPartition]:
        look = self.reading.look()
        first = self.reading.begin(look) + 1
        held = hold(self.reading.asked, first)
        if self.reading.asked.starting == EARLIEST:
            first = self.reading.begin(look) + 1  # the floor may have risen before the pin was seen; now it stays
        oldest = max((look.oldest(task), task) for task in self.reading.tasks)
        if oldest[0] > first and self.reading.asked.fails_on_loss:
            raise lost(look, oldest[1], first)
        first = max(first, oldest[0])
        return self.reading.split(first, self.reading.head(look, first - 1, self.reading.asked.ending), held)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Where there are no parts, Spark asks for one of its own."""
        return self.reading.read(partition) if isinstance(partition, Epochs) else iter(())
