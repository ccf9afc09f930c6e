"""Rule 4: below the floor nothing counts, neither for those who write nor for those who read.

Why: a replica that slept for an hour finds the key of a trimmed epoch free, and would revive it. So whoever has written or read an
epoch looks at the floor afterwards. Floors are numbered records that only rise.
The look may be left out for a while by those who know that the floor cannot have come so far: see `exempt`.
Called by: everybody who reads or writes epochs; raised by `trim`.
"""

from dataclasses import dataclass, field

from levee.topology.names import TaskId
from levee_spark.log import ask
from levee_spark.log.keys import Layout, numbered
from levee_spark.log.requests import Absent, Script
from levee_spark.log.values import Floor


@dataclass(frozen=True, slots=True)
class Sight:
    """An epoch that was not there, and a reading of one's own clock from just before one asked."""

    epoch: int
    began_ms: int


@dataclass(slots=True)
class FloorWatch:
    """One reader's knowledge of one stream's floor."""

    layout: Layout
    task: TaskId
    retention_ms: int
    known: Floor = field(default_factory=lambda: Floor(0, 0))
    absent: Sight | None = None  # seen since the floor was last read
    witness: Sight | None = None  # seen absent, and then the floor was not above it: not sealed before that moment

    def saw_absent(self, epoch: int, answer: Absent) -> None:
        self.absent = Sight(epoch, answer.began_ms)

    def forget(self) -> None:
        """What was absent had been there before."""
        self.absent = self.witness = None

    def read(self) -> Script[int]:
        """The floor as it is now; what was seen absent before may become the new witness."""
        candidate = self.absent
        self.known = yield from latest(self.layout, self.task, self.known)
        if candidate is not None and self.known.epoch <= candidate.epoch:
            self.witness = candidate
        return self.known.epoch

    def below(self, epoch: int, now_ms: int) -> Script[bool]:
        """Whether an epoch that was written or read by `now_ms` does not count."""
        if epoch < self.known.epoch:
            return True
        if exempt(self.witness, epoch, now_ms, self.retention_ms):
            return False
        return epoch < (yield from self.read())


def exempt(witness: Sight | None, epoch: int, now_ms: int, retention_ms: int) -> bool:
    """Whether the floor cannot have passed `epoch` yet.

    The witness was sealed after it was seen absent, so the floor stays below it for `retention` from then on; half of that leaves room
    for clocks that run at different speeds. What is seen absent AFTER the floor was read would prove nothing: it may have been trimmed.
    """
    return witness is not None and witness.epoch <= epoch and now_ms - witness.began_ms < retention_ms // 2


def latest(layout: Layout, task: TaskId, known: Floor) -> Script[Floor]:
    """The record with the largest number. Records before it may be deleted, so the next number is no proof: list what follows."""
    after = layout.floor(task, known.number) if known.number else ""
    while True:
        found = yield from ask.names(layout.floors(task), after)
        if not found:
            return known
        record = yield from ask.read(layout.floor(task, numbered(found[-1])), Floor)
        if record is not None:  # else it was overtaken and deleted: there is a later one
            return record if record.epoch >= known.epoch else known
