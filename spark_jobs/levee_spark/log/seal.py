"""A sealer: ends the wait for an epoch that is late, where the policy of its stream is `skip`.

Why: bounded loss, in time, and all consumers see the same: the skipped epoch is put at the epoch's own key, so it races with the
late producer like any other writer. Only a task whose own inputs have been complete for a deadline is late; a source is late a deadline
after it could have sealed. That is counted for each epoch by itself: whoever is gone for long loses its epochs as they fall due, and its
consumers do not fall behind. Nothing is skipped before the newest anchor.
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
    ahead: Inputs = field(init=False)  # of the first epoch that has yet to be seen to be awaited
    since_ms: dict[int, int] = field(default_factory=dict)  # when it was seen that nothing but the task keeps an epoch away
    anchor: int = 0  # by which that was so

    def __post_init__(self) -> None:
        self.view = ControlView(self.wiring.layout)
        self.changes = Changes(self.wiring, self.view)
        self.inputs = Inputs(self.wiring, self.task, self.incarnation, Want.MANIFEST)
        self.ahead = Inputs(self.wiring, self.task, self.incarnation, Want.MANIFEST)
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
                self.since_ms.clear()
                yield Report("begins again", detail=str(detour))
                yield Wait(self.wiring.times.poll_ms)
            except Ended as end:
                return end.ending

    def follow(self, before: Manifest | None) -> Script[Manifest]:
        epoch = before.epoch + 1 if before else 1
        while True:
            now_ms = (yield Wait(self.wiring.times.poll_ms, (self.wiring.layout.epoch(self.task.task, epoch),), polls=True)).ended_ms
            found = yield from self.race.look(epoch)
            if found is None and (yield from self.is_late(epoch, before, now_ms)):
                yield Report("skips", epoch)
                found = yield from self.race.put((yield from self.skipped(epoch, before)))
            if found is not None:
                yield from self.race.must_count(found)
                self.since_ms.pop(epoch, None)
                return found.manifest

    def is_late(self, epoch: int, before: Manifest | None, now_ms: int) -> Script[bool]:
        could = yield from self.could_be_there(epoch, before)
        known, self.anchor = self.anchor, self.pace.anchors.latest()
        if not could or self.anchor != known:  # a new anchor says anew what is due when
            self.since_ms.clear()
        if not could:
            return False
        since_ms = self.since_ms.setdefault(epoch, now_ms)
        yield from self.look_ahead(now_ms)
        return now_ms - since_ms >= self.wiring.times.deadline_ms

    def look_ahead(self, now_ms: int) -> Script[None]:
        """While one epoch is awaited the time of those after it runs, too. One at a time: there may be thousands."""
        epoch = max(self.since_ms) + 1
        if self.task.is_source:
            awaited = (yield from self.pace.is_due(epoch)) and (yield from self.pace.keeps_its_distance(epoch))
        else:
            awaited = (yield from self.ahead.gather(epoch)) is not None
        if awaited:
            self.since_ms[epoch] = now_ms

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
