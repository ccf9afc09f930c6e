"""What `levee plan` says that a trimmer asks for is what it asks for."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from levee.planning import requests
from levee.topology.graph import Timing
from levee.topology.names import OperatorName, TaskId
from levee_spark.log import control
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.requests import PutIfAbsent
from levee_spark.log.trim import Trimmer
from levee_spark.log.values import EpochObject, Kind, Live, Manifest, PublishedCheckpoint, Shape
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

SOURCE, SUMS, SINK = TaskId("numbers/0"), TaskId("sums/0"), TaskId("out/0")
EVERY = 5
TASKS = {
    SOURCE: TaskWiring(SOURCE, OperatorName("numbers")),
    SUMS: TaskWiring(SUMS, OperatorName("sums"), (SOURCE,), checkpoint_every=EVERY),
    SINK: TaskWiring(SINK, OperatorName("out"), (SUMS,), checkpoint_every=EVERY, sink=True),
}
RETENTION_MS = 50
LAYOUT = Layout("shop/sums", "u1")
TURN_S = 1.0


def wiring(driver: StoreDriver) -> Wiring:
    resolution_ms = driver.blobs.resolution_ms
    times = Times(20, 10, 20_000, 60_000, RETENTION_MS, 5, 60_000, lead=100, backlog=100, resolution_ms=resolution_ms)
    return Wiring(LAYOUT, times, TASKS)


def fill(driver: StoreDriver, first: int, last: int) -> None:
    for epoch in range(first, last + 1):
        for task in (SOURCE, SUMS):
            driver.answer(PutIfAbsent(LAYOUT.epoch(task, epoch), EpochObject(Manifest(epoch, Kind.FINAL, 0, "d", "l", 1, "w"), b"")))
        if epoch % EVERY == 0:
            for task in (SUMS, SINK):
                made = PublishedCheckpoint(task, epoch, "l", 1, 1, (), writer="w")
                driver.answer(PutIfAbsent(LAYOUT.checkpoint(task, epoch), made))


def asked(driver: StoreDriver) -> requests.Requests:
    count = driver.counts().total
    return requests.Requests(puts=count("put") + count("overwrite") + count("list"), gets=count("get"))


def turn(driver: StoreDriver, task: TaskId) -> requests.Requests:
    """One that raises the floor, as every turn of a stream that goes on does."""
    trimmer = Trimmer(wiring(driver), TASKS[task], "w")
    drive(trimmer.trim(), driver)
    fill(driver, 41, 60)
    time.sleep(2 * RETENTION_MS / 1_000)
    before = asked(driver)
    drive(trimmer.trim(), driver)
    after = asked(driver)
    return requests.Requests(after.puts - before.puts, after.gets - before.gets)


SAID: dict[TaskId, Callable[[Timing], requests.Requests]] = {
    SOURCE: lambda timing: requests.trimming(1, 0, 1, timing),
    SUMS: lambda timing: requests.trimming(1, 1, 1, timing),
    SINK: lambda timing: requests.retiring(timing) * (1 / requests.ENDS),
}


@pytest.mark.parametrize("task", TASKS)
def test_a_trimmers_turn_asks_as_often_as_a_plan_says(tmp_path: Path, task: TaskId) -> None:
    driver = StoreDriver(open_store(tmp_path.as_uri(), durable=False))
    drive(control.write(LAYOUT, control.first(Shape(((OperatorName("sums"), "v1"),)), Live((("first", 0),)), "test")), driver)
    fill(driver, 1, 40)
    time.sleep(2 * RETENTION_MS / 1_000)
    timing = Timing(period_s=TURN_S / requests.TRIM_PERIODS, retention_s=0)
    said, found = SAID[task](timing) * requests.TRIM_PERIODS, turn(driver, task)
    assert found.puts == pytest.approx(said.puts)
    assert found.gets <= said.gets <= found.gets + 6  # how often it halves what is too young depends on the retention
