"""A folder of a store is emptied piece by piece, and nothing beside it."""

from levee_spark.store.address import open_store
from levee_spark.store.blobs import Blobs
from tests.store.places import Place

KEYS = ("shop/clicks/uid-1/control/1", *(f"shop/clicks/uid-1/streams/vwap/epochs/{number:03d}" for number in range(25)))
BESIDE = ("shop/clicks/uid-10/control/1", "shop/clicks/uid/control/1")


def test_a_folder_is_emptied_piece_by_piece_and_what_is_beside_it_stays(place: Place) -> None:
    emptied(place.open())


def test_so_it_is_in_memory() -> None:
    emptied(open_store("memory://"))


def emptied(blobs: Blobs) -> None:
    for key in (*KEYS, *BESIDE):
        assert blobs.create(key, b"x")
    counts = [blobs.clear("shop/clicks/uid-1", 10) for _ in range(3)]
    assert counts == [10, 10, 6]
    assert not any(blobs.get(key) for key in KEYS)
    assert all(blobs.get(key) for key in BESIDE)
    assert blobs.clear("shop/clicks/uid-1", 10) == 0
    assert blobs.create(KEYS[0], b"again"), "what is there no more can be made again"


def test_what_never_was_is_empty(place: Place) -> None:
    assert place.open().clear("nobody/nothing", 10) == 0
