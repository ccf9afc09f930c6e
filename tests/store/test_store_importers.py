"""Who imports the streams of a topology is known in every kind of store: some list what is in a folder, others all that is below it."""

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import ask, clock, registration
from levee_spark.log.requests import Script
from levee_spark.log.values import Registration
from levee_spark.store.address import open_store
from levee_spark.store.blobs import Blobs
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from tests.store.places import LAYOUT, Place

HOUR_MS = 3_600_000
REGISTERED = (
    ("clicks", "shop/orders"),
    ("clicks", "shop/shipping"),
    ("market", "shop/orders"),
    ("a name with spaces", "a notebook's batch"),
)


def test_importers_of_any_stream_are_known(place: Place) -> None:
    are_known(place.open())


def test_so_they_are_in_memory() -> None:
    are_known(open_store("memory://"))


def are_known(blobs: Blobs) -> None:
    driver = StoreDriver(blobs)
    assert drive(found(blobs.resolution_ms), driver) == ()
    for stream, importer in REGISTERED:
        record = Registration(f"{importer} 1", importer, importer, TaskId("in/0"), 3, HOUR_MS)
        drive(ask.overwrite(LAYOUT.registration(OperatorName(stream), record.holder), record), driver)
    assert drive(found(blobs.resolution_ms), driver) == ("a notebook's batch", "shop/orders", "shop/shipping")
    drive(registration.release(LAYOUT, OperatorName("clicks"), "shop/orders"), driver)
    drive(registration.release(LAYOUT, OperatorName("clicks"), "shop/shipping"), driver)
    assert drive(found(blobs.resolution_ms), driver) == ("a notebook's batch", "shop/orders")


def found(resolution_ms: int) -> Script[tuple[str, ...]]:
    now = yield from clock.ask_time(LAYOUT, "a test", None, resolution_ms)
    return (yield from registration.importers(LAYOUT, now))
