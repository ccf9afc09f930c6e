"""What both of Spark's readers of a stream do: where it begins and ends, which parts it is read in, and the rows of one.

Why: an offset is an epoch, so that a query that starts again from its checkpoint reads the same rows in the same batches, and no batch
holds an epoch of one task without that of the others.
Called by: `reading`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.datasource import InputPartition
from pyspark.sql.types import StructType

from levee.topology.names import TaskId
from levee_spark.notebook.asked import Asked
from levee_spark.notebook.holding import Hold
from levee_spark.notebook.look import Look
from levee_spark.notebook.rows import batches_of
from levee_spark.notebook.trouble import CannotUse

PARTITION_EPOCHS = 32


class Epochs(InputPartition):
    def __init__(self, task: TaskId, first: int, last: int, hold: Hold | None = None) -> None:
        super().__init__(None)
        self.task, self.first, self.last, self.hold = task, first, last, hold


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

    def split(self, first: int, last: int, hold: Hold | None = None) -> Sequence[Epochs]:
        begins = range(first, last + 1, PARTITION_EPOCHS)
        return [Epochs(task, begin, min(last, begin + PARTITION_EPOCHS - 1), hold) for task in self.tasks for begin in begins]

    def read(self, part: Epochs) -> Iterator[pa.RecordBatch]:
        """What is read below the floor may be what somebody who slept has put back: it does not count. What is held stays."""
        look, lenient = self.look(), not self.asked.fails_on_loss
        held = part.hold is not None and part.hold.renew(look)
        for number in range(part.first, part.last + 1):
            found = look.epoch(part.task, number)
            if lenient and (found is None or look.oldest(part.task) > number):
                continue
            if found is None:
                raise lost(look, part.task, number)
            yield from batches_of(look, part.task, found, self.schema)
        if not lenient and not held and look.oldest(part.task) > part.first:
            raise lost(look, part.task, part.first)


def lost(look: Look, task: TaskId, epoch: int) -> CannotUse:
    oldest = look.oldest(task)
    wrong = (
        f"epoch {epoch} of task {task} has been trimmed; the oldest that is left is {oldest}"
        if oldest > epoch
        else f"epoch {epoch} is gone"
    )
    return look.tell(wrong, "keep epochs for longer (spec.epoch.retention), read more often, or accept the gap: failOnDataLoss=false")
