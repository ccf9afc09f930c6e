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
