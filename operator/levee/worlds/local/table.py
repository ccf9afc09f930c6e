"""What a run writes down of itself, as values: for other commands, and for whoever comes after a crash.

Why: the numbers of processes, who is where and what happened are read by several commands; they should agree on what stands there.
Called by: `run` (makes it), `levee status | kill | pause | stop`, and the clean-up of what a crashed run has left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from levee.control.account import Statement, Sums
from levee.control.names import Instant, ReplicaName, WorkerName
from levee.control.seen import NodeSeen, Observation, Phase, ReplicaSeen, WorkerSeen
from levee.topology.names import ConfigurationName, NodeName, TaskId, ZoneName
from levee.worlds.local import asking, processes
from levee.worlds.local.folder import Folder, process_entry, process_in
from levee.worlds.local.processes import Process

START = Instant(0)


@dataclass(frozen=True, slots=True)
class TaskEntry:
    task: TaskId
    reads: tuple[TaskId, ...]
    delivers: bool = False  # a sink's


@dataclass(frozen=True, slots=True)
class NodeEntry:
    node: NodeName
    alive: bool
    process: Process | None  # the leader of its group, while it lives


@dataclass(frozen=True, slots=True)
class WorkerEntry:
    worker: WorkerName
    incarnation: str
    node: NodeName
    replicas: tuple[ReplicaName, ...]
    attempt: int
    process: Process | None  # while it lives
    directory: Path
    phase: Phase = Phase.STARTING
    states: tuple[ReplicaSeen, ...] = ()  # as last heard

    @property
    def left(self) -> WorkerSeen:
        """As it was when the run ended."""
        return WorkerSeen(self.worker, self.node, self.replicas, self.attempt, self.phase, START, START, 0, self.states)


@dataclass(frozen=True, slots=True)
class Told:
    """An event, with the time of day."""

    at: str
    subject: str
    text: str
    grave: bool = False


@dataclass(frozen=True, slots=True)
class SwitchEntry:
    """To another configuration, as far as it came."""

    at: str  # when rates asked for it
    configuration: ConfigurationName
    record: int
    on: tuple[ReplicaName, ...]
    off: tuple[ReplicaName, ...]
    after_s: Mapping[str, float]  # since then, by the step that was over


@dataclass(frozen=True, slots=True)
class RunTable:
    topology: str
    uid: str
    store: str
    controller: Process | None
    configuration: ConfigurationName | None = None
    record: int | None = None
    reason: str = ""
    text: str = ""
    tasks: tuple[TaskEntry, ...] = ()
    nodes: tuple[NodeEntry, ...] = ()
    workers: tuple[WorkerEntry, ...] = ()
    events: tuple[Told, ...] = ()
    ready: bool = False  # every planned replica works, and has done an epoch
    ended: str = ""  # how and when, once it is over
    joining: frozenset[ReplicaName] = frozenset()  # who was switched on, and has yet to catch up
    failing: frozenset[ReplicaName] = frozenset()  # who has failed, and is not past the epoch at which it did
    account: Statement | None = None  # of its service level, over the window
    switches: tuple[SwitchEntry, ...] = ()  # the last ones
    zones: Mapping[NodeName, ZoneName] = field(default_factory=dict)  # of nodes that are in one

    def closed(self, how: str) -> "RunTable":
        """With everything as it was last, and no process of it left."""
        nodes = tuple(replace(one, process=None) for one in self.nodes)
        workers = tuple(replace(one, process=None) for one in self.workers)
        return replace(self, controller=None, nodes=nodes, workers=workers, ready=False, ended=how)

    def document(self) -> dict[str, object]:
        return {
            "topology": self.topology,
            "uid": self.uid,
            "store": self.store,
            "controller": process_entry(self.controller),
            "configuration": self.configuration,
            "record": self.record,
            "ready": self.ready,
            "ended": self.ended,
            "reason": self.reason,
            "text": self.text,
            "tasks": [{"task": one.task, "reads": list(one.reads), "delivers": one.delivers} for one in self.tasks],
            "nodes": [{"node": one.node, "alive": one.alive, "process": process_entry(one.process)} for one in self.nodes],
            "workers": [worker_document(one) for one in self.workers],
            "joining": sorted(self.joining),
            "failing": sorted(self.failing),
            "account": None if self.account is None else asdict(self.account),
            "switches": [asdict(one) for one in self.switches],
            "zones": dict(self.zones),
            "events": [{"at": one.at, "subject": one.subject, "text": one.text, "grave": one.grave} for one in self.events],
        }

    def observe(self) -> Observation:
        """How it is now, as far as somebody can see who does not run it; or how it was, when it is over."""
        now = START
        if self.controller is None:
            nodes = tuple(NodeSeen(one.node, one.alive, now) for one in self.nodes)
            return Observation(nodes, tuple(one.left for one in self.workers), configuration=self.configuration)
        ports = {one.worker: asking.port_of(one.directory) if one.process else None for one in self.workers}
        states = asking.states_of(ports)
        nodes = tuple(NodeSeen(one.node, one.process is not None, now) for one in self.nodes)
        workers = tuple(seen_from_outside(one, states[one.worker], now) for one in self.workers)
        return Observation(nodes, workers, configuration=self.configuration)


def worker_document(one: WorkerEntry) -> dict[str, object]:
    return {
        "worker": one.worker,
        "incarnation": one.incarnation,
        "node": one.node,
        "replicas": list(one.replicas),
        "attempt": one.attempt,
        "process": process_entry(one.process),
        "directory": str(one.directory),
        "phase": one.phase.value,
        "states": [state_document(state) for state in one.states],
    }


def state_document(one: ReplicaSeen) -> dict[str, object]:
    """As workers tell it."""
    return {name: getattr(one, name) for name in ReplicaSeen.__slots__} | {"status": one.status.value, "processed": asdict(one.processed)}


def seen_from_outside(one: WorkerEntry, state: Mapping[str, Any] | None, now: Instant) -> WorkerSeen:
    states = asking.replicas_in(state) if state is not None else one.states
    return WorkerSeen(one.worker, one.node, one.replicas, one.attempt, phase_from_outside(one, state), now, now, 0, states)


def phase_from_outside(one: WorkerEntry, state: Mapping[str, Any] | None) -> Phase:
    if one.process is None:
        return Phase.ENDED
    if state is not None:
        return Phase.READY if state.get("ready") else Phase.STARTING
    if processes.is_paused(one.process):
        return Phase.PAUSED
    return Phase.STARTING if asking.port_of(one.directory) is None else Phase.SILENT


def read_table(folder: Folder) -> RunTable | None:
    """None: nothing has ever run here. Processes that are gone are left out."""
    value = folder.read()
    try:
        return None if value is None else table_of(value, folder)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise folder.unreadable(f"{type(error).__name__}: {error}") from None


def table_of(value: Mapping[str, Any], folder: Folder) -> RunTable:
    controller = process_in(value["controller"])
    crashed = value["controller"] is not None and controller is None
    return RunTable(
        topology=value["topology"],
        uid=value["uid"],
        store=value["store"],
        controller=controller,
        configuration=value["configuration"],
        record=value["record"],
        reason=value["reason"],
        text=value["text"],
        tasks=tuple(TaskEntry(one["task"], tuple(one["reads"]), one["delivers"]) for one in value["tasks"]),
        nodes=tuple(NodeEntry(one["node"], one["alive"], process_in(one["process"])) for one in value["nodes"]),
        workers=tuple(map(worker_entry, value["workers"])),
        events=tuple(Told(one["at"], one["subject"], one["text"], one["grave"]) for one in value["events"]),
        ready=bool(value.get("ready")),
        ended=f"crashed at {folder.written_at()}" if crashed else value.get("ended", ""),
        joining=frozenset(value.get("joining", ())),
        failing=frozenset(value.get("failing", ())),
        account=statement_in(value.get("account")),
        switches=tuple(map(switch_in, value.get("switches", ()))),
        zones=dict(value.get("zones", {})),
    )


def switch_in(told: Mapping[str, Any]) -> SwitchEntry:
    return SwitchEntry(told["at"], told["configuration"], told["record"], tuple(told["on"]), tuple(told["off"]), dict(told["after_s"]))


def statement_in(told: Mapping[str, Any] | None) -> Statement | None:
    return None if told is None else Statement(told["window_s"], Sums(**told["sums"]), told["overdue"])


def worker_entry(one: Mapping[str, Any]) -> WorkerEntry:
    replicas: Sequence[ReplicaName] = one["replicas"]
    process = process_in(one["process"])
    entry = WorkerEntry(one["worker"], one["incarnation"], one["node"], tuple(replicas), one["attempt"], process, Path(one["directory"]))
    return replace(entry, phase=Phase(one.get("phase", Phase.STARTING)), states=asking.replicas_in({"replicas": one.get("states", ())}))
