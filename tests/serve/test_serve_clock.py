"""Of the epoch clock, what workers read when they start is taken up by a resume; the rest stays as it is."""

import itertools
from pathlib import Path
from typing import Any

import pytest
import yaml

from levee.serve.shop import Shop
from levee.worlds.local.book import Book
from tests.serve.plant import PATH, Operator, Plant, operator, topology

AT_REST = [{"hold": "90ms"}, {"maxRows": 7}, {"backlog": "2h"}]


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(1_800_000_000_000, 1_000)
    monkeypatch.setattr(Shop, "wall_ms", lambda _: next(clock))
    monkeypatch.setattr(Book, "stop_epoch", lambda _: 7)


def begun(place: Path) -> tuple[Plant, Operator]:
    plant = Plant()
    plant.apply(topology(place / "store"))
    one = operator(plant)
    one.run("running")
    return plant, one


def planned(plant: Plant) -> tuple[str, str]:
    [found] = [one for one in plant.things[PATH]["status"]["conditions"] if one["type"] == "Planned"]
    return found["reason"], found["message"]


def read_by_workers(plant: Plant) -> list[dict[str, Any]]:
    """What each pod finds about the clock where its resource is mounted."""
    maps = [volume["configMap"]["name"] for pod in plant.pods() for volume in pod["spec"]["volumes"] if volume["name"] == "topology"]
    texts = [plant.things[f"/api/v1/namespaces/shop/configmaps/{name}"]["data"]["topology.yaml"] for name in maps]
    return [yaml.safe_load(text)["spec"].get("epoch", {}) for text in texts]


@pytest.mark.parametrize("epoch", [*AT_REST, {"period": "2s"}, {"retention": "20m"}])
def test_while_it_runs_the_clock_stays_as_it_is_and_the_condition_says_why(tmp_path: Path, epoch: dict[str, Any]) -> None:
    plant, one = begun(tmp_path)
    born = list(plant.born)
    plant.apply(topology(tmp_path / "store", epoch=epoch))
    one.go_on(6)
    one.run("running")
    reason, message = planned(plant)
    assert reason == "CannotChange"
    assert f"spec.epoch.{next(iter(epoch))}: can" in message
    assert plant.born == born
    assert not any(read_by_workers(plant))


@pytest.mark.parametrize("epoch", AT_REST)
def test_a_resume_starts_workers_with_another_clock(tmp_path: Path, epoch: dict[str, Any]) -> None:
    plant, one = begun(tmp_path)
    plant.apply(topology(tmp_path / "store", suspend=True))
    one.run("suspended", 30)
    assert not plant.pods()
    plant.apply(topology(tmp_path / "store", epoch=epoch))
    one.run("running", 30)
    assert planned(plant)[0] != "CannotChange"
    assert read_by_workers(plant) == [epoch] * 6


@pytest.mark.parametrize("epoch", [{"period": "2s"}, {"retention": "20m"}])
def test_a_resume_cannot_change_what_streams_rely_on(tmp_path: Path, epoch: dict[str, Any]) -> None:
    plant, one = begun(tmp_path)
    plant.apply(topology(tmp_path / "store", suspend=True))
    one.run("suspended", 30)
    plant.apply(topology(tmp_path / "store", epoch=epoch))
    one.go_on(4)
    one.run("running", 30)
    assert planned(plant)[0] == "CannotChange"
    assert read_by_workers(plant) == [{}] * 6


def test_the_same_time_in_other_words_is_no_change(tmp_path: Path) -> None:
    plant, one = begun(tmp_path)
    plant.apply(topology(tmp_path / "store", epoch={"hold": "0.1s", "retention": "600s"}))
    one.go_on(4)
    one.run("running", 30)
    assert planned(plant)[0] != "CannotChange"
