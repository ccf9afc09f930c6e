"""How many rows wait in a source, from what its query says of its progress.

Why: a source that offers more than is taken in must be seen to do so before its epochs are late.
Called by: `streaming`. Of files: `waiting`.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pyspark.sql.streaming.query import StreamingQuery


class Backlog(Protocol):
    rows: int | None  # None: nothing is known yet

    def growth(self, query: StreamingQuery, rows: int) -> int:
        """Since it was asked last, and since when so many rows were taken in."""


@dataclass(slots=True)
class OffsetsWaiting:
    """Of a source whose offsets are numbers of rows by topic and partition, as Kafka's are."""

    task: int
    tasks: int
    rows: int | None = None

    def growth(self, query: StreamingQuery, _rows: int) -> int:
        """The progress of a batch is told a little after the batch, so this is one epoch behind."""
        progress = query.lastProgress
        if progress is None:
            return 0
        now = max((waiting(one.endOffset, one.latestOffset, self.task, self.tasks) for one in progress.sources), default=0)
        before, self.rows = self.rows, now
        return 0 if before is None else now - before


@dataclass(slots=True)
class RowsDue:
    """Of Spark's `rate`, whose rows fall due by the clock: after a pause it hands over many at once, and none was offered faster."""

    per_s: float
    now_ms: Callable[[], int]
    rows: int | None = None  # none wait: all that are due are taken
    since_ms: int | None = None
    due: int = 0

    def growth(self, _query: StreamingQuery, rows: int) -> int:
        now_ms = self.now_ms()
        self.since_ms = now_ms if self.since_ms is None else self.since_ms
        before, self.due = self.due, int(self.per_s * (now_ms - self.since_ms) / 1_000)
        return self.due - before - rows


def waiting(end: str | None, latest: str | None, task: int, tasks: int) -> int:
    reached, there = offsets(end), offsets(latest)
    return sum(max(0, there[one] - reached.get(one, 0)) for one in there if one[1] % tasks == task)


def offsets(text: str | None) -> dict[tuple[str, int], int]:
    """By topic and partition; nothing where it is another source's."""
    told: Any = json.loads(text) if text else None
    if not isinstance(told, dict):
        return {}
    partitions = ((topic, one) for topic, one in told.items() if isinstance(one, dict))
    return {(topic, int(number)): int(offset) for topic, by_number in partitions for number, offset in by_number.items()}
