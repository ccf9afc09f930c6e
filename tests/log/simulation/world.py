"""Virtual time, processes that pause and crash, a network that loses answers: everything around the roles, from one seed.

Why: the roles are the very code that runs in production; here their requests are answered by a store that yields before and after each
of them, carries out some and then fails them, and carries out others when nobody expects it any more.
Called by: `run`, by the tests, the mutation check and the replay command.
"""

import heapq
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from levee.topology.names import TaskId
from levee_spark.log.digest import multiset_digest
from levee_spark.log.keys import number
from levee_spark.log.requests import (
    Absent,
    Answer,
    Compute,
    Computed,
    Corrupt,
    Delete,
    Deliver,
    Done,
    Exists,
    Files,
    Found,
    Get,
    Ingest,
    List,
    Listed,
    Overwrite,
    PutIfAbsent,
    Raised,
    Report,
    Request,
    Restore,
    Snapshot,
    Unknown,
    Wait,
    Want,
)
from levee_spark.log.values import CheckpointFile, EpochObject, Record
from tests.log.simulation.oracle import Oracle
from tests.log.simulation.plant import Lane, Outside, Raising
from tests.log.simulation.scenario import Scenario
from tests.log.simulation.store import MemoryStore

LATE_MS = 2_500


@dataclass(slots=True)
class Process:
    name: str
    spawn: Callable[["Process"], Generator[Request, Answer, Any]]
    task: TaskId
    offset_ms: int
    drift_ppm: int
    immortal: bool = False
    life: int = 0
    function: str = "v1"
    script: Generator[Request, Answer, Any] | None = None
    lane: Lane | None = None
    gone: bool = False
    busy: bool = False  # computing or paused: for people

    def reading(self, now_ms: int) -> int:
        """Its own monotonic clock."""
        return self.offset_ms + now_ms + now_ms * self.drift_ppm // 1_000_000


