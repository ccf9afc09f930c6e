"""Reading aligned inputs: epoch n of every input, or nothing yet.

Why: a batch starts when epoch n of ALL inputs is there, so that a join sees the same in every replica. And nobody reads below the
floor (rule 4): what stands there may be a revived epoch.
Called by: replicas and sinks.
"""

from dataclasses import dataclass, field, replace

from levee.topology.names import TaskId
from levee_spark.log import ask, damage
from levee_spark.log.floor import FloorWatch
from levee_spark.log.gaps import Gaps
from levee_spark.log.requests import Absent, Answer, Corrupt, Found, Get, Report, Script, Wait, Want
from levee_spark.log.values import EpochObject, Segment
from levee_spark.log.wiring import TaskWiring, Wiring


class BelowFloor(Exception):
    """One has been overtaken: what one needs is no longer kept. Fork from a newer checkpoint."""


class Stuck(Exception):
    """What one needs is corrupt or gone, and nobody has rebuilt it for long. Fork: others may have got past it before it was."""


@dataclass(slots=True)
class Inputs:
    wiring: Wiring
    task: TaskWiring
    reader: str  # for pins: never used twice
    want: Want = Want.RECORD
    pinned_from: int = 0  # a pin of one's own protects everything above this ...
    pinned_until_ms: int = -1  # ... until this reading of one's own clock
    watches: dict[TaskId, FloorWatch] = field(default_factory=dict)
    there: dict[TaskId, EpochObject] = field(default_factory=dict)  # of the epoch that is being gathered
    gathering: int = 0
    corrupt_since_ms: int | None = None
    gaps: Gaps = field(init=False)
    asked: int = 0  # how often for something to be rebuilt

    def __post_init__(self) -> None:
        times, self.gaps = self.wiring.times, Gaps(self.wiring)
        self.watches = {task: FloorWatch(self.wiring.layout, task, times.retention_ms) for task in self.task.inputs}

    def wait(self, epoch: int, ms: int) -> Wait:
        """Until something may have come that is missing."""
        missing = (task for task in self.task.inputs if epoch != self.gathering or task not in self.there)
        return Wait(ms, tuple(self.wiring.layout.epoch(task, epoch) for task in missing), polls=True)

    def gather(self, epoch: int) -> Script[tuple[EpochObject, ...] | None]:
        """Ask for what is still missing; None while anything is."""
        if epoch != self.gathering:
            self.gathering, self.there, self.corrupt_since_ms = epoch, {}, None
            self.gaps.forget()
        for task in self.task.inputs:
            if task not in self.there:
                found = yield from self.fetch(task, epoch)
                if found is not None:
                    self.there[task] = found
        return tuple(self.there[task] for task in self.task.inputs) if len(self.there) == len(self.task.inputs) else None

    def fetch(self, task: TaskId, epoch: int) -> Script[EpochObject | None]:
        answer = yield from ask.persistently(self.get(task, self.wiring.layout.epoch(task, epoch)))
        if isinstance(answer, Absent):
            answer = yield from self.absent(task, epoch, answer)
        whole = yield from self.whole(task, answer)
        if isinstance(whole, Corrupt):
            again = yield from ask.persistently(self.get(task, self.wiring.layout.rebuilt(task, epoch)))
            whole = whole if isinstance(again, Absent) else (yield from self.whole(task, again))
        known_ms = whole.ended_ms if isinstance(whole, Corrupt) else answer.ended_ms  # segments that are gone may have been trimmed since
        if (yield from self.overtaken(task, epoch, known_ms)):
            raise BelowFloor(f"{task} {epoch}")
        if isinstance(whole, Corrupt):
            yield from self.ask_to_rebuild(task, epoch, whole)
        return whole if isinstance(whole, EpochObject) else None

    def absent(self, task: TaskId, epoch: int, answer: Absent) -> Script[Absent | Corrupt]:
        """Mostly it has yet to come. What is gone proves nothing of when it was sealed (rule 4's exemption)."""
        if not (yield from self.gaps.is_gone(task, epoch, answer.ended_ms)):
            self.watches[task].saw_absent(epoch, answer)
            return answer
        self.watches[task].forget()
        why = f"{self.wiring.layout.epoch(task, epoch)}: this object is gone, and later epochs are there"
        return Corrupt(why, answer.began_ms, answer.ended_ms)

    def get(self, task: TaskId, key: str) -> Get:
        return Get(key, self.want, self.task.part_of(task))

    def overtaken(self, task: TaskId, epoch: int, now_ms: int) -> Script[bool]:
        if epoch > self.pinned_from and now_ms < self.pinned_until_ms:
            return False
        return (yield from self.watches[task].below(epoch, now_ms))

    def whole(self, task: TaskId, answer: Answer) -> Script[EpochObject | Absent | Corrupt]:
        """The epoch with its segments."""
        if isinstance(answer, Absent | Corrupt):
            return answer
        assert isinstance(answer, Found) and isinstance(answer.record, EpochObject)
        parts: list[object] = []
        for name in answer.record.manifest.segments if self.want is Want.RECORD else ():
            part = yield from ask.persistently(self.get(task, name))
            if not isinstance(part, Found) or not isinstance(part.record, Segment):
                return Corrupt(f"{name}: this segment of a committed epoch is corrupt or gone", part.began_ms, part.ended_ms)
            parts.append(part.record.payload)
        return replace(answer.record, payload=tuple(parts)) if parts else answer.record

    def ask_to_rebuild(self, task: TaskId, epoch: int, corrupt: Corrupt) -> Script[None]:
        """Say so at once and then again and again, for whoever answered may be gone; and after a while try another way."""
        patience_ms = self.wiring.times.failure_timeout_ms
        if self.corrupt_since_ms is not None and corrupt.ended_ms - self.corrupt_since_ms < patience_ms:
            return
        again, self.corrupt_since_ms = self.corrupt_since_ms is not None, corrupt.ended_ms
        yield Report("corrupt", epoch, corrupt.why, task)
        self.asked += 1
        yield from damage.request(self.wiring, task, epoch, f"{self.reader}-needs-{self.asked}")
        if again:
            raise Stuck(f"{task} {epoch}")
