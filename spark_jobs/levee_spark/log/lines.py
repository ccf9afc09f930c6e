"""Rule 2: whose line the stream continues, and what a replica does that is not on it.

Why: without it a stream could be stitched from two executions, each epoch plausible and the whole impossible.
A replica goes on only from a committed epoch that carries its own lineage. If it does not, it forks; if it fails to reproduce the same
epoch again and again, it trails: follows what is committed with its own state, until a checkpoint of the winner's line is published,
and forks from that. If nothing final comes for `failureTimeout` after the inputs were complete, it adopts, and the break is marked.
Called by: replicas. Sources have no line of their own: they go on from what is committed.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from levee_spark.log.digest import lineage
from levee_spark.log.fork import Line
from levee_spark.log.values import Kind, Manifest

TRIES = 3  # the same epoch, before one trails


class Finding(StrEnum):
    OWN = "own"
    OTHER = "other"


def compare(line: Line, mine: Manifest, committed: Manifest) -> Finding:
    """Skipped and failed epochs continue every line that was on the stream before them."""
    if committed.kind is Kind.FINAL:
        return Finding.OWN if committed.lineage == mine.lineage else Finding.OTHER
    return Finding.OWN if committed.lineage == lineage(line.lineage, committed.digest) else Finding.OTHER


def difference(mine: Manifest, committed: Manifest) -> str:
    return f"{of(mine)} of its own, {of(committed)} by {committed.writer}"


def of(manifest: Manifest) -> str:
    return f"{manifest.kind.value}, {manifest.rows} rows, digest {manifest.digest}, line {manifest.lineage}"


def told(mine: Manifest, committed: Manifest) -> str:
    """For whoever reads why a replica failed."""
    return f"diverged at epoch {mine.epoch}: its rows are not those that {committed.writer} committed; levee check says which column"


@dataclass(slots=True)
class Divergence:
    """What one replica remembers of its divergences, across its forks."""

    tries: dict[int, int] = field(default_factory=dict)
    trails_from: int | None = None  # the epoch that one fails to reproduce
    taken_over: int = 0  # the newest checkpoint that one has tried to go on from meanwhile
    quiet_since_ms: int | None = None  # at the head, inputs complete, nothing final since

    @property
    def trailing(self) -> bool:
        return self.trails_from is not None

    def forked(self) -> None:
        self.trails_from, self.quiet_since_ms = None, None

    def diverged(self, epoch: int) -> None:
        self.tries[epoch] = self.tries.get(epoch, 0) + 1
        if self.tries[epoch] >= TRIES:
            self.trails_from = epoch

    def accepted(self, epoch: int) -> None:
        """Counts of epochs that lie behind are done with; those ahead stay while one replays what lies before them."""
        self.tries = {other: count for other, count in self.tries.items() if other > epoch}

    def followed(self, committed: Manifest) -> None:
        """Skipped epochs are no sign of life: anyone may seal them."""
        if committed.kind is Kind.FINAL:
            self.quiet_since_ms = None

    def adopts(self, now_ms: int, failure_timeout_ms: int) -> bool:
        """At the head, the next epoch being absent."""
        if self.quiet_since_ms is None:
            self.quiet_since_ms = now_ms
        return now_ms - self.quiet_since_ms >= failure_timeout_ms

    def takes_over(self, published: int) -> bool:
        """A checkpoint from there on is of the winner's line: whoever trails publishes nothing. Once, should it be corrupt."""
        if self.trails_from is None or published < self.trails_from or published <= self.taken_over:
            return False
        self.taken_over = published
        return True
