"""A worker that keeps the contract of the real one, with the real roles of the epoch log, and sums numbers instead of running Spark.

Why: what the local world does with processes, control records and anchors is tested in seconds, without a Java machine.
Called by: `levee run` in tests: python -m tests.worlds.toy_worker ORDER.json
"""

import contextlib
import json
import os
import signal
import sys
import time
from dataclasses import asdict, dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa

from levee.control.names import ReplicaName, operator_of, task_of
from levee.topology.load import load_bytes
from levee.topology.spec import Resource
from levee_spark.log import bounds
from levee_spark.log.digest import multiset_digest
from levee_spark.log.ingest import Ingestor
from levee_spark.log.replica import Replica
from levee_spark.log.requests import (
    Answer,
    Compute,
    Computed,
    Deliver,
    Done,
    Files,
    Ingest,
    Raised,
    Report,
    Request,
    Restore,
    Snapshot,
)
from levee_spark.log.sink import Sink
from levee_spark.log.values import EpochObject
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver, monotonic_ms
from levee_spark.worker.judging import Judge, allowed_ms
from levee_spark.worker.phases import Phases
from levee_spark.worker.wiring import wiring_of

ROWS = 3  # of each epoch
ROWS_OF_AN_EPOCH = "steadyRows"  # that it says it has, if it is driven
EPOCHS = "TOY_EPOCHS"  # after so many the source ends
TROUBLE = "TOY_TROUBLE"  # exit: the process ends at once; epoch N: the function of `double` raises there


def packed(values: list[int]) -> bytes:
    table = pa.table({"value": pa.array(values, pa.int64())})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def unpacked(epoch: EpochObject) -> list[int]:
    if epoch.payload is None:
        return []
    found: list[int] = pa.ipc.open_stream(epoch.payload).read_all()["value"].to_pylist()
    return found


@dataclass
class Toy:
    """One replica."""

    replica: ReplicaName
    directory: Path
    rate: Path  # rows per second that its source says; while there is no such file, what it is driven to
    judge: Judge
    role: Any = None
    status: str = "starting"
    epoch: int = 0
    last: str = "none"
    error: str = ""
    total: int = 0
    ended: bool = False
    delivered: dict[int, list[int]] = field(default_factory=dict)
    driven: float = 30.0
    record: tuple[int, int] = (0, 0)  # the newest, and when it was read
    forked_ms: int | None = None

    def answer(self, request: Request) -> Answer:
        now = monotonic_ms()
        if not isinstance(request, Restore):
            self.status = "running"
        match request:
            case Ingest(epoch, _):
                over = epoch > int(os.environ.get(EPOCHS, epoch))
                values = [] if over else [10 * epoch + n for n in range(ROWS)]
                return replace(self.computed(values, str(epoch)), ended=over)
            case Compute(epoch, inputs):
                answer = self.compute(epoch, [value for one in inputs for value in unpacked(one)], closes=bounds.closes(epoch, inputs))
                self.judge.computed(request, answer)
                return answer
            case Deliver(_, one):
                self.epoch = one.manifest.epoch
                self.deliver(one)
            case Restore(epoch, files):
                self.epoch, self.forked_ms = epoch, now
                [self.total] = [int(bytes(one)) for one in files] or [0]  # type: ignore[call-overload]
            case Snapshot():
                return Files((("total", str(self.total).encode()),), now, monotonic_ms())
            case Report(("won" | "lost") as what, epoch):
                self.last, self.epoch = what, epoch
                self.judge.ended(request, None, leads=self.role.listener.rank() == 0)
            case Report("forks again"):
                self.status = "idle"
            case Report("ended"):
                self.ended = True
            case _:
                pass
        return Done(now, monotonic_ms())

    def compute(self, epoch: int, values: list[int], *, closes: bool) -> Answer:
        """What `total` has held back to the end is its total with the sign changed."""
        if operator_of(task_of(self.replica)) == "double":
            if os.environ.get(TROUBLE) == f"epoch {epoch}":
                return Raised(f"ValueError: epoch {epoch} has no double", monotonic_ms(), monotonic_ms())
            return self.computed([2 * value for value in values])
        self.total += sum(values)
        return self.computed([-self.total] if closes else [self.total] if values else [])

    def computed(self, values: list[int], offsets: str | None = None) -> Computed:
        now = monotonic_ms()
        return Computed(packed(values), len(values), multiset_digest((str(v).encode() for v in values), offsets), now, now, offsets)

    def deliver(self, one: EpochObject) -> None:
        """Put if absent, named by epoch."""
        self.directory.mkdir(parents=True, exist_ok=True)
        fresh = self.directory / f".{self.replica.replace('/', '-')}-{os.getpid()}"
        fresh.write_text(json.dumps(unpacked(one)))
        with contextlib.suppress(FileExistsError):
            os.link(fresh, self.directory / f"{one.manifest.epoch:06d}.json")
        fresh.unlink()

    def look(self) -> None:
        view = self.role.listener.view
        if view.records and view.latest() > self.record[0]:
            self.record = view.latest(), monotonic_ms()

    def state(self) -> dict[str, Any]:
        rank = self.role.listener.rank() if hasattr(self.role, "listener") else 0
        status = "idle" if rank is None and self.status == "running" else self.status
        rate = 0.0 if self.role.task.inputs else float(self.rate.read_text()) if self.rate.exists() else self.driven
        now = monotonic_ms()
        return {"replica": self.replica, "task": task_of(self.replica), "status": status, "epoch": self.epoch, "rank": rank} | {
            "last": self.last,
            "lag_epochs": 0,
            "rows_per_s": rate,
            "error": self.error,
            "ended": self.ended,
            "record": self.record[0],
            "read_ago_ms": now - self.record[1],
            "forked_ago_ms": None if self.forked_ms is None else now - self.forked_ms,
            "processed": asdict(self.judge.processed),
        }


