"""What replicas of one worker share, what they never share, and what a request costs."""

import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from levee_spark.log.requests import Absent, Answer, Done, Found, Get, List, Listed, Overwrite, PutIfAbsent, Want
from levee_spark.log.values import CheckpointFile, ControlRecord, Floor, Live, Pin, Probe, PublishedCheckpoint, Record, Shape
from levee_spark.store.blobs import Blob, Blobs, Bytes
from levee_spark.store.driver import SHARED_BYTES, StoreDriver
from levee_spark.store.fetch import BEGINNING
from levee_spark.store.shared import Shared
from tests.store.places import LAYOUT, TASK, Place, epoch_by, key

LARGE = b"l" * (2 * BEGINNING)


@dataclass(slots=True)
class Gated:
    """A store whose reads begin, and then wait until they are let through."""

    inner: Blobs
    where: str = "gated"
    resolution_ms: int = 1
    begun: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    open: threading.Event = field(default_factory=threading.Event)
    gets: list[str] = field(default_factory=list)

    def get(self, key: str, begin: int = 0, end: int | None = None) -> Blob | None:
        seen = self.inner.get(key, begin, end)
        self.gets.append(key)
        self.begun.release()
        self.open.wait()
        return seen

    def create(self, key: str, data: Bytes) -> bool:
        return self.inner.create(key, data)

    def overwrite(self, key: str, data: Bytes) -> None:
        self.inner.overwrite(key, data)

    def delete(self, key: str) -> None:
        self.inner.delete(key)

    def names(self, folder: str, after: str, limit: int) -> tuple[str, ...]:
        return self.inner.names(folder, after, limit)

    def clear(self, folder: str, limit: int) -> int:
        return self.inner.clear(folder, limit)


@pytest.fixture
def blobs() -> Blobs:
    return Place("memory://").open()


def reading(blobs: Blobs, shared: Shared | None = None) -> StoreDriver:
    """Reads what it is asked for, and nothing else."""
    return StoreDriver(blobs, shared=shared or Shared(SHARED_BYTES), looks_ahead=False)


def payload(answer: Answer) -> Any:
    assert isinstance(answer, Found)
    return answer.record.payload  # type: ignore[union-attr]


def gets(driver: StoreDriver) -> int:
    return driver.counts().total("get")


def test_an_epoch_is_read_once_for_all_its_consumers_in_a_worker(blobs: Blobs) -> None:
    reading(blobs).answer(PutIfAbsent(key(1), epoch_by("elsewhere", 1)))
    driver = reading(blobs)
    assert [payload(driver.answer(Get(key(1)))) for _ in range(5)] == [b"rows"] * 5
    assert gets(driver) == 1 and driver.counts().shared == 4


def test_what_a_replica_here_has_committed_need_not_be_read_at_all(blobs: Blobs) -> None:
    driver = reading(blobs)
    driver.answer(PutIfAbsent(key(1), epoch_by("here", 1)))
    assert payload(driver.answer(Get(key(1)))) == b"rows" and gets(driver) == 0


def test_what_a_replica_here_failed_to_commit_is_read(blobs: Blobs) -> None:
    reading(blobs).answer(PutIfAbsent(key(1), epoch_by("elsewhere", 1, payload=b"theirs")))
    driver = reading(blobs)
    driver.answer(PutIfAbsent(key(1), epoch_by("here", 1, payload=b"ours")))
    assert payload(driver.answer(Get(key(1)))) == b"theirs"


def test_consumers_that_ask_at_the_same_time_share_one_request(blobs: Blobs) -> None:
    reading(blobs).answer(PutIfAbsent(key(1), epoch_by("elsewhere", 1)))
    gated = Gated(blobs)
    driver = reading(gated)
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(driver.answer, Get(key(1)))
        gated.begun.acquire()
        others = [pool.submit(driver.answer, Get(key(1))) for _ in range(3)]
        gated.open.set()
        assert {payload(one.result()) for one in (first, *others)} == {b"rows"}
    assert gated.gets == [key(1)]


