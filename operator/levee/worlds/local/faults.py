"""Faults of the local world: kill or pause a replica's worker, or a whole node.

Why: what Levee is for can be seen by anybody, by hand and by script; and a fault must hit what it names or say that it did not.
Called by: `levee kill`, `levee pause`, and `run`, for the faults that a script asks for at given epochs.
"""

import contextlib
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from levee.control.names import ReplicaName, task_of
from levee.topology.names import TaskId
from levee.worlds.local import processes
from levee.worlds.local.processes import Process
from levee.worlds.local.table import RunTable


class Kind(StrEnum):
    KILL_REPLICA = "kill replica"
    KILL_NODE = "kill node"
    PAUSE_REPLICA = "pause replica"
    PAUSE_NODE = "pause node"

    @property
    def is_of_node(self) -> bool:
        return self in {Kind.KILL_NODE, Kind.PAUSE_NODE}

    @property
    def is_pause(self) -> bool:
        return self in {Kind.PAUSE_REPLICA, Kind.PAUSE_NODE}


@dataclass(frozen=True, slots=True)
class Fault:
    """`name`: a replica or a node; or a task, which means its primary, or the node of its primary."""

    kind: Kind
    name: str
    at_epoch: int = 0
    for_ms: int = 0  # how long a pause lasts


@dataclass(frozen=True, slots=True)
class Hit:
    """What a fault is about to meet."""

    what: str  # "node node-2 with 3 workers"
    replicas: tuple[ReplicaName, ...]
    workers: tuple[Process, ...]
    node: Process | None = None


class Missed(Exception):
    """There is nothing of that name to hit; `known`: what there is."""

    def __init__(self, text: str, known: Sequence[str]) -> None:
        super().__init__(text)
        self.known = tuple(known)


def aim(fault: Fault, table: RunTable, primaries: Mapping[TaskId, ReplicaName]) -> Hit:
    return aim_at_node(fault.name, table, primaries) if fault.kind.is_of_node else aim_at_replica(fault.name, table, primaries)


def aim_at_replica(name: str, table: RunTable, primaries: Mapping[TaskId, ReplicaName]) -> Hit:
    replica = primaries.get(TaskId(name), ReplicaName(name))
    for entry in reversed(table.workers):
        if replica in entry.replicas and entry.process is not None:
            others = f" and {len(entry.replicas) - 1} others" if len(entry.replicas) > 1 else ""
            return Hit(f"worker {entry.incarnation} on {entry.node} with {replica}{others}", entry.replicas, (entry.process,))
    known = sorted(replica for entry in table.workers if entry.process for replica in entry.replicas)
    if mine := [one for one in known if task_of(one) == name]:
        raise Missed(f"'{name}' has no primary now: none of its replicas has committed an epoch", mine)
    raise Missed(f"no living worker has a replica '{name}'", [*primaries, *known])


def aim_at_node(name: str, table: RunTable, primaries: Mapping[TaskId, ReplicaName]) -> Hit:
    primary = primaries.get(TaskId(name))
    wanted = next((entry.node for entry in table.workers if primary in entry.replicas and entry.process), name)
    for entry in table.nodes:
        if entry.node == wanted and entry.process is not None:
            here = [worker for worker in table.workers if worker.node == wanted and worker.process]
            replicas = tuple(replica for worker in here for replica in worker.replicas)
            leaders = tuple(worker.process for worker in here if worker.process)
            return Hit(f"node {wanted} with {len(here)} workers and {len(replicas)} replicas", replicas, leaders, entry.process)
    known = [entry.node for entry in table.nodes if entry.process]
    is_dead = any(entry.node == wanted for entry in table.nodes)
    raise Missed(f"{wanted} is dead already" if is_dead else f"no living node is called '{name}'", known)


def kill(hit: Hit) -> None:
    """A node's group at once; then what has left the group, as Spark's Python processes do."""
    everybody = [one for worker in hit.workers for one in processes.family(worker)]
    if hit.node is not None:
        processes.send(hit.node, signal.SIGKILL, to_group=True)
    for one in everybody:
        with contextlib.suppress(PermissionError):
            processes.send(one, signal.SIGKILL)


def pause(hit: Hit) -> None:
    """A node's keeper goes on: should the run crash meanwhile, it cleans up."""
    for worker in hit.workers:
        processes.send_family(worker, signal.SIGSTOP)


def go_on(hit: Hit) -> None:
    for worker in hit.workers:
        processes.send_family(worker, signal.SIGCONT)
