"""One object of a store, corrupted and put back: which one it is, what a reader makes of it, and when it is left alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from levee.topology.load import load_bytes
from levee.topology.names import TaskId
from levee_chaos.fault import Fault, Kind, Whom
from levee_chaos.refusals import Refused
from levee_chaos.worlds import objects
from levee_spark.log import codec
from levee_spark.log.requests import Corrupt, Done, Get, PutIfAbsent
from levee_spark.log.values import CheckpointFile, EpochObject, Manifest, PublishedCheckpoint, Record
from levee_spark.log.values import Kind as Sealed
from levee_spark.log.wiring import Wiring
from levee_spark.store.address import open_store
from levee_spark.store.driver import StoreDriver
from levee_spark.worker.wiring import wiring_of
from tests.worlds.toy import toy

TASK = TaskId("double/0")


class Store:
    """Three epochs of a stream, and a published checkpoint with its file."""

    def __init__(self, place: Path) -> None:
        self.place, self.uri = place, (place / "store").as_uri()
        [loaded] = load_bytes(toy(self.uri).encode(), origin="toy.yaml")
        assert loaded.resource is not None
        self.wiring = wiring_of(loaded.resource, "u")
        layout = self.wiring.layout
        for epoch in (1, 2, 3):
            manifest = Manifest(epoch, Sealed.FINAL, 1, f"d{epoch}", f"l{epoch}", 1, "double/0/0")
            self.put(layout.epoch(TASK, epoch), EpochObject(manifest, b"sixteen bytes or so"))
        file = layout.checkpoint_file(TASK, 2, "double/0/0", "state")
        self.put(file, CheckpointFile(b"forty-two and more"))
        self.put(layout.checkpoint(TASK, 2), PublishedCheckpoint(TASK, 2, "l2", 1, 1, (file,)))

    def put(self, key: str, record: Record) -> None:
        with self.reading() as (_, driver):
            assert isinstance(driver.answer(PutIfAbsent(key, record)), Done)

    @contextmanager
    def reading(self) -> Iterator[tuple[Wiring, StoreDriver]]:
        driver = StoreDriver(open_store(f"{self.uri}?durable=false"))
        try:
            yield self.wiring, driver
        finally:
            driver.close()

    def corrupting(self, what: str = "epoch", task: str = TASK, which: str = "newest") -> objects.Corrupting:
        fault = Fault(Kind.CORRUPT_OBJECT, Whom(), how={"what": what, "task": task, "which": which})
        return objects.corrupt("local", {"folder": "f"}, self.reading, self.place / "chaos", fault)

    def data(self, key: str) -> bytes | None:
        with self.reading() as (_, driver):
            return objects.data_of(driver.blobs, key)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_the_newest_the_oldest_and_one_by_its_number(store: Store) -> None:
    layout = store.wiring.layout
    assert store.corrupting().key == layout.epoch(TASK, 3)
    assert store.corrupting(which="oldest").key == layout.epoch(TASK, 1)
    assert store.corrupting(which="2").key == layout.epoch(TASK, 2)
    assert store.corrupting("checkpoint").key == layout.checkpoint_file(TASK, 2, "double/0/0", "state")


def test_what_is_not_there_is_refused_with_what_is(store: Store) -> None:
    with pytest.raises(Refused, match="there is no epoch 7, there are 1 to 3"):
        store.corrupting(which="7")
    with pytest.raises(Refused, match=r"there is no stream of 'dubble/0'[\s\S]*use 'double/0'"):
        store.corrupting(task="dubble/0")
    with pytest.raises(Refused, match=r"whose epoch it is, is not said[\s\S]*use one of numbers/0, double/0, total/0"):
        store.corrupting(task="")
    with pytest.raises(Refused, match="there is no stream of 'out/0'"):
        store.corrupting(task="out/0")
    with pytest.raises(Refused, match="there is no control in"):
        store.corrupting("control", "")


def test_a_reader_notices_its_header_can_be_read_and_it_is_put_back_as_it_was(store: Store) -> None:
    deed = store.corrupting()
    was = store.data(deed.key)
    assert list(deed.without_means()) == []
    assert deed.lacking() == [deed.key]
    deed.do()
    deed.do()
    assert deed.lacking() == []
    with store.reading() as (_, driver):
        assert isinstance(driver.answer(Get(deed.key)), Corrupt)
    corrupt = store.data(deed.key)
    assert corrupt is not None
    assert isinstance(codec.header_of(corrupt, deed.key).without_payload(), EpochObject)
    objects.put_back(deed.undo.how, store.reading)
    objects.put_back(deed.undo.how, store.reading)
    assert store.data(deed.key) == was


def test_the_same_again_knows_what_was_there(store: Store) -> None:
    first = store.corrupting()
    first.do()
    again = store.corrupting()
    assert (again.name, again.was, list(again.without_means())) == (first.name, first.was, [])


def test_what_somebody_else_has_corrupted_is_refused(store: Store) -> None:
    key = store.wiring.layout.epoch(TASK, 3)
    with store.reading() as (_, driver):
        driver.blobs.overwrite(key, b"nonsense")
    assert [one.wrong for one in store.corrupting().without_means()] == [f"{key} is corrupt already"]


def test_what_was_trimmed_replaced_or_rebuilt_is_left_alone(store: Store) -> None:
    layout = store.wiring.layout
    for which, change in (("1", "trim"), ("2", "replace"), ("3", "rebuild")):
        deed = store.corrupting(which=which)
        deed.do()
        with store.reading() as (_, driver):
            if change == "trim":
                driver.blobs.delete(deed.key)
            elif change == "replace":
                driver.blobs.overwrite(deed.key, b"another")
            else:
                driver.blobs.create(layout.rebuilt(TASK, 3), deed.was)
        before = store.data(deed.key)
        objects.put_back(deed.undo.how, store.reading)
        assert store.data(deed.key) == before