def test_what_was_absent_for_one_is_asked_for_again_by_another(blobs: Blobs) -> None:
    """It may have been committed in between: an absence must not be older than the question."""
    gated = Gated(blobs)
    driver = reading(gated)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(driver.answer, Get(key(1)))
        gated.begun.acquire()
        reading(blobs).answer(PutIfAbsent(key(1), epoch_by("elsewhere", 1)))
        second = pool.submit(driver.answer, Get(key(1)))
        gated.open.set()
        assert isinstance(first.result(), Absent) and payload(second.result()) == b"rows"


def test_the_next_epoch_is_read_in_the_background(blobs: Blobs) -> None:
    reading(blobs).answer(PutIfAbsent(key(2), epoch_by("elsewhere", 2)))
    driver = reading(blobs)
    driver.prefetch(Get(key(2)))
    driver.prefetch(Get(key(3)))  # to no avail, and without harm
    driver.pool.shutdown(wait=True)
    before = gets(driver)
    assert payload(driver.answer(Get(key(2)))) == b"rows" and gets(driver) == before == 2


def test_whoever_catches_up_finds_the_next_epoch_in_memory(blobs: Blobs) -> None:
    for epoch in range(1, 5):
        reading(blobs).answer(PutIfAbsent(key(epoch), epoch_by("elsewhere", epoch)))
    driver = StoreDriver(blobs, pool=ThreadPoolExecutor(1))
    for epoch in range(1, 4):
        payload(driver.answer(Get(key(epoch))))
        driver.pool.submit(lambda: None).result()  # whatever was to be read in the background has been
    assert driver.counts().shared >= 2 and gets(driver) == 4


SHARED: tuple[Record, ...] = (epoch_by("w", 1), CheckpointFile(b"state"), ControlRecord(1, Shape(), Live(), 1))
OVERWRITABLE: tuple[Record, ...] = (Pin("h", 3, 400), Probe("m"), Floor(1, 7), PublishedCheckpoint(TASK, 3, "l", 1, 1))


@pytest.mark.parametrize("record", [*SHARED, *OVERWRITABLE], ids=lambda one: type(one).__name__)
def test_only_what_never_changes_is_answered_from_memory(blobs: Blobs, record: Record) -> None:
    driver = reading(blobs)
    driver.answer(PutIfAbsent("folder/000000000001", record))
    driver.answer(Get("folder/000000000001"))
    driver.answer(Get("folder/000000000001"))
    assert gets(driver) == (0 if record in SHARED else 2)


def test_a_pin_that_was_renewed_elsewhere_is_seen_as_it_is_now(blobs: Blobs) -> None:
    driver, elsewhere = reading(blobs), reading(blobs)
    for epoch in (3, 4):
        elsewhere.answer(Overwrite(LAYOUT.pin(TASK, "h"), Pin("h", epoch, 400)))
        found = driver.answer(Get(LAYOUT.pin(TASK, "h")))
        assert isinstance(found, Found) and found.record == Pin("h", epoch, 400)


def test_the_stores_stamp_is_never_answered_from_memory(place: Place) -> None:
    driver = reading(place.open())
    driver.answer(PutIfAbsent(key(1), epoch_by("here", 1)))
    stamped = driver.answer(Get(key(1), Want.STAMP))
    assert isinstance(stamped, Found) and stamped.written_ms > 0 and gets(driver) == 1


def test_memory_is_bounded_and_what_was_used_last_stays(blobs: Blobs) -> None:
    driver = reading(blobs, shared=Shared(100_000))
    for epoch in range(1, 51):
        driver.answer(PutIfAbsent(key(epoch), epoch_by("here", epoch, payload=b"x" * 9_000)))
        driver.answer(Get(key(1)))
    assert driver.shared.size <= 100_000 and gets(driver) == 0
    driver.answer(Get(key(20)))
    assert gets(driver) == 1


def test_one_large_object_does_not_push_all_others_out(blobs: Blobs) -> None:
    driver = reading(blobs, shared=Shared(100_000))
    driver.answer(PutIfAbsent(key(1), epoch_by("here", 1)))
    driver.answer(PutIfAbsent(key(2), epoch_by("here", 2, payload=LARGE)))
    driver.answer(Get(key(1)))
    assert gets(driver) == 0
    driver.answer(Get(key(2)))
    assert gets(driver) == 1


# ---- parts


