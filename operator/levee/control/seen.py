"""The observation: everything the controller knows of the world at one moment.

Why: a rule that reads only this can be tested by writing it down. Nothing here says how it was seen.
Called by: worlds, which make it; every rule, and the live view, which read it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from levee.control.names import Instant, ReplicaName, WorkerName, task_of
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId
from levee_spark.log.values import ControlRecord

Course: TypeAlias = tuple[tuple[Instant, ConfigurationName], ...]  # which configuration was in force, and since when; the newest last


class Status(StrEnum):
    """Of a replica, as its worker says."""

    STARTING = "starting"
    IDLE = "idle"
    RUNNING = "running"
    FAILED = "failed"
    STOPPED = "stopped"


class Phase(StrEnum):
    """Of a worker's process."""

    STARTING = "starting"  # lives, and has never been ready
    READY = "ready"
    SILENT = "silent"  # lives, and does not answer any more
    PAUSED = "paused"  # somebody has stopped it, and will let it go on
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Processed:
    """Rows that an operator has read, by what became of them: of the epochs that this replica has committed since its worker began."""

    epochs: int = 0
    in_time: int = 0
    late: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class ReplicaSeen:
    replica: ReplicaName
    status: Status
    epoch: int = 0
    rank: int | None = None
    last: str = "none"  # won | lost | none: its last attempt to commit
    lag_epochs: int = 0
    rows_per_s: float = 0.0
    error: str = ""
    diverged: int = 0  # how often it has computed something else than was committed
    ended: bool = False  # all rows that will ever come have been computed
    waits: str = ""  # what a source waits for outside of its topology
    offered_per_s: float | None = None  # at a source: taken in, and what its backlog grows by; None: it does not tell
    record: int = 0  # the newest control record that it has read; 0: it does not tell
    read_ago_ms: int | None = None  # when that was, as of when this was told
    forked_ago_ms: int | None = None  # when it has taken a state from a checkpoint last
    processed: Processed = Processed()
    dropped: int = 0  # epochs whose function raised, that it has committed without rows
    lacks: str = ""  # what it needs and cannot read, and what to do about that
    sealed: int = 0  # epochs of its inputs that it has sealed without rows, since they were late
    adopted: int = 0  # how often it has gone on from its own state, where nobody could compute what was committed
    measured: bool = True  # whether its rates are those of now

    @property
    def task(self) -> TaskId:
        return task_of(self.replica)

    @property
    def first_line(self) -> str:
        """Of the error, for people."""
        return next(iter(self.error.strip().splitlines()), "no reason is known")

    @property
    def has_yet_to_begin(self) -> bool:
        """For want of what it imports."""
        return bool(self.waits) and not self.epoch

    @property
    def is_primary(self) -> bool:
        return self.last == "won" and self.status is Status.RUNNING


@dataclass(frozen=True, slots=True)
class NodeSeen:
    node: NodeName
    alive: bool
    since: Instant
    accepts: bool = True  # what is started there begins; what runs there goes on in any case

    @property
    def is_open(self) -> bool:
        return self.alive and self.accepts


@dataclass(frozen=True, slots=True)
class WorkerSeen:
    worker: WorkerName
    node: NodeName
    replicas: tuple[ReplicaName, ...]
    attempt: int
    phase: Phase
    since: Instant  # when the phase began
    started: Instant
    failures: int = 0  # ends in a row, each soon after a start
    states: tuple[ReplicaSeen, ...] = ()  # as last heard
    ending: str = ""  # how it ended, for people

    @property
    def works(self) -> bool:
        return self.phase not in {Phase.STARTING, Phase.ENDED}

    def state(self, replica: ReplicaName) -> ReplicaSeen | None:
        return next((state for state in self.states if state.replica == replica), None)


@dataclass(frozen=True, slots=True)
class Outage:
    """For how long a task had no replica that could work; `until` is None while it lasts."""

    task: TaskId
    since: Instant
    until: Instant | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """Of the sources, as `Observation` has it."""

    rates: Mapping[OperatorName, float] | None
    missing: str = ""
    known_since: Instant | None = None
    course: Course = ()


