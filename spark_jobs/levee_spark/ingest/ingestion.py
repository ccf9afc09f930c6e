"""What answers `Ingest`, and what it counts.

Why: a worker drives a generator and a streaming query of Spark in the same way, and tests put a hand-written one in their place.
Called by: workers; implemented by `replay` and `streaming`.
"""

from dataclasses import dataclass
from typing import Protocol

from levee_spark.log.requests import Computed, Raised


@dataclass(slots=True)
class Counters:
    """Since this ingestion was made, whatever became of the epochs."""

    ingested_rows: int = 0
    waiting_rows: int | None = None  # now; None: the source does not tell
    paced: bool = False  # rows fall due epoch by epoch, so that whoever knows how many epochs are due knows how many rows
    offered_rows: int = 0  # taken in, and what the backlog has grown by; where the source does not tell its backlog: taken in


class Ingestion(Protocol):
    """Used by one thread; `stop` may come from any."""

    @property
    def counters(self) -> Counters: ...

    def warm(self) -> None:
        """Whatever makes the first epoch faster and takes no rows; may take a second, and fails in silence."""

    def ingest(self, epoch: int, offsets: str | None) -> Computed | Raised:
        """The rows that come after `offsets`, which are those of the committed epoch before, whoever wrote it; None: the first rows.

        Raised: nothing was taken; the same may be asked again, and begins anew.
        """

    def again(self, epoch: int, offsets: str | None, until: str) -> Computed | Raised:
        """The rows of a committed epoch that ended at `until`, as far as they can still be had; it counts for nothing else."""

    def ended(self, epoch: int) -> bool:
        """Whether no row will ever come in `epoch` or after it: a bounded source stays, and gives empty epochs."""

    def stop(self) -> None:
        """Whoever waits in `ingest` is told that it raised."""