def test_a_consumer_reads_its_part_of_a_large_epoch_and_little_else(place: Place) -> None:
    parts = (LARGE, b"second", LARGE * 2, b"")
    reading(place.open()).answer(PutIfAbsent(key(1), epoch_by("elsewhere", 1, payload=parts)))
    for index, part in enumerate(parts):
        driver = reading(place.open())
        assert payload(driver.answer(Get(key(1), part=index))) == part
        assert driver.counts().bytes_read <= BEGINNING + len(part) and gets(driver) <= 2
    assert payload(reading(place.open()).answer(Get(key(1)))) == parts


def test_a_manifest_is_read_without_the_rows(place: Place) -> None:
    wanted = epoch_by("elsewhere", 1, payload=LARGE * 10)
    reading(place.open()).answer(PutIfAbsent(key(1), wanted))
    driver = reading(place.open())
    found = driver.answer(Get(key(1), Want.MANIFEST))
    assert isinstance(found, Found) and found.record.manifest == wanted.manifest  # type: ignore[union-attr]
    assert driver.counts().bytes_read == BEGINNING


def test_parts_of_a_small_epoch_take_one_request_for_all_who_read_it(blobs: Blobs) -> None:
    reading(blobs).answer(PutIfAbsent(key(1), epoch_by("elsewhere", 1, payload=(b"a", b"b"))))
    driver = reading(blobs)
    assert [payload(driver.answer(Get(key(1), part=part))) for part in (0, 1)] == [b"a", b"b"] and gets(driver) == 1


def test_whoever_asks_for_a_part_of_an_epoch_without_parts_gets_all_of_it(blobs: Blobs) -> None:
    reading(blobs).answer(PutIfAbsent(key(1), epoch_by("elsewhere", 1, payload=LARGE)))
    assert payload(reading(blobs).answer(Get(key(1), part=3))) == LARGE


# ---- listing


def test_a_listing_is_in_order_after_a_name_and_no_longer_than_asked_for(place: Place) -> None:
    driver = reading(place.open())
    for epoch in (3, 1, 12, 7, 5):
        driver.answer(PutIfAbsent(key(epoch), epoch_by("w", epoch)))
    driver.answer(PutIfAbsent(LAYOUT.verdict(TASK, 4), epoch_by("w", 4)))
    assert listed(driver, "", 3) == (key(1), key(3), key(5))
    assert listed(driver, key(3), 3) == (key(5), key(7), key(12))
    assert listed(driver, key(4), 1) == (key(5),)
    assert listed(driver, key(12), 3) == () == listed(reading(driver.blobs), key(99), 3)


def listed(driver: StoreDriver, after: str, limit: int) -> tuple[str, ...]:
    answer = driver.answer(List(LAYOUT.epochs(TASK), after, limit))
    assert isinstance(answer, Listed)
    return answer.names


def test_a_page_of_a_large_directory_takes_no_more_memory_than_a_page(tmp_path: Path) -> None:
    folder = tmp_path / "store" / "epochs"
    driver = reading(Place((tmp_path / "store").as_uri()).open())
    folder.mkdir()
    for number in range(5_000):
        (folder / f"{number:012d}").touch()
    tracemalloc.start()
    answer = driver.answer(List("epochs", f"epochs/{2_000:012d}", 10))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(answer, Listed) and answer.names == tuple(f"epochs/{number:012d}" for number in range(2_001, 2_011))
    assert peak < 50_000, "ten bytes for each that is there would be as much"


def test_every_request_is_counted_by_what_came_of_it(blobs: Blobs) -> None:
    driver = reading(blobs, shared=Shared(0))
    assert isinstance(driver.answer(PutIfAbsent(key(1), epoch_by("w", 1))), Done)
    driver.answer(PutIfAbsent(key(1), epoch_by("w", 1)))
    driver.answer(Get(key(1)))
    driver.answer(Get(key(2)))
    listed(driver, "", 1)
    counts = driver.counts()
    assert counts.requests == dict.fromkeys([("put", "done"), ("put", "exists"), ("get", "found"), ("get", "absent"), ("list", "done")], 1)
    assert counts.total() == 5 and counts.bytes_written == 2 * counts.bytes_read
