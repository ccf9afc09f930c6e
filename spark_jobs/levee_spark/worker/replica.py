"""One replica: a thread that drives its role, does its work, and keeps its status.

Why: roles end for reasons (a stop, other code, a function that raised); what follows from each stands here.
Called by: main.
"""

import math
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread

from levee_spark.log.ask import RESTORE, CorruptRecord
from levee_spark.log.control import ControlView
from levee_spark.log.ending import Ending, Why
from levee_spark.log.ingest import Ingestor
from levee_spark.log.rank import Last
from levee_spark.log.replica import Replica
from levee_spark.log.requests import Answer, Compute, Computed, Deliver, Done, Ingest, Raised, Report, Request, Restore, Script, Snapshot
from levee_spark.log.sink import Sink
from levee_spark.log.values import ControlRecord
from levee_spark.store.drive import drive
from levee_spark.store.driver import monotonic_ms
from levee_spark.store.wake import Waiter
from levee_spark.worker.assembly import Ingesting, Parts, Role, Work, end, role_of, work_of
from levee_spark.worker.crashes import Crashes, EpochBroke
from levee_spark.worker.judging import Judge, allowed_ms, sharing
from levee_spark.worker.operating import Operating
from levee_spark.worker.order import ReplicaName
from levee_spark.worker.phases import Phases
from levee_spark.worker.speed import Speed
from levee_spark.worker.status import Doing, Passed, Status

AGAIN_S_MIN, AGAIN_S_MAX = 1.0, 60.0
ENDED = "ended"
GRAVE = frozenset({"diverged", "adopts", "corrupt", "cannot rebuild"})
QUIET = frozenset({"won", "lost"})  # reported for every epoch: counted, not written down


