"""Levee's epochs, one after another: a real Replica role on a real lane and a real store, in this process.

Called by: take, for the parts `epochs` and `throughput`.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from benchmarks.planning.runner import Row
from benchmarks.streams.functions import FUNCTIONS
from benchmarks.streams.processes import cpu_s
from benchmarks.streams.stage import NAMES, OPERATOR, Stage
from levee_spark.lane.feed import feed
from levee_spark.lane.source import register
from levee_spark.log.requests import Answer, Done, Report, Request
from levee_spark.spark.session import open_session
from levee_spark.spark.settings import C1_ROWS, Size
from levee_spark.store.address import open_store
from levee_spark.store.drive import Stopped, drive
from levee_spark.store.driver import StoreDriver, monotonic_ms
from levee_spark.worker.assembly import Parts, operating_of, role_of, spool_for
from levee_spark.worker.logs import Log
from levee_spark.worker.order import Order, ReplicaName

LARGE_HEAP_MIB = 1024


def measure(folder: Path, function: str, rows: int, warm: int, epochs: int, extra: Mapping[str, str] | None = None) -> Row:
    """Input epochs are all there; what is timed is from one commit to the next."""
    assert function in FUNCTIONS
    stage = Stage(folder, function, rows)
    stage.open()
    for epoch in range(1, warm + epochs + 1):
        stage.put(epoch)
    large = rows > C1_ROWS
    size = Size(LARGE_HEAP_MIB, 2, large_epochs=True) if large else Size()
    session, jvm = open_session(size, dict(extra or {}), folder / "spark.log")
    register(session)
    try:
        won_s, cpu = run(stage, session, warm + epochs, warm)
    finally:
        jvm.process.kill()
    gaps = [after - before for before, after in zip(won_s[warm - 1 :], won_s[warm:], strict=False)]
    return {"epochs_ms": [1000 * gap for gap in gaps], "rows_per_s": rows / (sum(gaps) / len(gaps)), "cpu_ms": 1000 * cpu / epochs}


def run(stage: Stage, session: Any, last: int, warm: int) -> tuple[list[float], float]:
    """When each epoch was committed, and the CPU seconds of all processes from the last warm one on."""
    name = ReplicaName.parse(f"{OPERATOR}/0/0")
    order = Order(stage.resource_file, stage.uid, "bench", "node", stage.folder / "worker", (name,))
    driver = StoreDriver(open_store(stage.resource.spec.store.uri))  # not the stage's: that has all epochs in memory
    spool = spool_for(order)
    with feed(spool / "feed") as told:
        log = Log("bench", "bench")
        parts = Parts(order, stage.resource, stage.wiring, driver, told, spool, lambda: session, log, 2)
        return follow(parts, name, NAMES[stage.function], last, warm)


def follow(parts: Parts, name: ReplicaName, function: str, last: int, warm: int) -> tuple[list[float], float]:
    operating, role = operating_of(parts, name, function, 1), role_of(parts, name, function)
    waiter = parts.driver.waiter()
    won_s: list[float] = []
    cpu_at: list[float] = []

    def work(request: Request) -> Answer:
        if not isinstance(request, Report):
            return operating(request)
        if request.what == "won":
            won_s.append(time.perf_counter())
            if len(won_s) in {warm, last}:
                cpu_at.append(cpu_s())
            if len(won_s) == last:
                waiter.stop()
        now_ms = monotonic_ms()
        return Done(now_ms, now_ms)

    def live() -> None:
        with suppress(Stopped):
            drive(role.run(), parts.driver, waiter, work)

    thread = Thread(target=live)
    thread.start()
    thread.join()
    assert len(won_s) == last, f"ended after {len(won_s)} epochs"
    return won_s, cpu_at[1] - cpu_at[0]
