"""A topology whose sources end completes: its pods go, its state and conditions say so, and nobody begins it again."""

from pathlib import Path
from typing import Any

import pytest

from levee.control.names import ReplicaName
from levee.control.seen import ReplicaSeen, Status
from levee.serve.documents import document
from levee.worlds.kubernetes.api import Object
from levee.worlds.local.book import Book
from tests.serve.plant import PATH, Killed, Operator, Plant, operator, topology

REPLAY = {"format": "replay", "options": {"generator": "levee_spark.examples.market:rows", "epochs": "5"}}
FILES = {"format": "json", "options": {"schema": "a INT", "bounded": "true"}}


def sources(*sparks: Any) -> list[Object]:
    return [{"name": f"market{number}", "spark": spark, "configurations": [{"rate": 10}]} for number, spark in enumerate(sparks)]


def bounded(place: Path, **spec: Any) -> Object:
    told = topology(place / "store", **spec)
    told["spec"]["sources"][0]["spark"] = REPLAY
    return told


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ([REPLAY], "bounded"),
        ([REPLAY, FILES], "bounded"),
        ([REPLAY, {"format": "rate"}], "job"),
        ([{"format": "replay", "options": {"generator": "a:b"}}], "job"),
        ([{"format": "json", "options": {"bounded": "false"}}], "job"),
        ([None], "job"),
        ([], "job"),
    ],
)
def test_it_is_bounded_if_all_its_sources_say_where_they_end(told: list[Any], name: str) -> None:
    assert document({"spec": {"sources": sources(*told)}}, None).name == name


def test_who_is_in_a_state_that_only_one_document_has_goes_on_by_that() -> None:
    assert document({"spec": {"sources": sources(REPLAY)}}, "updating").name == "job"
    assert document({"spec": {"sources": sources({"format": "rate"})}}, "completing").name == "bounded"


def begun(place: Path) -> Plant:
    plant = Plant()
    plant.apply(bounded(place))
    one = operator(plant)
    one.run("running")
    one.go_on(2)
    return plant


def all_rows_come_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(replica: ReplicaName) -> ReplicaSeen:
        return ReplicaSeen(replica, Status.RUNNING, epoch=7, rank=0, ended=True)

    monkeypatch.setattr("tests.serve.plant.well", ended)
    monkeypatch.setattr(Book, "stop_epoch", lambda book: 7 if book.view.stop_number() else None)


def said(plant: Plant) -> dict[str, tuple[str, str]]:
    return {one["type"]: (one["status"], one["reason"]) for one in plant.things[PATH]["status"]["conditions"]}


def test_it_runs_until_its_sources_have_ended_and_is_then_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant = begun(tmp_path)
    assert said(plant)["Complete"] == ("False", "Running")
    all_rows_come_to_their_end(monkeypatch)
    one = operator(plant)
    with monkeypatch.context() as patched:
        patched.setattr(Book, "stop_epoch", lambda _: None)
        one.run("completing")
        one.go_on(3)
        assert one.state() == "completing", "until all tasks have come to the last epoch"
    one.run("completed", 20)
    one.go_on(1)
    status = plant.things[PATH]["status"]
    assert [each["state"] for each in status["history"]][-3:] == ["completing", "cleanup", "completed"]
    assert (said(plant)["Complete"], said(plant)["Ready"]) == (("True", "AllComputed"), ("False", "Completed"))
    assert status["replicas"] == {"active": 0, "desired": 0}
    assert not plant.pods()


def test_an_operator_that_comes_after_its_completion_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant = begun(tmp_path)
    all_rows_come_to_their_end(monkeypatch)
    one = operator(plant)
    one.run("completed", 20)
    one.go_on(2)
    born, written = list(plant.born), len(plant.written)
    other = operator(plant)
    other.go_on(5)
    assert other.state() == "completed"
    assert plant.born == born
    assert plant.written[written:] == []


def test_killed_at_any_write_of_its_completion_it_is_completed_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deaths = 0
    for write in range(1, 60):
        with monkeypatch.context() as patched:
            plant = begun(tmp_path / str(write))
            all_rows_come_to_their_end(patched)
            if not lives(operator(plant, (write, write % 2 == 0))):
                deaths += 1
                operator(plant).run("completed", 20)
                assert not plant.pods(), f"write {write}"
                assert len(plant.born) == 6, f"write {write}"
                continue
        break
    assert deaths > 8


def lives(one: Operator) -> bool:
    try:
        one.run("completed", 20)
        one.go_on(1)
    except Killed:
        return False
    return True


def test_an_edit_of_one_that_has_begun_says_that_it_cannot_be(tmp_path: Path) -> None:
    plant = begun(tmp_path)
    plant.apply(bounded(tmp_path, faultTolerance={"target": {"completeness": 0.5}}))
    one = operator(plant)
    one.go_on(4)
    assert one.state() == "running"
    assert said(plant)["Planned"] == ("False", "CannotChange")


@pytest.mark.parametrize("same", [True, False], ids=["by the same operator", "by one that comes later"])
def test_an_edit_of_one_that_has_completed_says_so_and_what_it_was_stays_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, same: bool
) -> None:
    plant = begun(tmp_path)
    all_rows_come_to_their_end(monkeypatch)
    one = operator(plant)
    one.run("completed", 20)
    one.go_on(1)
    assert said(plant)["Planned"] == ("True", "PlanFound")
    assert said(plant)["GuaranteeMet"] == ("Unknown", "Completed")
    plant.apply(bounded(tmp_path, faultTolerance={"target": {"completeness": 0.5}}))
    other = one if same else operator(plant)
    other.go_on(4)
    assert other.state() == "completed"
    assert said(plant)["Planned"] == ("False", "CannotChange")
    assert said(plant)["Ready"] == ("False", "Completed")
    assert not plant.pods()