@dataclass
class ReplicaThread:
    parts: Parts
    name: ReplicaName
    store_ms: Callable[[int], int | None] = lambda _now_ms: None  # what time it is at least by the store's clock
    status: Status = field(init=False)
    function: str = ""
    role: Role | None = None
    view: ControlView = field(init=False)
    waiter: Waiter = field(init=False)
    work: Work | None = None
    runs: int = 0
    failures: int = 0
    failed_at: int = 0  # the epoch whose function raised last
    crashes: Crashes = field(default_factory=Crashes)
    offered: int = 0  # of the ingestion that is at work
    speed: Speed = field(init=False)
    judge: Judge = field(init=False)
    records: int = 0  # of the control log, that its role has

    def __post_init__(self) -> None:
        task = self.parts.task(self.name)
        self.status = Status(str(self.name), task.task)
        self.view = ControlView(self.parts.wiring.layout)
        self.waiter = self.parts.driver.waiter()
        self.speed = Speed(self.parts.wiring.times.period_ms)
        wiring = self.parts.wiring
        self.judge = Judge(allowed_ms(wiring, self.parts.resource.spec)[task.task], sharing(wiring, task), self.status.processed)
        self.function = next((one.function for one in self.parts.resource.spec.operators if one.name == task.operator), "")

    def seen(self) -> Status:
        """For whoever asks; a sink takes part in no race, so it has no rank."""
        status = self.status
        if isinstance(self.role, Replica | Ingestor):
            status.rank = self.role.listener.rank()
            if status.rank is None and status.doing is Doing.RUNNING:
                status.doing = Doing.IDLE
            if status.rank is None:
                status.needs("", 0)
        return status

    def leads(self) -> bool:
        """As far as it knows; of sinks nobody is first."""
        match self.role:
            case None:
                return False
            case Replica() | Ingestor():
                return self.role.listener.rank() == 0
            case Sink():
                return True

    def start(self) -> None:
        Thread(target=self.run, name=str(self.name), daemon=True).start()

    def run(self) -> None:
        while True:
            ending = self.live_once()
            if ending is None:
                continue
            match ending.why:
                case Why.STOPPED:
                    self.rest(Doing.STOPPED, "")
                    self.wait_for(lambda record: not record.shape.stopped)
                case Why.OTHER_CODE:
                    self.say("takes other code", epoch=ending.epoch, function=ending.detail)
                    self.function = ending.detail
                case Why.OTHER_GRAPH:
                    self.rest(Doing.STOPPED, "")
                    self.say("is wired otherwise", epoch=ending.epoch)
                    self.wait_for(lambda record: self.parts.wiring.computes(record.shape))
                case Why.FAILED | Why.DIVERGED:
                    self.failed(ending)

    def live_once(self) -> Ending | None:
        """None: something of ours or of the machine broke; it is said, and tried again."""
        self.runs += 1
        try:
            self.work, self.offered = work_of(self.parts, self.name, self.function, self.runs, self.waits_for), 0
            self.records = 0
            if isinstance(self.work, Operating):
                self.work.crashes = self.crashes
            self.role = role_of(self.parts, self.name, self.function)
            self.status.doing = Doing.IDLE
            script = Phases(self.status.took, time.monotonic, self.look_at_records).watch(self.role.run())
            return drive(script, self.parts.driver, self.waiter, self.answer)
        except EpochBroke as broke:
            self.failed_at = broke.epoch
            self.broke(str(broke), str(broke))
            return None
        except Exception as error:  # noqa: BLE001  # a thread that dies silently would look like a replica that waits
            self.broke(f"{type(error).__name__}: {error}", traceback.format_exc())
            return None
        finally:
            if self.work is not None:
                end(self.work)
                self.work = None

    def broke(self, error: str, told: str) -> None:
        self.rest(Doing.FAILED, error)
        self.say("broke", level="error", error=told)
        time.sleep(self.pause_s())

    def failed(self, ending: Ending) -> None:
        """The user's function raised, or does not repeat itself and must. The same is tried again, in case the world was at fault;
        another as soon as it is wanted."""
        self.rest(Doing.FAILED, ending.detail or ending.why.value)
        self.failed_at = ending.epoch + (ending.why is Why.DIVERGED)  # that epoch it can compute, but not rightly
        self.count("failed")
        self.say("failed", level="error", epoch=ending.epoch, error=ending.detail)
        self.wait_for(self.is_corrected, self.pause_s())

    def rest(self, doing: Doing, error: str) -> None:
        self.status.doing, self.status.error = doing, error

    def pause_s(self) -> float:
        """Longer from one failure to the next."""
        self.failures += 1
        return min(AGAIN_S_MIN * 2.0 ** (self.failures - 1), AGAIN_S_MAX)

    def is_corrected(self, newest: ControlRecord) -> bool:
        return newest.shape.function(self.parts.task(self.name).operator) != self.function

    def wait_for(self, holds: Callable[[ControlRecord], bool], at_most_s: float = math.inf) -> None:
        """Until the newest control record says so."""
        until_s = time.monotonic() + at_most_s
        while time.monotonic() < until_s:
            with suppress(CorruptRecord):  # the role will say so
                drive(self.refreshed(), self.parts.driver, self.waiter)
            if self.view.records and holds(self.view.newest()):
                return
            time.sleep(min(self.parts.wiring.times.period_ms / 1000, max(0.0, until_s - time.monotonic())))

    def refreshed(self) -> Script[None]:
        if not self.view.records:
            yield from self.view.begin_at_the_end()
        yield from self.view.refresh()

    # ---- what the role asks for

    def answer(self, request: Request) -> Answer:
        if isinstance(request, Report):
            return self.report(request)
        assert self.work is not None
        if not isinstance(request, Restore):  # who has yet to take its state takes no part
            self.status.doing = Doing.RUNNING
        answer = self.work(request)
        self.account(request, answer)
        return answer

    def look_at_records(self) -> None:
        """Seldom is there a new one; whoever is switched on or off is so from here on."""
        view = self.role.listener.view if self.role is not None else self.view
        if len(view.records) != self.records and view.records:
            self.records = len(view.records)
            self.status.heard(view.latest(), monotonic_ms())

    def read_again(self, request: Ingest) -> Answer:
        """For its rereader, in that one's thread."""
        if isinstance(self.work, Ingesting):
            return self.work(request)
        now_ms = monotonic_ms()
        return Raised("the source is not open now", now_ms, now_ms)

    def report(self, report: Report) -> Answer:
        self.count(report.what)
        self.judge.ended(report, self.store_ms(monotonic_ms()), leads=self.leads())
        if report.what == "forks again" and isinstance(self.work, Operating):
            self.status.doing = Doing.IDLE
            self.work.lane.stop()  # perhaps for long: it may have to wait until it is active
        if report.what == ENDED:
            self.ended(report.epoch)
        elif report.what in QUIET:
            self.status.last = report.what
            if isinstance(self.work, Ingesting):
                self.status.doing = Doing.RUNNING  # who is never first takes nothing in, and follows
                if report.what == Last.LOST:
                    self.speed.rest(self.status)
                self.status.came_to(report.epoch)
        elif report.of is not None:
            self.lacks(report)
        else:
            level = "warning" if report.what in GRAVE else "info"
            self.say(report.what, level=level, epoch=report.epoch, detail=report.detail)
        now_ms = monotonic_ms()
        return Done(now_ms, now_ms)

    def lacks(self, report: Report) -> None:
        """It is found again and again, and written down once."""
        own = report.of == self.status.task
        what = lacking(report, own=own)
        if what != self.status.lacks:
            self.say(report.what, level="warning", epoch=report.epoch, detail=what)
        self.status.needs(what, report.epoch + own)

    def waits_for(self, what: str) -> None:
        """Told once; empty: it waits no longer."""
        if what and what != self.status.waits:
            self.say("waits", detail=what)
        self.status.waits = what

    def ended(self, epoch: int) -> None:
        """Every epoch after it says so, too."""
        if not self.status.ended:
            self.status.ended = True
            self.say(ENDED, epoch=epoch)

    def count(self, what: str) -> None:
        self.status.counts[what] = self.status.counts.get(what, 0) + 1

    def account(self, request: Request, answer: Answer) -> None:
        if isinstance(request, Compute):
            self.judge.computed(request, answer)
        match request:
            case Compute(epoch, inputs) if isinstance(answer, Computed):
                self.count_read(tuple((place, one.manifest.rows) for place, one in enumerate(inputs)))
                self.passed(epoch, answer.rows)
            case Ingest(epoch) if isinstance(answer, Computed):
                self.count_offered(answer.rows)
                self.passed(epoch, answer.rows)
            case Deliver(place, one):
                self.count_read(((place, one.manifest.rows),))
                self.passed(one.manifest.epoch, one.manifest.rows)
            case Restore(epoch):
                self.status.epoch, self.status.forked_ms = epoch, monotonic_ms()
                self.say("forked", epoch=epoch, files=len(request.files))
            case Snapshot():
                self.count("published")
            case _:
                assert isinstance(answer, Raised)

    def count_read(self, epochs: tuple[tuple[int, int], ...]) -> None:
        """Epochs of tasks, by their place among the inputs; an epoch of a stream is those of all its tasks."""
        inputs = self.parts.task(self.name).inputs
        rows: dict[str, int] = {}
        for place, count in epochs:
            stream = inputs[place].rpartition("/")[0]
            rows[stream] = rows.get(stream, 0) + count
        for stream, count in rows.items():
            self.status.read.setdefault(stream, Passed()).add(count)

    def count_offered(self, rows: int) -> None:
        assert isinstance(self.work, Ingesting)
        self.status.read.setdefault(self.status.operator, Passed()).add(rows)
        counters = self.work.ingestion.counters
        now = counters.offered_rows
        self.status.offered, self.offered = (self.status.offered or 0) + now - self.offered, now
        self.status.waiting, self.status.paced = counters.waiting_rows, counters.paced

    def passed(self, epoch: int, rows: int) -> None:
        status = self.status
        status.came_to(epoch)
        if epoch >= self.failed_at:  # what lies before it is replayed from the checkpoint, again and again
            status.error, self.failures = "", 0
        if not status.emitted.epochs:
            self.say("first epoch", epoch=epoch)
        status.emitted.add(rows)
        self.speed.measure(status, monotonic_ms())

    def say(self, event: str, *, level: str = "info", **more: object) -> None:
        self.parts.log.say(event, level=level, task=self.name.task, replica=str(self.name), **more)


def lacking(report: Report, *, own: bool) -> str:
    """For people: what, why, and what to do. A source's own next epoch begins with what its last one says; so does an operator's line."""
    asked = "" if own else "its replicas were asked to compute it again, and their logs say why where they cannot: then "
    wrong = f"epoch {report.epoch} of {report.of} cannot be read, and nothing goes on without it: {report.detail}"
    return f"{wrong}. Fix: {asked}{RESTORE}"
