"""Looks into a topology's store from outside: which streams there are, how far they go, what is in an epoch.

Why: a role asks a silent store until it answers; somebody before a notebook wants to be told. And who only reads must be able to with keys
that permit no more than that, so nothing here writes (a batch tries to: see `holding`).
Called by: `reading`, `writing`, `source`.
"""

from dataclasses import dataclass, field

from levee.topology.names import TaskId
from levee_spark.log import ask, floor, head
from levee_spark.log.control import ControlView
from levee_spark.log.keys import Layout, second_key
from levee_spark.log.requests import Absent, Answer, Corrupt, Found, Get, Request, Script, T, Unknown, Wait
from levee_spark.log.values import EpochObject, Floor, Segment
from levee_spark.notebook.asked import Asked
from levee_spark.notebook.opened import folders, must_have_begun, only_uid, opened
from levee_spark.notebook.tasks import operator_of, task_of
from levee_spark.notebook.trouble import CannotUse
from levee_spark.store.address import remedy
from levee_spark.store.drive import respond, unexpected
from levee_spark.store.driver import StoreDriver

TRIES = 6  # of one request: half a second of pauses


@dataclass(slots=True)
class Tries:
    """Of one request, which is asked again and again."""

    store: str
    failed: int = 0

    def count(self, request: Request, answer: Answer) -> Answer:
        if not isinstance(request, Wait):
            self.failed = self.failed + 1 if isinstance(answer, Unknown) else 0
        if isinstance(answer, Unknown) and self.failed >= TRIES:
            raise CannotUse(self.store, f"the store does not answer: {answer.why}", remedy(answer.why))
        return answer


@dataclass(slots=True)
class Look:
    asked: Asked
    driver: StoreDriver
    layout: Layout
    floors: dict[TaskId, Floor] = field(default_factory=dict)

    @classmethod
    def at(cls, asked: Asked, *, writes: bool = False) -> "Look":
        driver = opened(asked.store, writes=writes)
        return cls(asked, driver, Layout(asked.topology, asked.uid or only_uid(asked, driver)))

    def tell(self, wrong: str, fix: str) -> CannotUse:
        return CannotUse(self.asked.where, wrong, fix)

    def carry_out(self, script: Script[T]) -> T:
        """As `store.drive` does, but not for ever."""
        waiter, tries = self.driver.waiter(), Tries(self.asked.store)
        try:
            request = next(script)
            while True:
                request = script.send(tries.count(request, respond(request, self.driver, waiter, unexpected)))
        except StopIteration as end:
            value: T = end.value
            return value
        except ask.CorruptRecord as corrupt:
            raise self.tell(corrupt.why, ask.RESTORE) from corrupt

    # ---- which streams there are

    def tasks(self) -> tuple[TaskId, ...]:
        """Of the streams, in their order: what their topology says is at work, and what has left epochs."""
        there = self.all_tasks()
        if not there:
            must_have_begun(self.asked, self.driver, self.layout)
        return tuple(task for stream in self.asked.streams for task in self.tasks_of(stream, there))

    def tasks_of(self, stream: str, there: list[TaskId]) -> list[TaskId]:
        mine = [task for task in there if operator_of(task) == stream]
        if not mine:
            known = sorted({operator_of(task) for task in there if self.has_epochs(task)})
            fix = f"use one of {', '.join(known)}" if known else "no epoch has been written yet: wait"
            raise self.tell(f"there is no stream {stream!r}", fix)
        wanted = self.asked.tasks
        if missing := [index for index in wanted if TaskId(f"{stream}/{index}") not in mine]:
            raise self.tell(f"{stream} has no task {missing[0]}", f"use {', '.join(task.rpartition('/')[2] for task in mine)}")
        return [task for task in mine if not wanted or int(task.rpartition("/")[2]) in wanted]

    def all_tasks(self) -> list[TaskId]:
        found = {task for name in folders(self.driver, f"{self.layout.root()}/streams") if (task := task_of(name))}
        return sorted(found | set(self.carry_out(self.active_tasks())), key=lambda task: (operator_of(task), int(task.rpartition("/")[2])))

    def active_tasks(self) -> Script[tuple[TaskId, ...]]:
        view = ControlView(self.layout)
        yield from view.begin_at_the_end()
        yield from view.refresh()
        ranks = view.newest().live.ranks if view.records else ()
        return tuple(TaskId(replica.rpartition("/")[0]) for replica, _ in ranks)

    def has_epochs(self, task: TaskId) -> bool:
        return bool(self.carry_out(ask.page_of(self.layout.epochs(task), "", 1)))

    # ---- how far a stream goes

    def oldest(self, task: TaskId) -> int:
        """The first epoch that counts: what lies below has been trimmed."""
        known = self.floors[task] = self.carry_out(floor.latest(self.layout, task, self.floors.get(task, Floor(0, 0))))
        return max(1, known.epoch)

    def head(self, task: TaskId, low: int, high: int | None = None) -> int:
        """The last epoch from `low` on, and no further than `high`."""

        def there(epoch: int) -> Script[bool]:
            return (high is None or epoch <= high) and (yield from head.is_there(self.layout, task, epoch))

        return self.carry_out(ask.farthest(low, there))

    # ---- what is in an epoch

    def epoch(self, task: TaskId, epoch: int) -> EpochObject | None:
        """With its segments; None: it is not there."""
        found = self.carry_out(self.reading(self.layout.epoch(task, epoch)))
        if isinstance(found, Corrupt):
            found = self.carry_out(self.reading(second_key(self.layout.epoch(task, epoch)))) or found
        if isinstance(found, Corrupt):
            fix = "start the topology: a replica that needs it rebuilds it; or begin after it (startingEpoch, with a new checkpoint)"
            raise self.tell(f"epoch {epoch} of task {task} is corrupt: {found.why}", fix)
        return found

    def reading(self, key: str) -> Script[EpochObject | Corrupt | None]:
        answer = yield from ask.persistently(Get(key))
        if isinstance(answer, Absent | Corrupt):
            return answer if isinstance(answer, Corrupt) else None
        assert isinstance(answer, Found) and isinstance(answer.record, EpochObject)
        parts: list[object] = []
        for name in answer.record.manifest.segments:
            part = yield from ask.persistently(Get(name))
            if not isinstance(part, Found) or not isinstance(part.record, Segment):
                return Corrupt(f"{name}: this segment of it is corrupt or gone", part.began_ms, part.ended_ms)
            parts.append(part.record.payload)
        return EpochObject(answer.record.manifest, tuple(parts)) if parts else answer.record