@dataclass(frozen=True, slots=True)
class Observation:
    nodes: tuple[NodeSeen, ...] = ()
    workers: tuple[WorkerSeen, ...] = ()  # in the order in which they came: the later that works has what several have
    record: ControlRecord | None = None  # the newest
    opened: bool = False  # this controller has written a record of its own
    anchored: bool = False  # and an anchor, since all tasks were ready
    configuration: ConfigurationName | None = None  # in force
    rates: Mapping[OperatorName, float] | None = None  # offered by every source; None: not all are known
    stop_epoch: int | None = None  # E(n) of the stop that was ordered, once it is known
    outages: tuple[Outage, ...] = ()
    finished: frozenset[TaskId] = frozenset()  # while it stops: the tasks whose stream has its last epoch
    completed: bool = False  # the stop that is the last word was ordered because all rows had been computed
    unpublished: frozenset[TaskId] = frozenset()  # while it stops: what has yet to publish where it stands then
    silent: bool = False  # the store does not answer, or does not take what is written
    rates_missing: str = ""  # why not all rates are known
    known_since: Instant | None = None  # since then no rate was unknown
    course: Course = ()  # as far back as this controller remembers
    joining: frozenset[ReplicaName] = frozenset()  # who was switched on and has yet to catch up
    homes: Mapping[ReplicaName, WorkerSeen] = field(init=False)
    memo: dict[str, Any] = field(init=False, repr=False, compare=False, default_factory=dict)  # what rules ask for again and again

    def __post_init__(self) -> None:
        living = {node.node for node in self.nodes if node.alive}
        homes: dict[ReplicaName, WorkerSeen] = {}
        for worker in self.workers:
            for one in worker.replicas if worker.node in living else ():
                if one not in homes or worker.works or not homes[one].works:
                    homes[one] = worker
        object.__setattr__(self, "homes", homes)

    def with_history(
        self, measured: "Measured", outages: tuple[Outage, ...], *, silent: bool = False, joining: frozenset[ReplicaName] = frozenset()
    ) -> "Observation":
        """The same moment, with what only earlier ones tell; what was worked out of it stays."""
        found = object.__new__(Observation)  # by hand: `copy` asks a frozen class for its fields each time
        told: dict[str, Any] = {
            "rates": measured.rates,
            "rates_missing": measured.missing,
            "known_since": measured.known_since,
            "course": measured.course,
        }
        told |= {"outages": outages, "silent": silent, "joining": joining}
        for name in self.__slots__:
            object.__setattr__(found, name, told[name] if name in told else getattr(self, name))
        return found

    def measured(self) -> "Measured":
        return Measured(self.rates, self.rates_missing, self.known_since, self.course)

    def node(self, name: NodeName) -> NodeSeen | None:
        found: dict[NodeName, NodeSeen] | None = self.memo.get("nodes")
        if found is None:
            self.memo["nodes"] = found = {node.node: node for node in self.nodes}
        return found.get(name)

    def states(self) -> Mapping[ReplicaName, ReplicaSeen]:
        """Of the replicas that have a home, as last heard."""
        found: Mapping[ReplicaName, ReplicaSeen] | None = self.memo.get("states")
        if found is None:
            pairs = ((worker, state) for worker in self.workers for state in worker.states)
            self.memo["states"] = found = {state.replica: state for worker, state in pairs if self.homes.get(state.replica) is worker}
        return found

    def epochs(self) -> Mapping[TaskId, int]:
        """Of each task the newest, by what its replicas say."""
        found: dict[TaskId, int] | None = self.memo.get("epochs")
        if found is None:
            self.memo["epochs"] = found = {}
            for state in self.states().values():
                found[state.task] = max(state.epoch, found.get(state.task, 0))
        return found

    def ranks(self) -> Mapping[ReplicaName, int]:
        """Of the newest record."""
        found: Mapping[ReplicaName, int] | None = self.memo.get("ranks")
        if found is None:
            ranks = self.record.live.ranks if self.record is not None else ()
            self.memo["ranks"] = found = {ReplicaName(name): rank for name, rank in ranks}
        return found

    def order_to_stop(self) -> bool:
        return self.opened and self.record is not None and self.record.shape.stopped
