"""What a controller can see of the ground: nodes, workers, and what their replicas say of themselves.

Called by: `world`, at every observation.
"""

from collections.abc import Sequence

from levee.control.names import Instant
from levee.control.seen import Phase, ReplicaSeen, Status, WorkerSeen
from levee.worlds.simulated.ground import Copy, Ground, Process


def workers_seen(ground: Ground, epoch: int, rows_per_s: Sequence[float]) -> tuple[WorkerSeen, ...]:
    return tuple(worker_seen(ground, one, epoch, rows_per_s) for one in ground.processes.values())


def worker_seen(ground: Ground, process: Process, epoch: int, rows_per_s: Sequence[float]) -> WorkerSeen:
    order, states = process.order, tuple[ReplicaSeen, ...]()
    if process.phase is Phase.READY:
        states = tuple(replica_seen(ground, one, epoch, rows_per_s) for one in process.copies)
    started, since = Instant(process.started), Instant(process.since)
    return WorkerSeen(
        *(order.worker, order.node, order.replicas, order.attempt, process.phase, since, started, order.failures),
        *(states, process.ending),
    )


def replica_seen(ground: Ground, copy: Copy, epoch: int, rows_per_s: Sequence[float]) -> ReplicaSeen:
    """What fails unseen looks as if it were on its way."""
    replica, rank = copy.replica, ground.ranks.get(copy.replica)
    if ground.broken[replica] > 0:
        return ReplicaSeen(replica, Status.FAILED, copy.epoch, rank, error="it fails, as the simulation was told")
    if rank is None:
        return ReplicaSeen(replica, Status.IDLE, copy.epoch)
    working = copy.working
    if (working is not None and not working.blocked) or ground.unseen[replica] > 0:
        copy.epoch = epoch
    last = "won" if working is not None and working.leads else "none"
    rate = rows_per_s[~copy.task] if copy.task < 0 and working is not None else 0.0
    return ReplicaSeen(replica, Status.RUNNING, copy.epoch, rank, last, rows_per_s=rate)
