"""Rule 7, pace: when a source's next epoch may be sealed.

Why: not before it is due; at most `lead` ahead of the slowest source, so that joins do not pile up; at most `backlog` ahead of the slowest
task downstream, which is back-pressure that reaches the source wherever it begins; and never past the last epoch of a stop (rule 6).
A sealer asks the same before it calls a source late: who is held back is not late.
Called by: ingestors, sealers.
"""

from dataclasses import dataclass, field

from levee.topology.names import TaskId
from levee_spark.log import anchor, ask, clock, floor, head
from levee_spark.log.anchor import AnchorView
from levee_spark.log.change import Changes
from levee_spark.log.clock import StoreClock
from levee_spark.log.keys import numbered
from levee_spark.log.requests import Report, Script, Wait
from levee_spark.log.values import Anchor, Floor, Manifest
from levee_spark.log.wiring import Wiring

RESAMPLE_PERIODS = 50


@dataclass(slots=True)
class Pace:
    wiring: Wiring
    source: TaskId
    holder: str
    changes: Changes
    anchors: AnchorView = field(init=False)
    clock: StoreClock | None = None
    refreshed_ms: int = 0
    early_ms: int = 0  # before the epoch is due for which a pause was asked last
    reached: dict[TaskId, int] = field(default_factory=dict)  # at least this far has each task come

    def __post_init__(self) -> None:
        self.anchors = AnchorView(self.wiring.layout, self.wiring.times.period_ms)

    def permits(self, epoch: int, before: Manifest | None) -> Script[bool]:
        return (
            (yield from self.is_due(epoch))
            and (self.is_waited_for(before) or (yield from self.keeps_its_distance(epoch)))
            and (yield from self.changes.may_seal(self.source, epoch, before))
        )

    def is_waited_for(self, before: Manifest | None) -> bool:
        """A change of rows is known that this source has yet to carry: tasks wait for E(n), so waiting for them would never end."""
        view = self.changes.view
        return before is not None and view.latest() >= view.base and before.position < view.newest().shape_number

    def keeps_its_distance(self, epoch: int) -> Script[bool]:
        times = self.wiring.times
        return (yield from self.all_reached(self.other_sources(), epoch - times.lead)) and (
            yield from self.all_reached(self.wiring.downstream(self.source), epoch - times.backlog)
        )

    def other_sources(self) -> tuple[TaskId, ...]:
        return tuple(source for source in self.wiring.sources() if source != self.source)

    def is_due(self, epoch: int) -> Script[bool]:
        now = yield Wait(0)
        if self.anchors.due_ms(epoch) is None or now.ended_ms - self.refreshed_ms >= self.wiring.times.period_ms:
            self.refreshed_ms = now.ended_ms
            yield from self.anchors.refresh(epoch)
        due_ms = self.anchors.due_ms(epoch)
        return due_ms is not None and (yield from self.earliest()) >= due_ms

    def pause_ms(self, epoch: int) -> Script[int]:
        """Until asking again can be of use: not before the epoch is due, and after that as often as one may."""
        due_ms = self.anchors.due_ms(epoch)
        self.early_ms = 0 if due_ms is None else due_ms - (yield from self.earliest())
        return max(self.wiring.times.poll_ms, min(self.early_ms, self.wiring.times.period_ms))

    def earliest(self) -> Script[int]:
        """What time it is at least: an epoch must not be sealed early because some clock runs fast."""
        now = (yield Wait(0)).ended_ms
        if self.clock is None or now - self.clock.at_ms > RESAMPLE_PERIODS * self.wiring.times.period_ms:
            known = self.clock
            self.clock = yield from clock.ask_time(self.wiring.layout, self.holder, known, self.wiring.times.resolution_ms)
            now = self.clock.at_ms
            if clock.was_set(known, self.clock):
                yield from self.anchor_anew(self.clock)
        return self.clock.earliest(now)

    def anchor_anew(self, now: StoreClock) -> Script[None]:
        """The store's clock was set, perhaps by hours: else epochs would not be due for so long, or all be due at once."""
        known = self.anchors.latest()
        yield from self.anchors.refresh()
        if self.anchors.latest() > known or not known:
            return  # somebody else has seen it
        first = yield from self.slowest()
        yield Report("the store's clock was set", first + 1)
        yield from anchor.write(self.wiring.layout, Anchor(known + 1, first + 1, now.high_ms))
        yield from self.anchors.refresh()

    def slowest(self) -> Script[int]:
        """The head of the source that is furthest behind."""
        heads: list[int] = []
        for source in self.wiring.sources():
            found = yield from head.find(self.wiring.layout, source)
            heads.append(found.epoch if found else 0)
        return min(heads)

    def all_reached(self, tasks: tuple[TaskId, ...], epoch: int) -> Script[bool]:
        for task in tasks:
            if epoch > self.reached.get(task, 0):
                self.reached[task] = max(self.reached.get(task, 0), (yield from self.progress(task, epoch)))
                if epoch > self.reached[task]:
                    return False
        return True

    def progress(self, task: TaskId, epoch: int) -> Script[int]:
        """How far a task has come, as far as one has to know: its stream tells, what it has published, or its floor."""
        if self.wiring.tasks[task].sink:
            names = yield from ask.names(self.wiring.layout.checkpoints(task))
            return numbered(names[-1]) if names else 0
        if (yield from head.is_there(self.wiring.layout, task, epoch)):
            return epoch
        return (yield from floor.latest(self.wiring.layout, task, Floor(0, 0))).epoch
