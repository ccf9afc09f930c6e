"""The roles of the epoch log on a real store, in threads as in a worker: every row once, in order, and few requests."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

import pytest

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import anchor, clock, control
from levee_spark.log.digest import multiset_digest
from levee_spark.log.ingest import Ingestor
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.replica import Replica
from levee_spark.log.requests import Answer, Compute, Computed, Deliver, Done, Files, Ingest, Report, Request, Restore, Script, Snapshot
from levee_spark.log.sink import Sink
from levee_spark.log.trim import Trimmer
from levee_spark.log.values import Anchor, EpochObject, Kind, Live, Shape
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.store.blobs import Blobs
from levee_spark.store.drive import Stopped, drive
from levee_spark.store.driver import StoreDriver
from levee_spark.store.faults import FaultyBlobs
from tests.store.places import Place

SOURCE, SUMS, SINK = TaskId("numbers/0"), TaskId("sums/0"), TaskId("out/0")
EPOCHS, ROWS = 60, 3
TASKS = {
    SOURCE: TaskWiring(SOURCE, OperatorName("numbers")),
    SUMS: TaskWiring(SUMS, OperatorName("sums"), (SOURCE,), checkpoint_every=5, parts=(1,)),
    SINK: TaskWiring(SINK, OperatorName("out"), (SUMS,), checkpoint_every=5, sink=True),
}


def wiring(resolution_ms: int) -> Wiring:
    times = Times(20, 10, 20_000, 60_000, 3_000, 5, 60_000, lead=100, backlog=100, resolution_ms=resolution_ms)
    return Wiring(Layout("shop/sums", "uid-1"), times, TASKS)


@dataclass(slots=True)
class Running:
    """A running sum behind a replica, a counter behind an ingestor, a list behind a sink."""

    total: int = 0
    delivered: dict[int, list[int]] = field(default_factory=dict)
    reports: dict[str, int] = field(default_factory=dict)
    arrived: Callable[[int], None] = lambda _: None

    def work(self, request: Request) -> Answer:
        match request:
            case Ingest(_, offsets):
                begin = int(offsets or 0)
                rows = list(range(begin, begin + ROWS))
                return self.computed(rows, (b"of no interest", encoded(rows)), str(begin + ROWS))
            case Compute(_, inputs, _):
                rows = [self.add(row) for one in inputs for row in decoded(one)]
                return self.computed(rows, encoded(rows))
            case Restore(_, files):
                self.total = int(bytes(files[0])) if files else 0  # type: ignore[call-overload]
            case Snapshot():
                return Files((("total", str(self.total).encode()),), 0, 0)
            case Deliver(_, one):
                self.delivered[one.manifest.epoch] = decoded(one)
                self.arrived(one.manifest.epoch)
            case Report(what):
                self.reports[what] = self.reports.get(what, 0) + 1
            case _:
                raise TypeError(request)
        return Done(0, 0)

    def add(self, row: int) -> int:
        self.total += row
        return self.total

    def computed(self, rows: list[int], payload: object, offsets: str | None = None) -> Computed:
        return Computed(payload, len(rows), multiset_digest((str(row).encode() for row in rows), offsets), 0, 0, offsets)


def encoded(rows: list[int]) -> bytes:
    return json.dumps(rows).encode()


def decoded(one: EpochObject) -> list[int]:
    return json.loads(bytes(one.payload)) if one.manifest.kind is Kind.FINAL else []  # type: ignore[call-overload]


@contextmanager
def threads(driver: StoreDriver, roles: list[tuple[Script[object], Running]]) -> Iterator[list[BaseException]]:
    waiters, failures = [driver.waiter() for _ in roles], list[BaseException]()

    def run(index: int) -> None:
        try:
            drive(roles[index][0], driver, waiters[index], roles[index][1].work)
        except Stopped:
            pass
        except BaseException as error:  # noqa: BLE001  (whatever it is, the test must show it)
            failures.append(error)

    running = [threading.Thread(target=run, args=(index,)) for index in range(len(roles))]
    for one in running:
        one.start()
    yield failures
    for waiter in waiters:
        waiter.stop()
    for one in running:
        one.join()


def begin(driver: StoreDriver, wires: Wiring) -> None:
    names = [("in", 0), ("first", 0), ("second", 1), ("third", 2)]
    shape = Shape(((OperatorName("sums"), "v1"),))
    drive(control.write(wires.layout, control.first(shape, Live(tuple(names)), "test")), driver)
    now = drive(clock.ask_time(wires.layout, "test", None, wires.times.resolution_ms), driver)
    drive(anchor.write(wires.layout, Anchor(1, 1, now.high_ms)), driver)


def run(blobs: Blobs) -> tuple[Running, StoreDriver]:
    driver, wires = StoreDriver(blobs), wiring(blobs.resolution_ms)
    begin(driver, wires)
    done = threading.Event()
    sink = Running(arrived=lambda epoch: done.set() if epoch >= EPOCHS else None)
    roles: list[tuple[Script[object], Running]] = [
        (Ingestor(wires, TASKS[SOURCE], "in", "in#1").run(), Running()),
        *((Replica(wires, TASKS[SUMS], name, f"{name}#1", "v1").run(), Running()) for name in ("first", "second", "third")),
        (Sink(wires, TASKS[SINK], "sink#1").run(), sink),
        *((Trimmer(wires, task, f"trim {task.task}").run(), Running()) for task in TASKS.values()),
    ]
    with threads(driver, roles) as failures:
        done.wait()
    assert failures == []
    return sink, driver


def expected() -> list[int]:
    return [row * (row + 1) // 2 for row in range(EPOCHS * ROWS)]


def test_every_row_arrives_once_and_in_order(place: Place) -> None:
    sink, driver = run(place.open())
    assert [row for epoch in range(1, EPOCHS + 1) for row in sink.delivered[epoch]] == expected()
    counts = driver.counts()
    assert counts.requests.get(("get", "corrupt"), 0) == counts.requests.get(("get", "unknown"), 0) == 0


@pytest.mark.parametrize("seed", range(2))
def test_it_does_so_on_a_store_that_fails_at_random(place: Place, seed: int) -> None:
    faulty = FaultyBlobs(place.open(), Random(seed), before=0.05, after=0.05, delay_ms_max=2)
    sink, _ = run(faulty)
    assert [row for epoch in range(1, EPOCHS + 1) for row in sink.delivered[epoch]] == expected()
    assert min(faulty.injected.values()) > 0
