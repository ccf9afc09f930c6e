"""A standby ingestor and epochs that were sealed by a clock that was ahead: for it they are not due yet, and they are there."""

from levee_spark.log.ingest import Ingestor
from levee_spark.log.requests import PutIfAbsent
from levee_spark.log.values import EpochObject, Kind, Manifest
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from tests.store.places import Place
from tests.store.test_store_roles import SOURCE, TASKS, wiring

LATER_MS = 3_600_000


def standby() -> Ingestor:
    return Ingestor(wiring(1), TASKS[SOURCE], "numbers/0/1", "numbers/0/1@b")


def sealed(driver: StoreDriver, one: Ingestor, epoch: int) -> None:
    driver.answer(
        PutIfAbsent(one.wiring.layout.epoch(SOURCE, epoch), EpochObject(Manifest(epoch, Kind.FINAL, 0, "d", "l", 1, "another"), b""))
    )


def test_it_goes_on_to_the_last_one_that_is_there_and_then_looks_again_once_in_a_while() -> None:
    driver = StoreDriver(Place("memory://").open())
    one = standby()
    patience_ms = one.wiring.times.failure_timeout_ms
    for epoch in (1, 2, 3):
        sealed(driver, one, epoch)
    assert [drive(one.is_there(epoch, LATER_MS), driver) for epoch in (1, 2, 3)] == [True] * 3
    assert one.race.behind, "what is there is taken without a hold"
    assert not drive(one.is_there(4, LATER_MS), driver)
    sealed(driver, one, 4)
    assert not drive(one.is_there(4, LATER_MS + patience_ms - 1), driver), "it asks once per failureTimeout"
    assert drive(one.is_there(4, LATER_MS + patience_ms), driver)
