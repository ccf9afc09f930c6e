"""A sealer: ends the wait for an epoch that is late, where the policy of its stream is `skip`.

Why: bounded loss, in time, and all consumers see the same: the skipped epoch is put at the epoch's own key, so it races with the
late producer like any other writer. Only a task whose own inputs have been complete for a deadline is late; a source is late a deadline
after it could have sealed. Nothing is skipped before the newest anchor.
Called by: the task's sentinel, or any consumer's replica beside its own work.
"""

from dataclasses import dataclass, field

from levee_spark.log import bounds, head
from levee_spark.log.change import Changes
from levee_spark.log.commit import Unreadable
from levee_spark.log.control import ControlView
from levee_spark.log.digest import lineage, sealed_digest
from levee_spark.log.ending import Ended, Ending, Refork
from levee_spark.log.inputs import BelowFloor, Inputs, Stuck
from levee_spark.log.pace import Pace
from levee_spark.log.race import Race
from levee_spark.log.requests import Report, Script, Wait, Want
from levee_spark.log.values import GENESIS, EpochObject, Kind, Manifest
from levee_spark.log.wiring import TaskWiring, Wiring


@dataclass(slots=True)
class Sealer:
    wiring: Wiring
    task: TaskWiring
    incarnation: str
    view: ControlView = field(init=False)
    changes: Changes = field(init=False)
    inputs: Inputs = field(init=False)
    race: Race = field(init=False)
    pace: Pace = field(init=False)

    def __post_init__(self) -> None:
        self.view = ControlView(self.wiring.layout)
        self.changes = Changes(self.wiring, self.view)
        self.inputs = Inputs(self.wiring, self.task, self.incarnation, Want.MANIFEST)
        self.race = Race(self.wiring, self.task.task, self.incarnation)
        self.pace = Pace(self.wiring, self.task.task, self.incarnation, self.changes)

    def run(self) -> Script[Ending]:
        while True:
            try:
                before = yield from head.find(self.wiring.layout, self.task.task)
                if before is not None and not self.view.records:
                    yield from self.view.begin_from(before.position)
                while True:
                    before = yield from self.follow(before)
            except (Refork, BelowFloor, Stuck, Unreadable) as detour:
                yield Report("begins again", detail=str(detour))
                yield Wait(self.wiring.times.poll_ms)
            except Ended as end:
                return end.ending

    def follow(self, before: Manifest | None) -> Script[Manifest]:
        epoch = before.epoch + 1 if before else 1
        since_ms: int | None = None
        while True:
            now_ms = (yield Wait(self.wiring.times.poll_ms, (self.wiring.layout.epoch(self.task.task, epoch),), polls=True)).ended_ms
            found = yield from self.race.look(epoch)
            if found is None and since_ms is not None and now_ms - since_ms >= self.wiring.times.deadline_ms:
                yield Report("skips", epoch)
                found = yield from self.race.put((yield from self.skipped(epoch, before)))
            if found is not None:
                yield from self.race.must_count(found)
                return found.manifest
            since_ms = (since_ms or now_ms) if (yield from self.could_be_there(epoch, before)) else None

    def could_be_there(self, epoch: int, before: Manifest | None) -> Script[bool]:
        """Whether nothing but the task itself keeps this epoch away."""
        yield from self.view.refresh()
        yield from self.pace.anchors.refresh(epoch)
        if not self.pace.anchors.may_skip(epoch):
            return False
        if self.task.is_source:
            return (yield from self.pace.permits(epoch, before))
        self.changes.leave_if_rewired(epoch - 1)
        gathered = yield from self.inputs.gather(epoch)
        if gathered is None or not (yield from self.changes.settle(max(one.manifest.position for one in gathered))):
            return False
        self.changes.must_be_ours(epoch)
        return True

    def skipped(self, epoch: int, before: Manifest | None) -> Script[EpochObject]:
        offsets = before.offsets if before else None  # of a source: the rows that it did not take in are still to come
        digest = sealed_digest(Kind.SKIPPED, offsets)
        gathered = () if self.task.is_source else (yield from self.inputs.gather(epoch)) or ()
        read = self.view.latest() if self.task.is_source else max(one.manifest.position for one in gathered)
        chained = lineage(before.lineage if before else GENESIS, digest)
        position = max(read, before.position if before else 0)
        due_ms = self.pace.anchors.due_ms(epoch) or 0
        time_ms = due_ms if self.task.is_source else max(one.manifest.time_ms for one in gathered)
        ended = bounds.of_source(epoch, before) if self.task.is_source else bounds.of_task(epoch, gathered)
        skipped = Manifest(epoch, Kind.SKIPPED, 0, digest, chained, position, self.incarnation, time_ms, offsets=offsets, ended=ended)
        return EpochObject(skipped)
