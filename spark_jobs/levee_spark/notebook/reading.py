"""Spark's readers of a stream: batches of whole epochs, of all tasks of the stream.

Why: an offset is an epoch, so that a query that starts again from its checkpoint reads the same rows in the same batches, and no batch
holds an epoch of one task without that of the others.
Called by: Spark, in Python processes of its own: some ask for offsets, others read.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from levee.topology.names import TaskId
from levee_spark.notebook.asked import Asked
from levee_spark.notebook.look import Look
from levee_spark.notebook.rows import batches_of
from levee_spark.notebook.trouble import CannotUse

PARTITION_EPOCHS = 32
FLOOR_EVERY = 20  # idle looks; a query that has fallen below the floor finds nothing more


class Epochs(InputPartition):
    def __init__(self, task: TaskId, first: int, last: int) -> None:
        super().__init__(None)
        self.task, self.first, self.last = task, first, last


@dataclass
class Reading:
    """What the two readers share."""

    asked: Asked
    schema: StructType
    tasks: tuple[TaskId, ...]

    def look(self) -> Look:
        return Look.at(self.asked)

    def begin(self, look: Look) -> int:
        """The epoch before the first that is read."""
        match self.asked.starting:
            case "earliest":
                return max(look.oldest(task) for task in self.tasks) - 1
            case "latest":
                return self.head(look, max(look.oldest(task) for task in self.tasks) - 1)
            case number:
                return int(number) - 1

    def head(self, look: Look, low: int, high: int | None = None) -> int:
        """The last epoch that all tasks have."""
        for task in self.tasks:
            high = look.head(task, low, high)
        return low if high is None else high

    def split(self, first: int, last: int) -> Sequence[Epochs]:
        begins = range(first, last + 1, PARTITION_EPOCHS)
        return [Epochs(task, begin, min(last, begin + PARTITION_EPOCHS - 1)) for task in self.tasks for begin in begins]

    def read(self, part: Epochs) -> Iterator[pa.RecordBatch]:
        """What is read below the floor may be what somebody who slept has put back: it does not count."""
        look, lenient = self.look(), not self.asked.fails_on_loss
        for number in range(part.first, part.last + 1):
            found = look.epoch(part.task, number)
            if lenient and (found is None or look.oldest(part.task) > number):
                continue
            if found is None:
                raise lost(look, part.task, number)
            yield from batches_of(look, part.task, found, self.schema)
        if not lenient and look.oldest(part.task) > part.first:
            raise lost(look, part.task, part.first)


def lost(look: Look, task: TaskId, epoch: int) -> CannotUse:
    oldest = look.oldest(task)
    wrong = (
        f"epoch {epoch} of task {task} has been trimmed; the oldest that is left is {oldest}"
        if oldest > epoch
        else f"epoch {epoch} is gone"
    )
    return look.tell(wrong, "keep epochs for longer (spec.epoch.retention), read more often, or accept the gap: failOnDataLoss=false")


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
        oldest = max((look.oldest(task), task) for task in self.reading.tasks)
        if oldest[0] > first and self.reading.asked.fails_on_loss:
            raise lost(look, oldest[1], first)
        first = max(first, oldest[0])
        return self.reading.split(first, self.reading.head(look, first - 1, self.reading.asked.ending))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Epochs)
        return self.reading.read(partition)
