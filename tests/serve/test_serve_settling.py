"""What becomes of a topology's data when its resource is deleted, whoever dies meanwhile."""

import itertools
from pathlib import Path

import pytest

from levee.serve import settling
from levee.serve.shop import Shop
from levee.topology.names import OperatorName, TaskId
from levee.worlds.local.book import Book
from levee_spark.log.codec import encode
from levee_spark.log.keys import Layout
from levee_spark.log.values import Registration
from levee_spark.store.blobs import Trouble
from levee_spark.store.local import LocalBlobs
from tests.serve.plant import PATH, Killed, Operator, Plant, operator, topology

OTHERS = PATH.replace("clicks", "other")
OBJECTS, HOUR_MS = 25, 3_600_000


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock is a second later; the workers have found the order to stop, and come to the last epoch."""
    clock = itertools.count(1_800_000_000_000, 1_000)
    monkeypatch.setattr(Shop, "wall_ms", lambda _: next(clock))
    monkeypatch.setattr(Book, "stop_epoch", lambda _: 7)
    monkeypatch.setattr(settling, "AT_ONCE", 10)


def begun(place: Path, policy: str | None = "delete") -> Plant:
    """It runs, and its workers have written; so have others beside it."""
    plant = Plant()
    plant.apply(topology(place / "store", **({} if policy is None else {"deletionPolicy": policy})))
    operator(plant).run("running")
    for number in range(OBJECTS):
        LocalBlobs(place / "store").create(f"{root(plant)}/streams/count~0/epochs/{number:012d}", b"rows")
    LocalBlobs(place / "store").create("shop/clicks/an-earlier-uid/control/000000000001", b"kept")
    plant.delete_topology()
    return plant


def root(plant: Plant) -> str:
    return f"shop/clicks/{plant.things[PATH]['metadata']['uid']}"


def left(place: Path) -> set[str]:
    found = (path.relative_to(place / "store") for path in (place / "store").rglob("*") if path.is_file())
    return {str(path) for path in found if path.parts[0] == "shop"}


KEPT = "shop/clicks/an-earlier-uid/control/000000000001"


def reasons(plant: Plant) -> list[str]:
    return [reason for reason, _ in plant.told()]


def test_data_are_kept_unless_the_resource_says_otherwise(tmp_path: Path) -> None:
    plant = begun(tmp_path, None)
    operator(plant).run("gone")
    assert len(left(tmp_path)) > OBJECTS


def test_data_that_are_to_go_are_deleted_piece_by_piece_and_nothing_beside_them(tmp_path: Path) -> None:
    plant = begun(tmp_path)
    operator(plant).run("gone", 200)
    assert left(tmp_path) == {KEPT}
    assert not plant.pods()
    assert "DeletingData" in reasons(plant)
    [note] = [note for reason, note in plant.told() if reason == "DataDeleted"]
    assert int(note.split(": ")[1].split()[0]) > OBJECTS


def test_killed_at_any_write_of_its_end_another_operator_deletes_the_rest(tmp_path: Path) -> None:
    deaths = 0
    for write in range(1, 100):
        place = tmp_path / str(write)
        plant = begun(place)
        try:
            operator(plant, (write, write % 2 == 0)).run("gone", 200)
        except Killed:
            deaths += 1
            if PATH in plant.things:
                operator(plant).run("gone", 200)
        else:
            break
        assert left(place) == {KEPT}, f"write {write}"
        assert not plant.pods(), f"write {write}"
    assert deaths > 12


def test_data_that_another_topology_imports_wait_until_that_is_gone(tmp_path: Path) -> None:
    plant = begun(tmp_path)
    importer = topology(tmp_path / "other", sources=[{"name": "in", "import": {"topology": "clicks", "stream": "count"}}])
    importer["metadata"] |= {"name": "other", "uid": "of-the-other"}
    plant.put(OTHERS, importer)
    one = operator(plant)
    one.run("cleanup", 40)
    one.go_on(20)
    assert len(left(tmp_path)) > OBJECTS
    assert "its streams are imported by other" in ready_message(plant)
    importer["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    plant.put(OTHERS, importer)
    one.run("gone", 400)
    assert left(tmp_path) == {KEPT}


def test_data_do_not_wait_for_an_importer_that_has_completed(tmp_path: Path) -> None:
    plant = begun(tmp_path)
    importer = topology(tmp_path / "other", sources=[{"name": "in", "import": {"topology": "clicks", "stream": "count"}}])
    importer["metadata"] |= {"name": "other", "uid": "of-the-other"}
    plant.put(OTHERS, importer | {"status": {"state": "completed"}})
    operator(plant).run("gone", 400)
    assert left(tmp_path) == {KEPT}


def held(place: Path, plant: Plant, lease_ms: int) -> str:
    """By somebody who is no resource here: a notebook, a run elsewhere, or who was let in once and is no longer."""
    layout = Layout("shop/clicks", plant.things[PATH]["metadata"]["uid"])
    key = layout.registration(OperatorName("count"), "reader-1")
    record = Registration("reader-1", "a notebook's batch", "reader-1", TaskId("count/0"), 3, lease_ms)
    LocalBlobs(place / "store").overwrite(key, encode(record))
    return key


def waits_for_a_reader(place: Path) -> tuple[Plant, Operator]:
    plant = begun(place)
    held(place, plant, HOUR_MS)
    one = operator(plant)
    one.run("cleanup", 40)
    one.go_on(20)
    assert one.state() == "cleanup"
    assert len(left(place)) > OBJECTS
    wait = "its data are deleted when they let them go, or are silent until their lease has run out"
    assert f"its streams are held by a notebook's batch; {wait}; spec.deletionPolicy: retain lets it go without" in ready_message(plant)
    return plant, one


def test_data_that_somebody_has_registered_for_wait_until_he_lets_them_go(tmp_path: Path) -> None:
    plant, one = waits_for_a_reader(tmp_path)
    LocalBlobs(tmp_path / "store").delete(held(tmp_path, plant, HOUR_MS))
    one.run("gone", 1_000)
    assert left(tmp_path) == {KEPT}


def test_data_that_somebody_has_registered_for_wait_until_his_lease_has_run_out(tmp_path: Path) -> None:
    plant, one = waits_for_a_reader(tmp_path)
    held(tmp_path, plant, 1)
    one.run("gone", 1_000)
    assert left(tmp_path) == {KEPT}


def test_data_that_are_to_be_kept_after_all_wait_for_nobody(tmp_path: Path) -> None:
    plant, one = waits_for_a_reader(tmp_path)
    plant.apply(topology(tmp_path / "store", deletionPolicy="retain"))
    one.run("gone", 1_000)
    assert len(left(tmp_path)) > OBJECTS


def ready_message(plant: Plant) -> str:
    [said] = [one["message"] for one in plant.things[PATH]["status"]["conditions"] if one["type"] == "Ready"]
    return str(said)


def silence(monkeypatch: pytest.MonkeyPatch) -> None:
    def clear(*_: object) -> int:
        raise Trouble("the bucket is gone")

    monkeypatch.setattr(LocalBlobs, "clear", clear)


def test_a_store_that_does_not_answer_is_waited_for_until_the_resource_says_retain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant = begun(tmp_path)
    silence(monkeypatch)
    one = operator(plant)
    one.run("cleanup", 40)
    one.go_on(60)
    assert one.state() == "cleanup"
    assert "the bucket is gone; spec.deletionPolicy: retain lets it go without" in ready_message(plant)
    plant.apply(topology(tmp_path / "store", deletionPolicy="retain"))
    one.run("gone", 1_000)


def test_a_namespace_that_is_being_deleted_waits_for_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant = begun(tmp_path)
    plant.namespace_goes = True
    silence(monkeypatch)
    operator(plant).run("gone", 40)
    assert "DataKept" in reasons(plant)


def test_a_topology_that_never_began_waits_for_no_store(tmp_path: Path) -> None:
    plant = Plant()
    told = topology(tmp_path, deletionPolicy="delete")
    told["spec"]["store"] = {"uri": "s3://nowhere", "secret": "not-there"}
    plant.apply(told)
    one = operator(plant)
    one.run("mapping")
    plant.delete_topology()
    one.run("gone", 40)
    assert "DataKept" in reasons(plant)


def test_a_namespace_that_is_being_deleted_waits_for_nobody_who_imports(tmp_path: Path) -> None:
    plant = begun(tmp_path)
    importer = topology(tmp_path / "other", sources=[{"name": "in", "import": {"topology": "clicks", "stream": "count"}}])
    importer["metadata"] |= {"name": "other", "uid": "of-the-other"}
    plant.put(OTHERS, importer)
    one = operator(plant)
    one.run("cleanup", 40)
    one.go_on(10)
    plant.namespace_goes = True
    one.run("gone", 200)
    assert "DataKept" in reasons(plant)
    assert len(left(tmp_path)) > OBJECTS


def test_a_namespace_that_goes_after_its_topology_was_deleted_waits_for_no_last_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant = begun(tmp_path, None)
    monkeypatch.setattr(Book, "stop_epoch", lambda _: None)
    one = operator(plant)
    one.run("canceling")
    one.go_on(5)
    assert one.state() == "canceling"
    plant.namespace_goes = True
    one.run("gone", 10)