def main(file: str) -> None:
    order = json.loads(Path(file).read_text())
    if os.environ.get(TROUBLE) == "exit":
        sys.exit("the toy cannot start")
    [loaded] = load_bytes(Path(order["resource"]).read_bytes(), origin=file)
    assert loaded.resource is not None
    wiring = wiring_of(loaded.resource, order["uid"])
    driver = StoreDriver(open_store(loaded.resource.spec.store.uri, make=False))
    functions = {operator.name: operator.function for operator in loaded.resource.spec.operators}
    out, rate = Path(order["directory"]).parents[1] / "out", Path(order["directory"]).parents[1] / "rate"
    allowed = allowed_ms(wiring, loaded.resource.spec)
    names = [ReplicaName(name) for name in order["replicas"]]
    toys = [Toy(name, out, rate, Judge(allowed[task_of(name)])) for name in names]
    for toy in toys:
        toy.driven = driven(loaded.resource, wiring.times.period_ms)
        task, incarnation = wiring.tasks[task_of(toy.replica)], f"{toy.replica}@{order['worker']}"
        if task.sink:
            toy.role = Sink(wiring, task, incarnation)
        elif task.is_source:
            toy.role = Ingestor(wiring, task, toy.replica, incarnation)
        else:
            toy.role = Replica(wiring, task, toy.replica, incarnation, functions[task.operator])
        Thread(target=play, args=(toy, driver), daemon=True).start()
    serve(order, toys)


def driven(resource: Resource, period_ms: int) -> float:
    """As `levee verify` has it: so many rows an epoch."""
    spark = resource.spec.sources[0].spark
    rows = spark.options.get(ROWS_OF_AN_EPOCH) if spark is not None else None
    return 30.0 if rows is None else 1_000 * float(rows) / period_ms


def play(toy: Toy, driver: StoreDriver) -> None:
    toy.status = "running"
    try:
        watched = Phases(lambda _phase, _seconds: None, time.monotonic, toy.look).watch(toy.role.run())
        ending = drive(watched, driver, work=toy.answer)
        toy.status, toy.error = ("failed", ending.detail) if ending.why.value == "failed" else ("stopped", "")
    except Exception as error:  # noqa: BLE001  (it is told in /state)
        toy.status, toy.error = "failed", repr(error)


def serve(order: dict[str, Any], toys: list[Toy]) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = {"worker": order["worker"], "node": order["node"], "ready": True, "replicas": [toy.state() for toy in toys]}
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", order["port"]), Handler)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    written = Path(order["directory"]) / "worker.new"
    written.write_text(json.dumps({"pid": os.getpid(), "port": server.server_address[1]}))
    written.rename(Path(order["directory"]) / "worker.json")
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1])
