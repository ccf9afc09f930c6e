"""Of several deliverers of what must not be delivered twice, the one of rank 0 delivers."""

from dataclasses import replace

import pytest

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import control
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.requests import Answer, Deliver, Done, Files, Report, Request, Restore, Snapshot, Wait
from levee_spark.log.sink import Sink
from levee_spark.log.values import EpochObject, Kind, Live, Manifest, Shape
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

TICKS, OUT = TaskId("ticks/0"), TaskId("out/0")
TIMES = Times(10, 5, 100, 1_000, 60_000, 1, 60_000, 100, 100)
WIRING = Wiring(
    Layout("test", "uid"),
    TIMES,
    {TICKS: TaskWiring(TICKS, OperatorName("ticks")), OUT: TaskWiring(OUT, OperatorName("out"), (TICKS,), checkpoint_every=1, sink=True)},
)


class Enough(Exception):
    """The sink has nothing to do but to wait."""


class Outside:
    def __init__(self) -> None:
        self.epochs: list[int] = []
        self.patience = 40

    def __call__(self, request: Request) -> Answer:
        match request:
            case Deliver(_, one):
                self.epochs.append(one.manifest.epoch)
            case Snapshot():
                return Files((), 0, 0)
            case _:
                assert isinstance(request, Restore | Report)
        return Done(0, 0)


def deliver(driver: StoreDriver, name: str) -> list[int]:
    """What a deliverer of this name hands over until it waits for more."""
    outside = Outside()
    waiter = driver.waiter()

    class Impatient:
        stopped = False

        def wait(self, wait: Wait) -> Done:
            outside.patience -= 1
            if outside.patience == 0:
                raise Enough
            return waiter.wait(wait)

    sink = Sink(WIRING, WIRING.tasks[OUT], f"{name}@w", name, alone=True)
    with pytest.raises(Enough):
        drive(sink.run(), driver, Impatient(), outside)  # type: ignore[arg-type]  # it waits, which is all that is asked of it
    return outside.epochs


def seal(driver: StoreDriver, epoch: int) -> None:
    manifest = Manifest(epoch, Kind.FINAL, 0, "d", "l", 0, "w")
    assert isinstance(driver.put(WIRING.layout.epoch(TICKS, epoch), EpochObject(manifest)), Done)


def test_only_the_first_in_rank_delivers_and_whoever_becomes_first_goes_on() -> None:
    driver = StoreDriver(open_store("memory://sinks"))
    first = control.first(Shape(), Live((("out/0/0", 0), ("out/0/1", 1))), "test")
    assert drive(control.write(WIRING.layout, first), driver)
    seal(driver, 1)
    assert deliver(driver, "out/0/1") == []
    assert deliver(driver, "out/0/0") == [1]
    seal(driver, 2)
    swapped = replace(control.successor(first, "test", live=Live((("out/0/1", 0), ("out/0/0", 1)))))
    assert drive(control.write(WIRING.layout, swapped), driver)
    assert deliver(driver, "out/0/0") == []
    assert deliver(driver, "out/0/1") == [2]
