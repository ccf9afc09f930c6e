"""What a worker is told once, when it is started; everything after that it reads in the control log.

Called by: main; written by whoever starts workers (the local world, the operator).
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from levee.topology.names import TaskId
from levee_spark.spark.cluster import Cluster

LOOPBACK = "127.0.0.1"


class BadOrder(Exception):
    """The file is no order; what is wrong with it."""


@dataclass(frozen=True, slots=True)
class ReplicaName:
    """`vwap/1/0`: replica 0 of task `vwap/1`."""

    task: TaskId
    number: int

    @classmethod
    def parse(cls, text: str) -> "ReplicaName":
        task, _, number = text.rpartition("/")
        if not task or not number.isdecimal():
            raise BadOrder(f"'{text}' names no replica; write task/number, such as vwap/1/0")
        return cls(TaskId(task), int(number))

    def __str__(self) -> str:
        return f"{self.task}/{self.number}"


@dataclass(frozen=True, slots=True)
class Order:
    resource: Path
    uid: str
    worker: str  # this incarnation's own name, never used twice
    node: str
    directory: Path  # on this machine, disposable
    replicas: tuple[ReplicaName, ...]
    port: int = 0  # 0: any that is free
    attempt: int = 1
    host: str = LOOPBACK  # where it may be asked; "": at every address of the machine
    urgent: bool = False  # somebody is missed: the first epochs are not worth waiting for a warm session
    cluster: Cluster | None = None  # where executors are started; without: on this machine


def read(path: Path) -> Order:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadOrder(f"{path}: {error.strerror}") from error
    return parse(text, str(path))


def parse(text: str, origin: str) -> Order:
    try:
        told: dict[str, Any] = json.loads(text)
        names = tuple(ReplicaName.parse(str(name)) for name in told["replicas"])
        place = Path(told["directory"])
        port, attempt, host, urgent = told.get("port", 0), told.get("attempt", 1), told.get("host", LOOPBACK), bool(told.get("urgent"))
        cluster = Cluster(**told["cluster"]) if told.get("cluster") else None
        identity = (Path(told["resource"]), told["uid"], told["worker"], told["node"], place, names)
        return Order(*identity, port, attempt, host, urgent, cluster)
    except (ValueError, TypeError, KeyError) as error:
        raise BadOrder(f"{origin}: {type(error).__name__}: {error}") from error
