"""Names and times that only the control plane has.

Called by: control, worlds, the command line.
"""

from typing import NewType

from levee.topology.names import NodeName, OperatorName, TaskId, task_id

ReplicaName = NewType("ReplicaName", str)  # "vwap/1/0": replica 0 of task vwap/1
WorkerName = NewType("WorkerName", str)  # "node-1-0": the place of a process; its incarnations come and go
Instant = NewType("Instant", int)  # milliseconds of the controller's own clock


def replica_name(task: TaskId, number: int) -> ReplicaName:
    return ReplicaName(f"{task}/{number}")


def task_of(replica: ReplicaName) -> TaskId:
    return TaskId(replica.rpartition("/")[0])


def operator_of(task: TaskId) -> OperatorName:
    return OperatorName(task.rpartition("/")[0])


def worker_name(node: NodeName, number: int) -> WorkerName:
    return WorkerName(f"{node}-{number}")


__all__ = ["Instant", "ReplicaName", "WorkerName", "operator_of", "replica_name", "task_id", "task_of", "worker_name"]
