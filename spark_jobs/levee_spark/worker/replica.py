"""One replica: a thread that drives its role, does its work, and keeps its status.

Why: roles end for reasons (a stop, other code, a function that raised); what follows from each stands here.
Called by: main.
"""

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Thread

from levee_spark.log.control import ControlView
from levee_spark.log.ending import Ending, Why
from levee_spark.log.ingest import Ingestor
from levee_spark.log.replica import Replica
from levee_spark.log.requests import Answer, Compute, Computed, Deliver, Done, Ingest, Raised, Report, Request, Restore, Snapshot
from levee_spark.log.values import ControlRecord
from levee_spark.store.drive import drive
from levee_spark.store.driver import monotonic_ms
from levee_spark.store.wake import Waiter
from levee_spark.worker.assembly import Parts, Role, Work, role_of, work_of
from levee_spark.worker.order import ReplicaName
from levee_spark.worker.status import Doing, Status

AGAIN_S_MIN, AGAIN_S_MAX = 1.0, 60.0
QUIET = frozenset({"won", "lost"})  # reported for every epoch: counted, not written down


@dataclass
class ReplicaThread:
    parts: Parts
    name: ReplicaName
    status: Status = field(init=False)
    function: str = ""
    role: Role | None = None
    view: ControlView = field(init=False)
    waiter: Waiter = field(init=False)
    work: Work | None = None
    runs: int = 0
    failures: int = 0
    rate_since: tuple[float, int] = (0.0, 0)

    def __post_init__(self) -> None:
        task = self.parts.task(self.name)
        self.status = Status(str(self.name), task.task)
        self.view = ControlView(self.parts.wiring.layout)
        self.waiter = self.parts.driver.waiter()
        self.function = next((one.function for one in self.parts.resource.spec.operators if one.name == task.operator), "")

    def seen(self) -> Status:
        """For whoever asks; a sink takes part in no race, so it has no rank."""
        if isinstance(self.role, Replica | Ingestor):
            self.status.rank = self.role.listener.rank()
        return self.status

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
                case Why.FAILED | Why.DIVERGED:
                    self.failed(ending)

    def live_once(self) -> Ending | None:
        """None: something of ours or of the machine broke; it is said, and tried again."""
        self.runs += 1
        try:
            self.work = work_of(self.parts, self.name, self.function, self.runs)
            self.role = role_of(self.parts, self.name, self.function)
            self.status.doing = Doing.IDLE
            return drive(self.role.run(), self.parts.driver, self.waiter, self.answer)
        except Exception as error:  # noqa: BLE001  # a thread that dies silently would look like a replica that waits
            self.rest(Doing.FAILED, f"{type(error).__name__}: {error}")
            self.say("broke", level="error", error=traceback.format_exc())
            self.pause()
            return None

    def failed(self, ending: Ending) -> None:
        """By the user's function. Other code may come at any time; the same is tried again, in case the world was at fault."""
        self.rest(Doing.FAILED, ending.detail or ending.why.value)
        self.say("failed", level="error", epoch=ending.epoch, error=ending.detail)
        self.pause()

    def rest(self, doing: Doing, error: str) -> None:
        self.status.doing, self.status.error = doing, error

    def pause(self) -> None:
        self.failures += 1
        time.sleep(min(AGAIN_S_MIN * 2 ** (self.failures - 1), AGAIN_S_MAX))

    def wait_for(self, holds: Callable[[ControlRecord], bool]) -> None:
        """Until the newest control record says so."""
        while True:
            drive(self.view.refresh(), self.parts.driver, self.waiter)
            if self.view.records and holds(self.view.newest()):
                return
            time.sleep(self.parts.wiring.times.period_ms / 1000)

    # ---- what the role asks for

    def answer(self, request: Request) -> Answer:
        if isinstance(request, Report):
            return self.report(request)
        assert self.work is not None
        self.status.doing = Doing.RUNNING
        began_ms = monotonic_ms()
        answer = self.work(request)
        self.account(request, answer, monotonic_ms() - began_ms)
        return answer

    def report(self, report: Report) -> Answer:
        counts = self.status.counts
        counts[report.what] = counts.get(report.what, 0) + 1
        if report.what in QUIET:
            self.status.last = report.what
        else:
            self.say(report.what, epoch=report.epoch, detail=report.detail)
        now_ms = monotonic_ms()
        return Done(now_ms, now_ms)

    def account(self, request: Request, answer: Answer, took_ms: int) -> None:
        status, phase = self.status, type(request).__name__.lower()
        status.seconds[phase] = status.seconds.get(phase, 0.0) + took_ms / 1000
        match request:
            case Compute(epoch, inputs) if isinstance(answer, Computed):
                self.passed(epoch, sum(one.manifest.rows for one in inputs), answer.rows)
            case Ingest(epoch) if isinstance(answer, Computed):
                self.passed(epoch, answer.rows, answer.rows)
            case Deliver(_, one):
                self.passed(one.manifest.epoch, one.manifest.rows, one.manifest.rows)
            case Restore(epoch):
                status.epoch = epoch
                self.say("forked", epoch=epoch, files=len(request.files))
            case Snapshot():
                status.counts["published"] = status.counts.get("published", 0) + 1
            case _:
                assert isinstance(answer, Raised)

    def passed(self, epoch: int, rows_in: int, rows_out: int) -> None:
        status = self.status
        status.epoch, status.epochs = epoch, status.epochs + 1
        status.rows, status.rows_in = status.rows + rows_out, status.rows_in + rows_in
        status.error, self.failures = "", 0
        now, (since, rows) = time.monotonic(), self.rate_since
        if now - since >= 1:
            status.rows_per_s = (status.rows - rows) / (now - since) if since else 0.0
            self.rate_since = (now, status.rows)

    def say(self, event: str, *, level: str = "info", **more: object) -> None:
        self.parts.log.say(event, level=level, task=self.name.task, replica=str(self.name), **more)
