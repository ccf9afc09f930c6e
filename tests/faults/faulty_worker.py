"""A worker made of the same parts as any other, in which things go wrong when a test says so.

Why: faults wrap; production never asks whether it is a test. A test puts a file into the folder that FAULTS names; the first worker that
comes to that point takes it (renames it, so nobody else does) and only then suffers: a fault whose file was not taken never happened.
Called by: the local world, as its workers' program, in tests: python -m tests.faults.faulty_worker ORDER.json
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from errno import ENOSPC
from pathlib import Path
from random import Random
from typing import Any

from levee_spark.lane import rows
from levee_spark.log.digest import short_hash
from levee_spark.log.requests import Answer, Compute, Computed, Done, Get, PutIfAbsent, Request, Restore
from levee_spark.log.values import CheckpointFile, EpochObject
from levee_spark.store import local
from levee_spark.store.address import open_store
from levee_spark.store.blobs import Blobs, Bytes
from levee_spark.store.driver import StoreDriver, monotonic_ms
from levee_spark.store.faults import FaultyBlobs
from levee_spark.store.local import LocalBlobs, write
from levee_spark.worker import main as worker
from levee_spark.worker import replica as replicas
from levee_spark.worker.assembly import Parts, Work, end, work_of
from levee_spark.worker.operating import Operating
from levee_spark.worker.order import ReplicaName
from tests.faults.points import FULL, HELD, JUMP, LIMIT, SHAKY, WRONG, Point, armed

FOLDER = Path(os.environ.get("FAULTS", "/nonexistent"))
TARGET = "total"  # the operator in whose epochs workers are killed
NODE = ""  # this worker's, once its order is read


# ---- what may happen


def die_at(point: Point, where: str = TARGET) -> None:
    """With SIGKILL, as nothing else tells so little beforehand."""
    if (told := take(f"{point.value}-{where}")) is not None:
        told.with_suffix(".by").write_text(f"{os.getpid()} {NODE}")
        os.kill(os.getpid(), signal.SIGKILL)


def take(name: str) -> Path | None:
    """Rename it: of several that come to the same point, one suffers."""
    path = armed(FOLDER, name)
    if not path.exists():
        return None
    taken = path.with_suffix(".taken")
    try:
        path.rename(taken)
    except FileNotFoundError:
        return None
    return taken


def wait_while_held(replica: ReplicaName) -> None:
    """As long as the file is there: a lane that hangs."""
    path = armed(FOLDER, f"{HELD}-{str(replica).replace('/', '-')}")
    while path.exists():
        time.sleep(0.02)


# ---- where it happens


@dataclass(slots=True)
class FaultyWork:
    inner: Work
    replica: ReplicaName
    operator: str

    def __call__(self, request: Request) -> Answer:
        if isinstance(request, Restore) and request.files:
            die_at(Point.FORKING, self.operator)
        answer = self.inner(request)
        if isinstance(request, Compute):
            wait_while_held(self.replica)
            die_at(Point.COMPUTED, self.operator)
            return self.perhaps_wrong(request.epoch, answer)
        return answer

    def perhaps_wrong(self, epoch: int, answer: Answer) -> Answer:
        """The first row once more; then it waits until another has won, or it wins and dies or lives on, as the file says."""
        if not isinstance(answer, Computed) or answer.rows == 0:
            return answer
        taken = take(f"{WRONG}-{str(self.replica).replace('/', '-')}")
        if taken is None:
            return answer
        told: dict[str, Any] = json.loads(taken.read_text())
        taken.with_suffix(".at").write_text(str(epoch))
        if told["then"] == "die":
            armed(FOLDER, f"{Point.COMMITTED.value}-{self.operator}").touch()
        elif told["then"] == "late":
            time.sleep(told["late_s"])
        assert isinstance(answer.payload, bytes)
        table = rows.decode(answer.payload)
        more = rows.united([table, table.slice(0, 1)])
        return replace(answer, payload=rows.encode(more), rows=more.num_rows, digest=short_hash("wrong", answer.digest))


@dataclass(slots=True)
class FaultyDriver(StoreDriver):
    def answer(self, request: Request) -> Answer:
        match request:
            case Get(key) if "/streams/labelled" in key and "/epochs/" in key:
                die_at(Point.READING)
            case PutIfAbsent(key, EpochObject()):
                answer = StoreDriver.answer(self, request)
                if isinstance(answer, Done):
                    die_at(Point.COMMITTED, operator_in(key))
                return answer
            case PutIfAbsent(key, CheckpointFile()) if operator_in(key) == TARGET:
                answer = StoreDriver.answer(self, request)
                die_at(Point.PUBLISHING)
                return answer
            case _:
                pass
        return StoreDriver.answer(self, request)


def operator_in(key: str) -> str:
    return key.partition("/streams/")[2].partition(".")[0]


class FaultyDirectory(LocalBlobs):
    """Between data and commit: the object is written and flushed, and has no name yet."""

    def link(self, data: Bytes, path: Path) -> bool:
        if f"/streams/{TARGET}" in str(path) and path.parent.name == "epochs":
            with self.scrap(data):
                die_at(Point.WRITTEN)
        return LocalBlobs.link(self, data, path)


# ---- the same parts, put together with these


def clock() -> int:
    """Jumps forward while the file is there, on the one node that it names."""
    path = armed(FOLDER, f"{JUMP}-{NODE}")
    return monotonic_ms() + (int(path.read_text() or "0") if path.exists() else 0)


def open_faulty_store(uri: str, *, make: bool) -> Blobs:
    opened = open_store(uri, make=make)
    assert isinstance(opened, LocalBlobs)
    directory = FaultyDirectory(opened.root, opened.durable, opened.token, opened.counter)
    shaky = armed(FOLDER, SHAKY)
    return FaultyBlobs(directory, Random(f"{os.getpid()}"), **json.loads(shaky.read_text())) if shaky.exists() else directory


def faulty_work_of(parts: Parts, name: ReplicaName, function_name: str, run: int, waits_for: Callable[[str], None]) -> Work:
    """Of operators only."""
    inner, task = work_of(parts, name, function_name, run, waits_for), parts.task(name)
    limit = armed(FOLDER, f"{LIMIT}-{task.operator}")
    if isinstance(inner, Operating) and limit.exists():
        inner.lane.limit_s = float(limit.read_text())
    return inner if task.is_source or task.sink else FaultyWork(inner, name, task.operator)


def end_faulty(work: Work) -> None:
    """As any other, or its query would outlive it."""
    end(work.inner if isinstance(work, FaultyWork) else work)


def put_faults_in(order: Path) -> None:
    """The modules that put a worker together are given these instead."""
    global NODE  # noqa: PLW0603  (of a process that has one worker)
    NODE = json.loads(order.read_text())["node"]
    vars(worker).update(open_store=open_faulty_store, StoreDriver=lambda blobs, **more: FaultyDriver(blobs, now_ms=clock, **more))
    vars(worker).update(warm_up=lambda *_: None)  # its first epochs may take their time: many workers start here
    vars(replicas).update(work_of=faulty_work_of, end=end_faulty)
    vars(local).update(write=write_unless_full)


def write_unless_full(descriptor: int, data: Bytes) -> None:
    if armed(FOLDER, FULL).exists():
        raise OSError(ENOSPC, os.strerror(ENOSPC))
    write(descriptor, data)


if __name__ == "__main__":
    put_faults_in(Path(sys.argv[1]))
    sys.exit(worker.main(sys.argv[1:]))
