"""Two ingestors of an importing source, with the real roles and a real store: one is killed, and every row comes once, in its order."""

import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread

from levee.topology.names import OperatorName
from levee_spark.ingest.importing import Importing
from levee_spark.lane import rows
from levee_spark.log import anchor, control, head
from levee_spark.log.imports import Keeper, Reached
from levee_spark.log.ingest import Ingestor
from levee_spark.log.requests import Answer, Computed, Done, Found, Get, Ingest, Request
from levee_spark.log.values import Anchor, EpochObject, Live, Shape
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.store.drive import Stopped, drive
from levee_spark.store.driver import monotonic_ms
from levee_spark.store.wake import Waiter
from tests.ingest.test_importing import HERE, SOURCE, STREAM, THERE, TIMES, Shop

EPOCHS, ROWS = 40, 3
PATIENCE_S = 60.0  # for something that must happen; no test is about how long it takes
WIRING = Wiring(HERE, replace(TIMES, retention_ms=600_000), {SOURCE: TaskWiring(SOURCE, OperatorName("clicks"))})


@dataclass
class Rival:
    shop: Shop
    number: int
    waiter: Waiter = field(init=False)
    source: Importing = field(init=False)

    def __post_init__(self) -> None:
        self.source = self.shop.source(wiring=WIRING)
        self.waiter = self.shop.driver.waiter()
        Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        ingestor = Ingestor(WIRING, WIRING.tasks[SOURCE], f"{SOURCE}/{self.number}", f"rival-{self.number}")
        with suppress(Stopped):
            drive(ingestor.run(), self.shop.driver, self.waiter, self.work)

    def work(self, request: Request) -> Answer:
        if not isinstance(request, Ingest):
            return Done(monotonic_ms(), monotonic_ms())
        computed = self.source.ingest(request.epoch, request.offsets)
        if not isinstance(computed, Computed):
            raise Stopped
        return computed

    def kill(self) -> None:
        self.source.stop()
        self.waiter.stop()


def reached(shop: Shop) -> int:
    last = drive(head.find(HERE, SOURCE), shop.driver)
    return Reached.of(last.offsets).epoch if last is not None and last.offsets else 0


def imported(shop: Shop) -> list[int]:
    last = drive(head.find(HERE, SOURCE), shop.driver)
    found: list[int] = []
    for number in range(1, last.epoch + 1 if last else 0):
        answer = shop.driver.answer(Get(HERE.epoch(SOURCE, number)))
        assert isinstance(answer, Found) and isinstance(answer.record, EpochObject)
        record = answer.record
        assert isinstance(record.payload, bytes | memoryview)
        found += rows.decode(record.payload)["n"].to_pylist()
    return found


def wait_until(shop: Shop, epoch: int) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while reached(shop) < epoch:
        assert time.monotonic() < until_s, f"no further than to {reached(shop)}"
        time.sleep(0.01)


def test_every_row_comes_once_though_whoever_ingests_is_killed(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "store")
    shop.begins()
    ranks = Live(tuple((f"{SOURCE}/{number}", number) for number in range(3)))
    shop.put(HERE.control(1), control.first(Shape(), ranks, "test"))
    drive(anchor.write(HERE, Anchor(1, 1, 1)), shop.driver)
    rivals = [Rival(shop, 0), Rival(shop, 1)]
    for number in range(1, EPOCHS + 1):
        shop.epoch(number, *range(ROWS * number, ROWS * number + ROWS))
        if number == EPOCHS // 2:
            wait_until(shop, number - 1)
            rivals[0].kill()
            rivals.append(Rival(shop, 2))
    wait_until(shop, EPOCHS)
    for one in rivals:
        one.kill()
    assert imported(shop) == list(range(ROWS, ROWS * EPOCHS + ROWS))
    keeper = Keeper(WIRING, rivals[1].source.terms.importer, rivals[1].source.terms.wanted, "k", 60_000)
    drive(keeper.look(), shop.driver)
    assert keeper.registrar is not None
    assert (keeper.registrar.layout, keeper.registrar.stream, keeper.registrar.epoch) == (THERE, STREAM, EPOCHS)
