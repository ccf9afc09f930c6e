"""What can fail in the simulated world.

Called by: `world`, which carries it out; `play`, the command line and tests, which say what fails when.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from levee.control.names import ReplicaName, task_of
from levee.control.wanted import Wanted


class Kind(StrEnum):
    NODE = "node"  # it and everything on it, at once
    FROZEN = "node, frozen"  # it and everything on it stand still, and go on later
    REPLICA = "replica"  # it fails at every epoch, wherever it is started
    UNSEEN = "replica, unseen"  # the same, and nobody notices: LAAR's pessimistic model, in which no standby takes over
    WORKER = "worker"  # its process dies, and can be started again
    SILENT = "worker, silent"  # it goes on, and cannot be asked
    HANGS = "worker, hangs"  # it lives, and neither works nor answers
    PAUSED = "worker, paused"  # the same, and one that starts is not ready before it goes on


@dataclass(frozen=True, slots=True)
class Fault:
    """`name`: of a node, a replica or a worker. Without an end it lasts for good."""

    kind: Kind
    name: str
    at_ms: int = 0  # since the trace began
    for_ms: int | None = None


def worst(wanted: Wanted, *, unseen: bool = False) -> tuple[Fault, ...]:
    """All replicas of each task but one are dead for good, and that one is active for the least part of the time (LAAR, section 4.4)."""
    kind = Kind.UNSEEN if unseen else Kind.REPLICA
    return tuple(
        Fault(kind, replica)
        for task, replicas in wanted.replicas.items()
        if task not in wanted.sources
        for replica in replicas
        if replica != survivor(wanted, replicas)
    )


def survivor(wanted: Wanted, replicas: tuple[ReplicaName, ...]) -> ReplicaName:
    times: Mapping[ReplicaName, float] = {
        replica: sum(one.probability for one in wanted.configurations if replica in wanted.active[one.name]) for replica in replicas
    }
    assert len({task_of(one) for one in replicas}) == 1
    return min(replicas, key=lambda one: (times[one], one))
