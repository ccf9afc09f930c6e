"""Somebody else writes to the status: it is noticed, told, and written anew."""

import asyncio
import copy
from pathlib import Path
from typing import Any

import pytest

from levee.lifecycle.names import Version
from levee.serve.records import StatusRecords
from levee.worlds.kubernetes.api import Object
from levee.worlds.kubernetes.names import Owner
from tests.serve.plant import PATH, Operator, Plant, operator, topology


@pytest.fixture
def running(tmp_path: Path) -> Operator:
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    one = operator(plant)
    one.run("running")
    one.go_on(3)
    return one


def status(one: Operator) -> dict[str, Any]:
    found: dict[str, Any] = one.plant.things[PATH]["status"]
    return found


def overwrite(one: Operator, **fields: Any) -> None:
    thing = copy.deepcopy(one.plant.things[PATH])
    thing["status"] |= fields
    one.plant.put(PATH, thing)


def test_what_somebody_else_has_written_is_written_anew_and_told(running: Operator) -> None:
    before = copy.deepcopy(status(running))
    overwrite(running, replicas={"active": 77, "desired": 78}, configuration="nonsense", conditions=[])
    running.go_on(3)
    after = status(running)
    assert (after["replicas"], after["configuration"]) == (before["replicas"], before["configuration"])
    assert {one["type"] for one in after["conditions"]} == {one["type"] for one in before["conditions"]}
    [note] = [note for reason, note in running.plant.told() if reason == "StatusOverwritten"]
    assert note == "somebody else has written conditions, configuration, replicas: written anew"


def test_an_edit_by_a_user_is_nobody_elses_status(running: Operator) -> None:
    running.plant.annotate("note", "mine")
    running.go_on(3)
    assert "StatusOverwritten" not in [reason for reason, _ in running.plant.told()]


def test_what_is_heard_of_ones_own_write_before_its_answer_is_nobody_elses() -> None:
    heard: list[bool] = []

    class Slow:
        def patch(self, _path: str, _told: object) -> Object:
            heard.append(records.is_before(at("8")))
            return at("8")

    records = StatusRecords(Slow(), Owner("shop", "clicks", "uid"), version=Version("7"))  # type: ignore[arg-type]  # all that is asked
    asyncio.run(records.tell({}))
    assert heard == [False]
    assert not records.is_before(at("8"))
    assert records.is_before(at("9"))


def at(version: str) -> Object:
    return {"metadata": {"resourceVersion": version}}


# ---- what the operator goes by

FALSE: list[tuple[str, dict[str, Any]]] = [
    ("state", {"state": "submitted"}),
    ("state", {"state": "dispatching"}),
    ("state", {"state": "suspended"}),
    ("state", {"state": "cleanup"}),
    ("state", {"state": "completed"}),
    ("since", {"since": "2020-01-01T00:00:00.000Z"}),
    ("attempts", {"attempts": 99}),
    ("history", {"history": [{"state": "failed", "since": "2020-01-01T00:00:00.000Z"}]}),
    ("lifecycle.ending", {"lifecycle": {"ending": "failed"}}),
    ("lifecycle.failures", {"lifecycle": {"failures": 7}}),
    ("lifecycle.read", {"lifecycle": {"read": 12}}),
    ("lifecycle.restartNonce", {"lifecycle": {"restartNonce": 3}}),
    ("lifecycle.record", {"lifecycle": {"record": "nonsense"}}),
]


def falsify(one: Operator, told: dict[str, Any]) -> None:
    thing = copy.deepcopy(one.plant.things[PATH])
    lifecycle = {**thing["status"]["lifecycle"], **told.get("lifecycle", {})}
    thing["status"] |= told | {"lifecycle": lifecycle}
    one.plant.put(PATH, thing)


def gone_by(one: Operator) -> dict[str, Any]:
    told = status(one)
    lifecycle = {name: value for name, value in told["lifecycle"].items() if name != "record"}  # that says what the history is, too
    return {name: told.get(name) for name in ("state", "since", "attempts")} | lifecycle


@pytest.mark.parametrize(("name", "told"), FALSE, ids=lambda one: str(one) if isinstance(one, dict) else "")
@pytest.mark.parametrize("who", ["lives", "is another", "has an edit to write", "comes back from standing by"])
def test_a_false_word_is_told_written_anew_and_never_gone_by(running: Operator, who: str, name: str, told: dict[str, Any]) -> None:
    before, history, pods = gone_by(running), status(running)["history"], sorted(running.plant.born)
    if who == "comes back from standing by":
        running.shop.leads = lambda: False
        running.go_on(1)
    falsify(running, told)
    if who == "has an edit to write":
        spec = copy.deepcopy(running.plant.things[PATH])
        spec["spec"]["faultTolerance"]["failureTimeout"] = "7s"
        running.plant.apply(spec)
    running.shop.leads = lambda: True
    one = operator(running.plant) if who == "is another" else running
    one.go_on(4)
    one.run("running")
    one.go_on(3)
    assert (sorted(one.plant.born), one.plant.ended) == (pods, [])
    assert [note for reason, note in one.plant.told() if reason == "StatusOverwritten"] == [
        f"somebody else has written {name}: written anew"
    ]
    if who == "has an edit to write":
        assert status(one)["attempts"] == before["attempts"]
        assert [passage["state"] for passage in status(one)["history"]][-2:] == ["updating", "running"]
    else:
        assert gone_by(one) == before
        assert status(one)["history"] == (
            history if who == "lives" or name != "history" else [{"state": "running", "since": before["since"]}]
        )
    written = len(one.plant.written)
    one.go_on(3)
    assert one.plant.written[written:] == []


def test_who_rests_is_not_started_by_a_false_word(tmp_path: Path) -> None:
    plant = Plant()
    plant.apply(topology(tmp_path / "store", suspend=True))
    one = operator(plant)
    one.go_on(3)
    before = one.state()
    falsify(one, {"state": "running"})
    other = operator(plant)
    other.go_on(5)
    assert (other.state(), plant.born) == (before, [])


def test_a_status_from_before_there_was_a_line_is_believed(running: Operator) -> None:
    thing = copy.deepcopy(running.plant.things[PATH])
    del thing["status"]["lifecycle"]["record"]
    running.plant.put(PATH, thing)
    pods = sorted(running.plant.born)
    other = operator(running.plant)
    other.go_on(4)
    assert (other.state(), sorted(running.plant.born), running.plant.ended) == ("running", pods, [])
    assert "StatusOverwritten" not in [reason for reason, _ in running.plant.told()]


def test_the_line_costs_no_write_of_its_own(running: Operator) -> None:
    """The status is written as often as its fields are news."""
    patches = [one for one in running.plant.written if one.startswith(f"patch {PATH}/status")]
    assert not [one for one in patches if "'record'" in one and "'state'" not in one and "'read'" not in one]
