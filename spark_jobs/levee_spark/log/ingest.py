"""An ingestor: a replica of a source's task. It turns what comes from outside into epochs.

Why: sources never diverge and never adopt. Whoever loses an epoch goes on from the end offsets of what was committed, whatever it had
read itself; else a source that lost one race would lose rows in the next.
Called by: a worker, with a Spark source behind `Ingest`; the simulation.
"""

from dataclasses import dataclass, field

from levee_spark.log import bounds, head, segments
from levee_spark.log.commit import Committed, Unreadable
from levee_spark.log.digest import lineage
from levee_spark.log.ending import Ended, Ending, Refork
from levee_spark.log.keys import numbered
from levee_spark.log.listen import Listener
from levee_spark.log.pace import Pace
from levee_spark.log.race import Race
from levee_spark.log.rank import Last
from levee_spark.log.requests import Computed, Ingest, Report, Script, Wait
from levee_spark.log.values import GENESIS, EpochObject, Kind, Manifest
from levee_spark.log.wiring import TaskWiring, Wiring


@dataclass(slots=True)
class Ingestor:
    wiring: Wiring
    task: TaskWiring
    name: str
    incarnation: str
    listener: Listener = field(init=False)
    race: Race = field(init=False)
    pace: Pace = field(init=False)
    listened_ms: int = 0
    looked_ms: int = 0
    trails: bool = False  # the epoch before was there, though it was not due

    def __post_init__(self) -> None:
        self.listener = Listener(self.wiring, self.name)
        self.race = Race(self.wiring, self.task.task, self.incarnation)
        self.pace = Pace(self.wiring, self.task.task, self.incarnation, self.listener.changes)

    def run(self) -> Script[Ending]:
        while True:
            try:
                before = yield from head.find(self.wiring.layout, self.task.task)
                if before is not None and not self.listener.view.records:
                    yield from self.listener.view.begin_from(before.position)
                if (yield from self.listener.wait_until_active()):
                    before = yield from head.find(self.wiring.layout, self.task.task)
                self.race.behind = True
                while True:
                    before = yield from self.advance(before)
            except Refork as detour:
                yield Report("begins again", detail=str(detour))
                yield Wait(self.wiring.times.poll_ms)
            except Unreadable as corrupt:  # Refused: what the next epoch begins with stood there, and nowhere else.
                yield Report("corrupt", numbered(corrupt.key), corrupt.why, self.task.task)
                yield Wait(self.wiring.times.failure_timeout_ms)
            except Ended as end:
                return end.ending

    def advance(self, before: Manifest | None) -> Script[Manifest]:
        epoch = before.epoch + 1 if before else 1
        yield from self.wait_for_turn(epoch, before)
        found = yield from self.race.approach(epoch, self.listener.rank() or 0)
        if found is None:
            found = yield from self.seal(epoch, before)
        yield from self.race.must_count(found)
        yield from self.race.remember(found.manifest)
        if found.manifest.ended:
            yield Report("ended", epoch)
        return found.manifest  # whoever wrote it: its end offsets are where the next epoch begins

    def wait_for_turn(self, epoch: int, before: Manifest | None) -> Script[None]:
        while True:
            now = yield Wait(0)
            if now.ended_ms - self.listened_ms >= self.wiring.times.period_ms:
                self.listened_ms = now.ended_ms
                if (yield from self.listener.listen()):
                    self.race.last = Last.NONE
            self.listener.changes.leave_if_rewired(epoch - 1)
            if self.listener.rank() is None:
                raise Refork("no longer active", epoch)
            if (yield from self.pace.permits(epoch, before)):
                return
            pause_ms = yield from self.pace.pause_ms(epoch)
            if self.pace.early_ms >= self.wiring.times.failure_timeout_ms and (yield from self.is_there(epoch, now.ended_ms)):
                return
            yield Wait(pause_ms)

    def is_there(self, epoch: int, now_ms: int) -> Script[bool]:
        """Somebody may have sealed it by a clock that was ahead then: who waited until it is due again could take over from nobody."""
        if not self.trails and now_ms - self.looked_ms < self.wiring.times.failure_timeout_ms:
            return False
        self.looked_ms = now_ms
        self.trails = (yield from self.race.look(epoch)) is not None
        self.race.behind = self.race.behind or self.trails
        return self.trails

    def seal(self, epoch: int, before: Manifest | None) -> Script[Committed]:
        computed = yield Ingest(epoch, before.offsets if before else None)
        assert isinstance(computed, Computed)
        parts = tuple((self.wiring.layout.segment(self.task.task, epoch, digest), payload) for digest, payload in computed.segments)
        yield from segments.write(parts)
        manifest = Manifest(
            epoch,
            Kind.FINAL,
            computed.rows,
            computed.digest,
            lineage(before.lineage if before else GENESIS, computed.digest),
            position=max(self.listener.view.latest(), before.position if before else 0),
            writer=self.incarnation,
            time_ms=self.pace.anchors.due_ms(epoch) or 0,
            offsets=computed.offsets,
            segments=tuple(name for name, _ in parts),
            ended=bounds.of_source(epoch, before, ended=computed.ended),
        )
        return (yield from self.race.put(EpochObject(manifest, computed.payload)))
