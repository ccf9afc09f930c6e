"""The local world: observes processes and the control log, and does what was decided.

Why: all I/O of a run is here; what should be done is decided elsewhere.
Called by: `run`, through `worlds.world.step`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from levee.control.actions import Action, EndWorker, Finish, StartWorker, WriteAnchor, WriteRecord
from levee.control.names import Instant, WorkerName
from levee.control.seen import NodeSeen, Observation
from levee.topology.names import ConfigurationName, NodeName
from levee.worlds.local import cleaning, revivals
from levee.worlds.local.asking import SPENT_PATIENCE_S, answers_of, states_of
from levee.worlds.local.book import StoreSilent
from levee.worlds.local.folder import Folder
from levee.worlds.local.node import LocalNode, start_node
from levee.worlds.local.progress import Progress
from levee.worlds.local.worker import LocalWorker, Program, start_worker
from levee.worlds.logged import LoggedWorld, LogSeen
from levee_spark.log.values import ControlRecord


@dataclass(slots=True)
class LocalWorld(LoggedWorld):
    folder: Folder
    program: Program
    nodes: dict[NodeName, LocalNode] = field(default_factory=dict)
    workers: dict[WorkerName, LocalWorker] = field(default_factory=dict)
    opened: int | None = None  # the number of one's own first record
    anchored: bool = False
    configuration: ConfigurationName | None = None
    silent_told: str = ""
    progress: Progress = field(init=False)

    def __post_init__(self) -> None:
        self.progress = Progress(self.book.wiring.times.period_ms)

    def begin(self, nodes: Sequence[NodeName], now: Instant) -> None:
        for name in nodes:
            self.nodes[name] = start_node(name, self.folder.lock, now)

    def revive(self, now: Instant) -> None:
        """What has been asked for; whoever lives is left alone."""
        for name in revivals.taken(self.folder):
            if name in self.nodes and not self.nodes[name].observe(now):
                self.nodes[name] = start_node(name, self.folder.lock, now)

    # ---- observe

    def observe(self, now: Instant) -> Observation:
        self.read_log()
        nodes = tuple(NodeSeen(one.node, one.observe(now), one.since) for one in self.nodes.values())
        states = states_of({name: worker.find_port() for name, worker in self.workers.items()})
        workers = tuple(worker.observe(states[name], now) for name, worker in self.workers.items())
        seen = self.seeing(nodes, workers, LogSeen(self.has_begun(), self.anchored, self.configuration))
        if self.progress.stands(seen, now):
            self.try_to_write()
        return self.with_history(seen, now)

    def spent(self) -> dict[str, dict[str, Any] | None]:
        """As workers tell it."""
        return answers_of({str(name): worker.find_port() for name, worker in self.workers.items()}, "/spent", SPENT_PATIENCE_S)

    def has_begun(self) -> bool:
        return self.opened is not None

    def try_to_write(self) -> None:
        try:
            self.book.try_to_write()
        except StoreSilent as silent:
            self.silent, self.unwritten = str(silent), True

    def silence_to_tell(self) -> str | None:
        """Why the store does not answer, once; empty when it answers again."""
        if bool(self.silent) is bool(self.silent_told):
            return None
        self.silent_told = self.silent
        return self.silent

    # ---- act

    def perform_now(self, action: Action, now: Instant) -> None:
        match action:
            case WriteRecord(record, configuration):
                self.write(record, configuration)
            case WriteAnchor():
                self.book.write_anchor()
                self.anchored, self.outages = True, ()
            case StartWorker():
                self.start(action, now)
            case EndWorker(worker, attempt):
                if self.workers[worker].order.attempt == attempt:
                    self.workers[worker].kill()
            case Finish():
                self.finished = action
            case _:
                assert_never(action)

    def write(self, record: ControlRecord, configuration: ConfigurationName) -> None:
        if self.book.write(replace(record, writer=self.book.holder)):
            self.configuration = configuration
            self.opened = self.opened or record.number

    def start(self, order: StartWorker, now: Instant) -> None:
        incarnation = f"{order.worker}.{self.opened}.{order.attempt}"  # no two controllers have opened with the same record
        worker = start_worker(order, incarnation, self.folder, self.nodes[order.node], self.program, now, urgent=self.anchored)
        former = self.workers.pop(order.worker, None)
        self.workers[order.worker] = worker
        if former is not None:
            cleaning.clear_scratch([former.directory])
