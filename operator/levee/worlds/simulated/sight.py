"""What a controller can see of the ground: nodes, workers, and what their replicas say of themselves.

Called by: `world`, at every observation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from levee.control.names import Instant
from levee.control.seen import Phase, ReplicaSeen, Status, WorkerSeen
from levee.worlds.simulated.ground import Copy, Ground, Process


class Read(TypedDict):
    """Which control record, and when."""

    record: int
    read_ago_ms: int


@dataclass(frozen=True, slots=True)
class Moment:
    now: Instant
    epoch: int
    rows_per_s: Sequence[float]  # of each source task


def workers_seen(ground: Ground, moment: Moment) -> tuple[WorkerSeen, ...]:
    return tuple(worker_seen(ground, one, moment) for one in ground.processes.values())


def worker_seen(ground: Ground, process: Process, moment: Moment) -> WorkerSeen:
    """What is silent is known as it was heard last."""
    order = process.order
    if process.phase is Phase.READY:
        process.heard = tuple(replica_seen(ground, one, moment) for one in process.copies)
    states = process.heard if process.phase in {Phase.READY, Phase.SILENT} else ()
    started, since = Instant(process.started), Instant(process.since)
    return WorkerSeen(
        *(order.worker, order.node, order.replicas, order.attempt, process.phase, since, started, order.failures),
        *(states, process.ending),
    )


def replica_seen(ground: Ground, copy: Copy, moment: Moment) -> ReplicaSeen:
    """What fails unseen looks as if it were on its way."""
    replica, rank = copy.replica, ground.ranks.get(copy.replica)
    if ground.broken[replica] > 0:
        return ReplicaSeen(replica, Status.FAILED, copy.epoch, rank, error="it fails, as the simulation was told")
    read: Read = {"record": ground.record, "read_ago_ms": moment.now - ground.read_ms}
    if rank is None:
        return ReplicaSeen(replica, Status.IDLE, copy.epoch, **read)
    working = copy.working
    if (working is not None and not working.blocked) or ground.unseen[replica] > 0:
        copy.epoch = moment.epoch
    last = "won" if working is not None and working.leads else "none"
    rate = moment.rows_per_s[~copy.task] if copy.task < 0 and working is not None else 0.0
    forked_ago_ms = moment.now - copy.from_ms if working is not None and copy.from_ms is not None else None
    return ReplicaSeen(replica, Status.RUNNING, copy.epoch, rank, last, rows_per_s=rate, forked_ago_ms=forked_ago_ms, **read)
