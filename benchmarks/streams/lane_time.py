"""Levee's epochs, one after another: a real Replica role on a real lane and a real store, in this process.

Called by: epochs, throughput; compare.
"""

import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Thread

from pyspark.sql import SparkSession

from benchmarks.streams.processes import cpu_s
from benchmarks.streams.rows import Row
from benchmarks.streams.stage import NAMES, OPERATOR, Stage
from levee_spark.log.requests import Answer, Done, Report, Request
from levee_spark.spark import gateway
from levee_spark.spark.session import adopt
from levee_spark.spark.settings import C1_ROWS, Size, flags, settings
from levee_spark.store.address import open_store
from levee_spark.store.drive import Stopped, drive
from levee_spark.store.driver import StoreDriver, monotonic_ms
from levee_spark.worker.assembly import Parts, operating_of, role_of, spool_for
from levee_spark.worker.logs import Log
from levee_spark.worker.order import Order, ReplicaName

LARGE_HEAP_MIB = 1024


def measure(folder: Path, function: str, rows: int, warm: int, epochs: int) -> Row:
    """Input epochs are all there; what is timed is from one commit to the next."""
    with staged(folder, function, rows, warm + epochs) as (stage, session):
        noted = Noted(warm, warm + epochs)
        run(stage, session, warm + epochs, noted)
    gaps = noted.gaps_s(warm)
    return {"epochs_ms": [1000 * gap for gap in gaps], "rows_per_s": rows / (sum(gaps) / len(gaps)), "cpu_ms": noted.cpu_ms(epochs)}


@contextmanager
def staged(
    folder: Path, function: str, rows: int, epochs: int, extra: Mapping[str, str] | None = None, extra_flags: Sequence[str] = ()
) -> Iterator[tuple[Stage, SparkSession]]:
    stage = Stage(folder, function, rows)
    stage.open()
    for epoch in range(1, epochs + 1):
        stage.put(epoch)
    size = Size(LARGE_HEAP_MIB, 2, large_epochs=True) if rows > C1_ROWS else Size()
    wanted = settings(size, extra or {})
    jvm = gateway.start([*flags(size), *extra_flags], wanted, folder / "spark.log")
    session = adopt(jvm, wanted)
    try:
        yield stage, session
    finally:
        jvm.process.kill()


@dataclass(slots=True)
class Noted:
    """When each epoch was committed, and the CPU seconds of all processes at two of them."""

    first: int
    last: int
    won_s: list[float] = field(default_factory=list)
    cpu_at: list[float] = field(default_factory=list)

    def __call__(self) -> None:
        self.won_s.append(time.perf_counter())
        if len(self.won_s) in {self.first, self.last}:
            self.cpu_at.append(cpu_s())

    def gaps_s(self, warm: int) -> list[float]:
        return [after - before for before, after in pairwise(self.won_s[warm - 1 :])]

    def cpu_ms(self, epochs: int) -> float:
        return 1000 * (self.cpu_at[1] - self.cpu_at[0]) / epochs


def run(stage: Stage, session: SparkSession, last: int, won: Callable[[], None]) -> None:
    """Until the epoch `last`; `won` is called after each commit, in the role's own thread."""
    name = ReplicaName.parse(f"{OPERATOR}/0/0")
    order = Order(stage.resource_file, stage.uid, "bench", "node", stage.folder / "worker", (name,))
    driver = StoreDriver(open_store(stage.resource.spec.store.uri))  # not the stage's: that has all epochs in memory
    spool = spool_for(order)
    parts = Parts(order, stage.resource, stage.wiring, driver, spool, lambda: session, Log("bench", "bench"), 2)
    thread = Thread(target=live, args=(parts, name, NAMES[stage.function], last, won))
    thread.start()
    thread.join()
    shutil.rmtree(spool, ignore_errors=True)


def live(parts: Parts, name: ReplicaName, function: str, last: int, won: Callable[[], None]) -> None:
    operating, role = operating_of(parts, name, function, 1), role_of(parts, name, function)
    waiter = parts.driver.waiter()

    def work(request: Request) -> Answer:
        if not isinstance(request, Report):
            return operating(request)
        if request.what == "won":
            won()
            if request.epoch == last:
                waiter.stop()
        now_ms = monotonic_ms()
        return Done(now_ms, now_ms)

    with suppress(Stopped):
        print(f"the replica ended by itself: {drive(role.run(), parts.driver, waiter, work)}", file=sys.stderr)
