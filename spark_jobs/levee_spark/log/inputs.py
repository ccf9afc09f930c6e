"""Reading aligned inputs: epoch n of every input, or nothing yet.

Why: a batch starts when epoch n of ALL inputs is there, so that a join sees the same in every replica. And nobody reads below the
floor (rule 4): what stands there may be a revived epoch.
Called by: replicas and sinks.
"""

from dataclasses import dataclass, field, replace

from levee.topology.names import TaskId
from levee_spark.log import ask, commit
from levee_spark.log.floor import FloorWatch
from levee_spark.log.requests import Absent, Found, Script
from levee_spark.log.values import EpochObject, Segment
from levee_spark.log.wiring import Wiring


class BelowFloor(Exception):
    """One has been overtaken: what one needs is no longer kept. Fork from a newer checkpoint."""


@dataclass(slots=True)
class Inputs:
    wiring: Wiring
    tasks: tuple[TaskId, ...]
    pinned_from: int = 0  # a pin of one's own protects everything above this ...
    pinned_until_ms: int = -1  # ... until this reading of one's own clock
    watches: dict[TaskId, FloorWatch] = field(default_factory=dict)
    there: dict[TaskId, EpochObject] = field(default_factory=dict)  # of the epoch that is being gathered
    gathering: int = 0

    def __post_init__(self) -> None:
        times = self.wiring.times
        self.watches = {task: FloorWatch(self.wiring.layout, task, times.retention_ms) for task in self.tasks}

    def gather(self, epoch: int) -> Script[tuple[EpochObject, ...] | None]:
        """Ask for what is still missing; None while anything is."""
        if epoch != self.gathering:
            self.gathering, self.there = epoch, {}
        for task in self.tasks:
            if task not in self.there:
                found = yield from self.fetch(task, epoch)
                if found is not None:
                    self.there[task] = found
        return tuple(self.there[task] for task in self.tasks) if len(self.there) == len(self.tasks) else None

    def fetch(self, task: TaskId, epoch: int) -> Script[EpochObject | None]:
        key = self.wiring.layout.epoch(task, epoch)
        answer = yield from ask.look(key)
        whole = None
        if isinstance(answer, Absent):
            self.watches[task].saw_absent(epoch, answer)
        else:
            whole = yield from self.whole(key, answer)
        if (yield from self.overtaken(task, epoch, answer.ended_ms)):
            raise BelowFloor(f"{task} {epoch}")
        if isinstance(answer, Found) and whole is None:
            raise ask.CorruptRecord(f"{key}: a segment of it is gone")
        return whole

    def overtaken(self, task: TaskId, epoch: int, now_ms: int) -> Script[bool]:
        if epoch > self.pinned_from and now_ms < self.pinned_until_ms:
            return False
        return (yield from self.watches[task].below(epoch, now_ms))

    def whole(self, key: str, found: Found) -> Script[EpochObject | None]:
        """The epoch with its segments; None where one of them is gone."""
        manifest = commit.manifest_of(key, found)
        assert isinstance(found.record, EpochObject)
        if not manifest.segments:
            return found.record
        parts: list[object] = []
        for name in manifest.segments:
            part = yield from ask.read(name, Segment)
            if part is None:
                return None
            parts.append(part.payload)
        return replace(found.record, payload=tuple(parts))
