"""The trimmer of a stream: rule 4's floor rises, and what lies below it is deleted.

Why: in this order and no other: look for pins, raise the floor, look for pins again, delete. The floor is the oldest published checkpoint
that anyone keeps who needs the stream: its consumers, and its own task, which must be able to replay and compare (rule 2); nor does it
pass what somebody who imports the stream into another topology has yet to read.
It is never younger than `retention` (rule 4's exemption rests on that), and a source's floor never passes an E(n) that is not recorded.
Called by: any worker, for each of its replicas; several at once do no harm, so whoever believes to be the first of its task trims, and the
others only watch the store's clock, so that they know it when their turn comes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from levee.topology.names import TaskId
from levee_spark.log import ask, clock, floor, head, pin, publish, registration, segments
from levee_spark.log.change import Changes
from levee_spark.log.clock import StoreClock
from levee_spark.log.commit import Unreadable
from levee_spark.log.control import ControlView
from levee_spark.log.keys import numbered
from levee_spark.log.requests import Found, Get, PutIfAbsent, Report, Script, Wait, Want
from levee_spark.log.values import Floor
from levee_spark.log.wiring import TaskWiring, Wiring

FLOORS_KEPT = 2
PERIODS, SHARE = 4, 8  # it takes about fifteen listings: once in an eighth of retention is often enough


def always() -> bool:
    return True


@dataclass(slots=True)
class Trimmer:
    wiring: Wiring
    task: TaskWiring
    incarnation: str
    leads: Callable[[], bool] = always
    changes: Changes = field(init=False)
    clock: StoreClock | None = None
    was_set_ms: int | None = None  # by one's own clock: when the store's was last seen to have been set
    swept: str = ""  # the segments up to this one have been looked at

    def __post_init__(self) -> None:
        self.changes = Changes(self.wiring, ControlView(self.wiring.layout))

    def run(self) -> Script[None]:
        while True:
            try:
                yield from self.trim()
            except Unreadable as corrupt:
                yield Report("corrupt", detail=corrupt.why)
            yield Wait(max(PERIODS * self.wiring.times.period_ms, self.wiring.times.retention_ms // SHARE))

    def trim(self) -> Script[None]:
        layout, task = self.wiring.layout, self.task.task
        if (yield from self.ask_time()) or not self.leads() or not (yield from self.is_ours()):
            return
        assert self.clock is not None
        if not self.task.is_source:
            yield from publish.retire(layout, self.task, (yield from pin.oldest(layout, task, self.clock)))
        if self.task.sink:
            return
        known = yield from floor.latest(layout, task, Floor(0, 0))
        target = yield from self.target(known.epoch)
        if target > known.epoch:
            if (yield from self.ask_time()) or not (yield from self.is_ours()):
                return  # set, or rewired, while one looked how old things are
            known = yield from self.raise_floor(known, target)
        yield from self.delete_below(known)

    def ask_time(self) -> Script[bool]:
        """Whether stamps cannot be trusted: for a while after the store's clock was set, things look older than they are."""
        times, known = self.wiring.times, self.clock
        self.clock = yield from clock.ask_time(self.wiring.layout, self.incarnation, known, times.resolution_ms)
        if clock.was_set(known, self.clock):
            self.was_set_ms = self.clock.at_ms
        return self.was_set_ms is not None and self.clock.at_ms - self.was_set_ms < max(times.retention_ms, times.pin_ms)

    def keepers(self) -> tuple[TaskId, ...]:
        own = () if self.task.is_source else (self.task.task,)
        return own + self.wiring.consumers(self.task.task)

    def target(self, low: int) -> Script[int]:
        """How far the floor may rise: nobody's checkpoint, nobody's pin, nothing young.

        Nor an E(n) that is still to be derived: whoever keeps a checkpoint at an epoch knew it for all that the epoch carries.
        """
        target = yield from self.oldest_kept()
        target = min(target, (yield from self.oldest_pinned(target)))
        while target > low and not (yield from self.old_enough(target)):
            target = low + (target - low) // 2
        return target

    def oldest_kept(self) -> Script[int]:
        oldest: int | None = None
        for keeper in self.keepers():
            kept = yield from publish.kept(self.wiring.layout, self.wiring.tasks[keeper])
            oldest = kept if oldest is None else min(oldest, kept)
        return oldest or 0

    def oldest_pinned(self, limit: int) -> Script[int]:
        """By whoever forks, and by whoever imports this stream into another topology."""
        assert self.clock is not None
        for keeper in self.keepers():
            held = yield from pin.oldest(self.wiring.layout, keeper, self.clock)
            limit = limit if held is None else min(limit, held)
        imported = yield from registration.oldest(self.wiring.layout, self.task.operator, self.clock)
        return limit if imported is None else min(limit, imported)

    def old_enough(self, target: int) -> Script[bool]:
        """Everything below `target` was sealed at least `retention` ago, by the clock that stamped it."""
        assert self.clock is not None
        found = yield from ask.persistently(Get(self.wiring.layout.epoch(self.task.task, target - 1), Want.STAMP))
        if not isinstance(found, Found):
            return target <= 1  # where it is corrupt, nobody knows: another target will do
        age_ms = self.clock.earliest(found.ended_ms) - found.written_ms - self.clock.resolution_ms
        return age_ms >= self.wiring.times.retention_ms

    def is_ours(self) -> Script[bool]:
        """Who is wired otherwise does not know who else needs this stream."""
        yield from self.begin_view()
        yield from self.changes.view.refresh()
        return not self.changes.view.records or self.wiring.computes(self.changes.view.newest().shape)

    def begin_view(self) -> Script[None]:
        """Whatever the epoch at the floor carries is recorded: else the floor would not be there."""
        view, layout, task = self.changes.view, self.wiring.layout, self.task.task
        low = (yield from floor.latest(layout, task, Floor(0, 0))).epoch if not view.records else 0
        manifest = (yield from head.manifest_at(layout, task, low)) if low else None
        if manifest is not None:
            yield from view.begin_from(manifest.position)

    def raise_floor(self, known: Floor, target: int) -> Script[Floor]:
        """Put the next record, then read what the floor is: another trimmer may have been faster, or this one slept."""
        raised = Floor(known.number + 1, target)
        yield from ask.persistently(PutIfAbsent(self.wiring.layout.floor(self.task.task, raised.number), raised))
        return (yield from floor.latest(self.wiring.layout, self.task.task, Floor(0, 0)))

    def delete_below(self, known: Floor) -> Script[None]:
        layout, task = self.wiring.layout, self.task.task
        limit = yield from self.oldest_pinned(known.epoch)
        for folder in (layout.epochs(task), layout.verdicts(task), layout.rebuilts(task), layout.segments(task)):
            yield from self.delete_numbered(folder, limit)
        self.swept = yield from segments.sweep(layout, task, self.swept)
        yield from self.delete_numbered(layout.floors(task), known.number - FLOORS_KEPT)

    def delete_numbered(self, folder: str, limit: int) -> Script[None]:
        after = ""
        while page := (yield from ask.page_of(folder, after, ask.PAGE)):
            for name in page:
                if numbered(name) >= limit:
                    return
                yield from ask.delete(name)
            if len(page) < ask.PAGE:
                return
            after = page[-1]
