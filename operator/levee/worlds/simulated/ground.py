"""The nodes of the simulated world and what runs on them: workers that start and die, replicas that work, wait or have failed.

Why: what there is stands apart from what is decided about it; and here, as on a cluster, an order is one thing, and what becomes of it
another.
Called by: `world`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from random import Random

from levee.control.actions import StartWorker
from levee.control.names import Instant, ReplicaName, WorkerName, task_of
from levee.control.seen import NodeSeen, Phase, ReplicaSeen
from levee.topology.names import NodeName
from levee.worlds.simulated.agenda import Agenda
from levee.worlds.simulated.faults import Fault, Kind
from levee.worlds.simulated.flow import Flow
from levee.worlds.simulated.pace import Pace
from levee.worlds.simulated.rows import Roster, Working, empty_queues


@dataclass(slots=True)
class Copy:
    """A replica in one worker: while what has found refuge moves home again there are two of it."""

    replica: ReplicaName
    task: int  # sources below zero
    epoch: int = 0
    from_ms: int | None = None  # since when it can compute, or from when on; None: it is not active, or cannot
    working: Working | None = None


@dataclass(slots=True)
class Process:
    """The newest incarnation of a worker."""

    order: StartWorker
    since: Instant
    started: Instant
    copies: tuple[Copy, ...]
    phase: Phase = Phase.STARTING
    ending: str = ""
    hangs: bool = False  # while it is silent
    heard: tuple[ReplicaSeen, ...] = ()  # what its replicas have said last

    @property
    def works(self) -> bool:
        return self.phase is Phase.READY or (self.phase is Phase.SILENT and not self.hangs)


@dataclass(slots=True)
class Ground:
    flow: Flow
    random: Random
    pace: Pace
    agenda: Agenda = field(default_factory=Agenda)
    nodes: dict[NodeName, NodeSeen] = field(init=False)
    processes: dict[WorkerName, Process] = field(default_factory=dict)  # in the order in which they came
    broken: Counter[str] = field(default_factory=Counter)  # replicas, by how many faults
    unseen: Counter[str] = field(default_factory=Counter)
    down: Counter[str] = field(default_factory=Counter)  # nodes
    silent: Counter[str] = field(default_factory=Counter)  # workers
    frozen: dict[NodeName, list[WorkerName]] = field(default_factory=dict)  # who stands still on which node
    ranks: Mapping[ReplicaName, int] = field(default_factory=dict)  # as the replicas have read them
    record: int = 0  # that they are of
    read_ms: int = 0  # when that was

    def __post_init__(self) -> None:
        self.nodes = {one.name: NodeSeen(one.name, alive=True, since=Instant(0)) for one in self.flow.problem.nodes}

    def drawn(self, usual_ms: int) -> int:
        return round(usual_ms * self.random.uniform(1 - self.pace.jitter, 1 + self.pace.jitter))

    # ---- what is ordered

    def start(self, order: StartWorker, now: Instant) -> None:
        """Under a name that follows from worker and attempt: who orders the same again meets what is there."""
        there = self.processes.get(order.worker)
        if not self.nodes[order.node].alive or (there is not None and there.order.attempt >= order.attempt):
            return
        self.processes.pop(order.worker, None)
        copies = tuple(Copy(one, self.flow.index[task_of(one)]) for one in order.replicas)
        process = self.processes[order.worker] = Process(order, now, now, copies)
        ready = Instant(now + self.drawn(self.pace.start_ms))
        self.agenda.at(ready, lambda: self.be_ready(process, ready))

    def be_ready(self, process: Process, now: Instant) -> None:
        if process.phase is Phase.STARTING and process.hangs:
            again = Instant(now + self.pace.step_ms)
            self.agenda.at(again, lambda: self.be_ready(process, again))
        elif process.phase is Phase.STARTING:
            process.phase, process.since = Phase.READY, now

    def end(self, worker: WorkerName, now: Instant, why: str, attempt: int | None = None) -> None:
        process = self.processes.get(worker)
        if process is not None and process.phase is not Phase.ENDED and attempt in (None, process.order.attempt):
            process.phase, process.since, process.ending = Phase.ENDED, now, why

    # ---- what fails

    def fail(self, fault: Fault, now: Instant) -> None:
        match fault.kind:
            case Kind.NODE:
                self.down[fault.name] += 1
                self.crash(NodeName(fault.name), now)
            case Kind.FROZEN:
                self.down[fault.name] += 1
                self.freeze(NodeName(fault.name), now)
            case Kind.REPLICA:
                self.broken[fault.name] += 1
            case Kind.UNSEEN:
                self.unseen[fault.name] += 1
            case Kind.WORKER:
                self.end(WorkerName(fault.name), now, "died")
            case Kind.SILENT | Kind.HANGS:
                self.silent[fault.name] += 1
                self.fall_silent(WorkerName(fault.name), now, hangs=fault.kind is Kind.HANGS)
            case Kind.PAUSED:
                self.silent[fault.name] += 1
                self.pause(WorkerName(fault.name), now)

    def mend(self, fault: Fault, now: Instant) -> None:
        counts = self.counts().get(fault.kind, Counter[str]())
        counts[fault.name] -= 1
        if counts is self.silent and not self.silent[fault.name]:
            self.answer_again(WorkerName(fault.name), now)
        if counts is self.down and not self.down[fault.name]:
            self.nodes[NodeName(fault.name)] = NodeSeen(NodeName(fault.name), alive=True, since=now)
        if fault.kind is Kind.FROZEN:
            self.thaw(NodeName(fault.name), now)

    def counts(self) -> Mapping[Kind, Counter[str]]:
        of_workers = {Kind.SILENT: self.silent, Kind.HANGS: self.silent, Kind.PAUSED: self.silent}
        of_nodes = {Kind.NODE: self.down, Kind.FROZEN: self.down}
        return of_nodes | {Kind.REPLICA: self.broken, Kind.UNSEEN: self.unseen} | of_workers

    def fall_silent(self, worker: WorkerName, now: Instant, *, hangs: bool) -> None:
        """Who comes in its place can be asked."""
        process = self.processes.get(worker)
        if process is not None and process.phase is Phase.READY:
            process.phase, process.since, process.hangs = Phase.SILENT, now, hangs

    def pause(self, worker: WorkerName, now: Instant) -> None:
        self.fall_silent(worker, now, hangs=True)
        if self.processes[worker].phase is Phase.STARTING:
            self.processes[worker].hangs = True

    def answer_again(self, worker: WorkerName, now: Instant) -> None:
        process = self.processes.get(worker)
        if process is not None and process.phase is Phase.STARTING:
            process.hangs = False
        if process is not None and process.phase is Phase.SILENT:
            process.phase, process.since, process.hangs = Phase.READY, now, False

    def crash(self, node: NodeName, now: Instant) -> None:
        if self.nodes[node].alive:
            self.nodes[node] = NodeSeen(node, alive=False, since=now)
        for worker, process in self.processes.items():
            if process.order.node == node:
                self.end(worker, now, "its node crashed")

    def freeze(self, node: NodeName, now: Instant) -> None:
        if self.nodes[node].alive:
            self.nodes[node] = NodeSeen(node, alive=False, since=now)
        for worker in self.on(node):
            self.silent[worker] += 1
            self.frozen.setdefault(node, []).append(worker)
            self.pause(worker, now)

    def thaw(self, node: NodeName, now: Instant) -> None:
        """Who came there meanwhile was never asked."""
        for worker in self.frozen.pop(node, []):
            self.silent[worker] -= 1
            if not self.silent[worker]:
                self.answer_again(worker, now)

    def on(self, node: NodeName) -> list[WorkerName]:
        return [worker for worker, process in self.processes.items() if process.order.node == node]

    def works(self, replica: ReplicaName) -> bool:
        return self.broken[replica] <= 0 and self.unseen[replica] <= 0

    # ---- who works

    def copies(self) -> Iterator[tuple[Process, Copy]]:
        return ((process, copy) for process in self.processes.values() for copy in process.copies)

    def working(self) -> Iterator[Working]:
        return (copy.working for _, copy in self.copies() if copy.working is not None)

    def clear(self, now: Instant) -> None:
        """All that runs is gone, and its names may be used again."""
        for worker in [*self.processes]:
            self.end(worker, now, "was removed")
        self.processes.clear()

    def settle(self, now: Instant) -> Roster:
        """Who has become active forks the state first; who is not any more stops at once, and forgets what was queued."""
        for process, copy in self.copies():
            if not process.works or copy.replica not in self.ranks or not self.works(copy.replica):
                copy.from_ms = copy.working = None
            elif copy.from_ms is None:
                copy.from_ms = now + self.drawn(self.pace.resync_ms)
                self.agenda.at(copy.from_ms, lambda: None)  # so that somebody looks again
            elif copy.working is None and copy.from_ms <= now:
                copy.working = Working(copy.replica, copy.task, empty_queues(self.flow, copy.task))
        return self.roster()

    def roster(self) -> Roster:
        flowing = [False] * len(self.flow.shares)
        of_tasks: list[list[tuple[int, Working]]] = [[] for _ in self.flow.ports]
        on_nodes: dict[NodeName, list[Working]] = {name: [] for name in self.nodes}
        for process, copy in self.copies():
            if copy.working is not None and copy.task < 0:
                flowing[~copy.task] = True
            elif copy.working is not None:
                of_tasks[copy.task].append((self.ranks[copy.replica], copy.working))
                on_nodes[process.order.node].append(copy.working)
        working = tuple(tuple(one for _, one in sorted(ranked, key=itemgetter(0))) for ranked in of_tasks)
        self.tell_roles(working)
        nodes = tuple((one.capacity_cores, tuple(on_nodes[one.name])) for one in self.flow.problem.nodes)
        return Roster(nodes, working, tuple(flowing))

    def tell_roles(self, working: Sequence[Sequence[Working]]) -> None:
        """The first leads. Below a task that nobody computes and whose stream waits, everybody has to."""
        blocked: list[bool] = []
        for ports, replicas in zip(self.flow.ports, working, strict=True):
            above = [one.producer for one in ports if one.producer >= 0]
            blocked.append(any(blocked[one] or (self.flow.waits[one] and not working[one]) for one in above))
            for place, one in enumerate(replicas):
                one.leads, one.blocked = place == 0, blocked[-1]
