"""A run as people and scripts see it: one line for each replica.

Why: the live view, the plain lines, `levee status` and its JSON must say the same.
Called by: the command line.
"""

from dataclasses import dataclass, replace

from levee.control.events import primary_of
from levee.control.names import ReplicaName, WorkerName, task_of
from levee.control.seen import Observation, Phase, ReplicaSeen, Status, WorkerSeen
from levee.topology.names import NodeName, TaskId
from levee.worlds.local.table import RunTable, TaskEntry

CATCHES_UP = "catching up"  # it was switched on, and is not as far as the others yet
TRIES_AGAIN = "trying again"  # it has failed, and is not past the epoch at which it did


@dataclass(frozen=True, slots=True)
class ReplicaRow:
    replica: ReplicaName
    task: TaskId
    node: NodeName
    worker: WorkerName
    attempt: int
    role: str  # primary | secondary | standby | deliverer | none
    status: str  # of the replica, or of its worker where that is not ready
    epoch: int
    rank: int | None
    lag_epochs: int  # behind the newest epoch of a source
    rows_per_s: float
    error: str


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The whole of it, in a line."""

    epoch: int  # that every sink, or where there is none every task, has reached
    lag_epochs: int  # of the slowest task behind the newest epoch of a source
    working: int
    replicas: int
    rows_per_s: float  # of all sources


def rows_of(table: RunTable, seen: Observation) -> tuple[ReplicaRow, ...]:
    """In the order of the graph. A replica whose node is gone is shown where it was."""
    at: dict[ReplicaName, WorkerSeen] = {replica: worker for worker in seen.workers for replica in worker.replicas}
    at |= seen.homes
    primaries = primary_of(seen)
    newest = max((state.epoch for worker in at.values() for state in worker.states), default=0)  # a source's, or known from one it had
    mine: dict[TaskId, list[ReplicaName]] = {task.task: [] for task in table.tasks}
    for replica in sorted(at):
        mine.get(task_of(replica), []).append(replica)
    found = [
        row_of(task, replica, at[replica], seen, table, is_primary=primaries.get(task.task) == replica)
        for task in table.tasks
        for replica in mine[task.task]
    ]
    return tuple(replace(row, lag_epochs=max(0, newest - row.epoch)) for row in found)


def row_of(
    task: TaskEntry, replica: ReplicaName, worker: WorkerSeen, seen: Observation, table: RunTable, *, is_primary: bool
) -> ReplicaRow:
    state = next((one for one in worker.states if one.replica == replica), ReplicaSeen(replica, Status.STARTING))
    status = status_of(state, worker, seen)
    if status in {Status.RUNNING, Status.IDLE}:
        status = TRIES_AGAIN if replica in table.failing else CATCHES_UP if replica in table.joining else status
    works = status == Status.RUNNING
    return ReplicaRow(
        replica,
        task.task,
        worker.node,
        worker.worker,
        worker.attempt,
        role_of(task, status, is_primary=is_primary),
        status,
        state.epoch,
        state.rank,
        state.lag_epochs,
        state.rows_per_s if works else 0.0,
        state.error or state.lacks or state.waits,
    )


def status_of(state: ReplicaSeen, worker: WorkerSeen, seen: Observation) -> str:
    node = seen.node(worker.node)
    if node is not None and not node.alive:
        return "node lost"
    return state.status.value if worker.phase is Phase.READY else worker.phase.value


def role_of(task: TaskEntry, status: str, *, is_primary: bool) -> str:
    if status in {Status.IDLE, CATCHES_UP}:
        return "standby"
    if status != Status.RUNNING:
        return "none"
    return "deliverer" if task.delivers else "primary" if is_primary else "secondary"


def summary_of(table: RunTable, rows: tuple[ReplicaRow, ...]) -> RunSummary:
    """Of a run that is over: how far it came; nothing of it works."""
    ends = {task.task for task in table.tasks if task.delivers} or {task.task for task in table.tasks}
    sources = {task.task for task in table.tasks if not task.reads}
    of_task: dict[TaskId, list[ReplicaRow]] = {task.task: [] for task in table.tasks}
    for row in rows:
        of_task[row.task].append(row)
    return RunSummary(
        min((max((row.epoch for row in of_task[task]), default=0) for task in ends), default=0),
        max((min((row.lag_epochs for row in mine), default=0) for mine in of_task.values()), default=0),
        0 if table.ended else sum(row.role != "none" for row in rows),
        len(rows),
        0.0 if table.ended else sum(max((row.rows_per_s for row in of_task[task]), default=0.0) for task in sources),
    )