@dataclass(slots=True)
class World:
    scenario: Scenario
    oracle: Oracle
    store: MemoryStore
    random: Random
    bits: Random  # of its own, so that the other misfortunes stay what they are
    now_ms: int = 0
    queue: list[tuple[int, int, Callable[[], None]]] = field(default_factory=list)
    count: int = 0
    requests: int = 0
    wasted: int = 0
    reports: dict[str, int] = field(default_factory=dict)
    log: Callable[[str], None] | None = None

    def at(self, ms: int, act: Callable[[], None]) -> None:
        self.count += 1
        heapq.heappush(self.queue, (ms, self.count, act))

    def run(self, until_ms: int) -> None:
        while self.queue and self.queue[0][0] <= until_ms:
            self.now_ms, _, act = heapq.heappop(self.queue)
            self.oracle.now_ms = self.now_ms
            act()
        self.now_ms = until_ms

    def troubled(self) -> bool:
        return self.now_ms < self.scenario.faults.until_ms

    # ---- processes

    def start(self, process: Process) -> None:
        if process.gone:
            return
        process.life += 1
        process.script = process.spawn(process)
        self.advance(process, process.life, None)

    def crash(self, process: Process) -> None:
        process.life += 1
        if process.script is not None:
            process.script.close()
            process.script = None
        self.say(process, "crashes")
        if not process.gone:
            self.at(self.now_ms + self.random.randint(5, 300), lambda: self.start(process))

    def advance(self, process: Process, life: int, answer: Answer | None) -> None:
        if process.life != life or process.script is None:
            return  # it has crashed since
        if self.troubled() and not process.immortal and self.random.random() < self.scenario.faults.crash:
            self.crash(process)
            return
        try:
            request = next(process.script) if answer is None else process.script.send(answer)
        except StopIteration as end:
            self.ended(process, end.value)
            return
        self.requests += 1
        self.serve(process, request)

    def ended(self, process: Process, ending: Any) -> None:
        self.say(process, f"ends: {ending}")
        detail = getattr(ending, "detail", "")
        if ending is not None and ending.why == "other code":
            process.function = detail
        if ending is not None:
            self.at(self.now_ms + 30, lambda: self.start(process))

    def resume(self, process: Process, life: int, after_ms: int, began_ms: int, make: Callable[[int, int], Answer]) -> None:
        faults = self.scenario.faults
        if self.troubled() and not process.immortal and faults.pause and self.random.random() < faults.pause:
            after_ms += self.random.randint(20, faults.pause_ms)
        self.at(self.now_ms + after_ms, lambda: self.advance(process, life, make(began_ms, process.reading(self.now_ms))))

    # ---- requests

    def serve(self, process: Process, request: Request) -> None:
        began_ms, life = process.reading(self.now_ms), process.life
        match request:
            case Get() | PutIfAbsent() | Overwrite() | List() | Delete():
                self.at(self.now_ms + self.leg(), lambda: self.reach(process, life, request, began_ms))
            case Wait(ms, _, polls):
                self.resume(process, life, ms + self.bits.randint(0, 9) if polls else ms, began_ms, Done)
            case Report(what, epoch, detail):
                self.reports[what] = self.reports.get(what, 0) + 1
                self.say(process, f"reports: {what} {epoch} {detail}")
                self.oracle.must(what != "corrupt" or self.scenario.faults.spoil > 0, f"{process.name} finds corrupt what is not: {detail}")
                if what == "won":
                    self.oracle.believes_to_have_won(process.task, epoch, f"{process.name}#{process.life}")
                self.advance(process, life, Done(began_ms, began_ms))
            case _:
                answer = self.work(process, request, began_ms)
                self.resume(process, life, self.random.randint(0, 4), began_ms, lambda *_: answer)

    def leg(self) -> int:
        """From a process to the store, or back."""
        return 1 + int(3 * self.random.random())

    def reach(self, process: Process, life: int, request: Request, began_ms: int) -> None:
        """The request reaches the store, or does not, or does so when nobody expects it any more."""
        faults, write = self.scenario.faults, isinstance(request, PutIfAbsent | Overwrite | Delete)
        chance = self.random.random() if faults.error and self.troubled() else 1.0
        if chance >= faults.error:
            answer = self.carry_out(request)
        else:
            if write and chance < faults.error * faults.late:
                self.at(self.now_ms + self.random.randint(10, LATE_MS), lambda: self.carry_late(request))
            elif chance > faults.error / 2:
                self.carry_out(request)
            answer = lambda b, e: Unknown("the connection was reset", b, e)  # noqa: E731
        if self.log:
            self.say(process, f"{request} -> {answer(0, 0)}")
        self.resume(process, life, self.leg(), began_ms, answer)

    def carry_out(self, request: Request) -> Callable[[int, int], Answer]:
        match request:
            case Get():
                there = self.store.get(request)
                if there is not None and not self.store.can_be_read(request):
                    return lambda b, e: Corrupt("a bit has flipped", b, e)
                return Absent if there is None else lambda b, e: Found(there[0], there[1], b, e)
            case PutIfAbsent():
                if self.store.put_if_absent(request, self.stamp_ms()):
                    self.spoil(request.key, request.record)
                    return Done
                self.wasted += isinstance(request.record, EpochObject)
                return Exists
            case Overwrite():
                self.store.overwrite(request, self.stamp_ms())
                return Done
            case Delete():
                self.store.delete(request)
                return Done
            case List():
                names = self.store.listing(request)
                return lambda b, e: Listed(names, b, e)
            case _:
                raise TypeError(request)

    def stamp_ms(self) -> int:
        return self.now_ms + self.scenario.stepped_ms(self.now_ms)

    def spoil(self, key: str, record: Record) -> None:
        """Now and then what was just written can no longer be read, or what was written just before; never what cannot be had again."""
        if not self.scenario.faults.spoil or not self.troubled() or self.bits.random() >= self.scenario.faults.spoil:
            return
        if self.scenario.seed % 2:  # Not both: a checkpoint is what epochs are computed from again.
            if isinstance(record, CheckpointFile):
                self.store.spoilt[key] = Want.STAMP
            return
        if not isinstance(record, EpochObject) or record.manifest.inputs == () or "/epochs/" not in key:
            return
        whole = f"{key.rpartition('/')[0]}/{number(max(0, record.manifest.epoch - 1))}"
        near = f"{key.rpartition('/')[0]}/{number(max(0, record.manifest.epoch - 2))}"
        if self.bits.random() < 0.5 and whole in self.store.objects and near not in self.store.spoilt:
            self.store.spoilt[whole] = Want.STAMP
        elif record.manifest.segments:
            self.store.spoilt[self.bits.choice(record.manifest.segments)] = Want.STAMP
        else:
            self.store.spoilt[key] = Want.RECORD
        self.reports["spoilt"] = self.reports.get("spoilt", 0) + 1

    def carry_late(self, request: Request) -> None:
        self.carry_out(request)

    def work(self, process: Process, request: Request, began_ms: int) -> Answer:
        lane = process.lane
        match request:
            case Ingest(_, offsets):
                rows, end = Outside(process.task, self.scenario.spacing_ms).read(int(offsets or 0), self.now_ms)
                digest = multiset_digest([row.encode() for row in rows], str(end))
                parts = ((digest, rows),) if self.scenario.behaviours[process.task].segmented else ()
                return Computed(rows, len(rows), digest, began_ms, began_ms, str(end), parts)
            case Deliver(index, one):
                self.oracle.was_delivered(process.task, index, one)
            case Compute(epoch, inputs, dropped):
                assert lane is not None
                try:
                    made, digest = lane.compute(epoch, inputs, dropped=dropped)
                except Raising:
                    self.oracle.failed.add((process.task, epoch, lane.function))
                    return Raised("poisoned", began_ms, began_ms)
                self.oracle.was_computed(process.task, epoch, inputs, made)
                parts = ((digest, made.rows),) if lane.behaviour.segmented else ()
                return Computed(made, len(made.rows), digest, began_ms, began_ms, None, parts)
            case Restore(epoch, files):
                if lane is not None:
                    lane.restore(epoch, files)
            case Snapshot():
                return Files((("state", lane.state),) if lane is not None else (), began_ms, began_ms)
            case _:
                raise TypeError(request)
        return Done(began_ms, began_ms)

    def say(self, process: Process, text: str) -> None:
        if self.log:
            self.log(f"{self.now_ms:6} {process.name}#{process.life} {text}")
