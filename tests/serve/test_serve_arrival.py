"""An operator that is killed and started again writes nothing to the API server, as long as nothing happens."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from levee.control.names import Instant
from levee.serve import planning
from levee.serve.shop import HEAD_START_MS, Shop
from levee.worlds.local.book import Book
from tests.serve.plant import PATH, Operator, Plant, PlantAsker, operator, topology

SECOND = 1_000
LONG = 45  # turns, and seconds


@dataclass
class Clock:
    now: int = HEAD_START_MS

    def go_on(self, one: Operator, seconds: int) -> None:
        for _ in range(seconds):
            self.now += SECOND
            one.go_on(1)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(Shop, "now", lambda _: Instant(found.now))
    return found


@pytest.fixture
def plant(tmp_path: Path, clock: Clock) -> Plant:
    """Its topology has run for a while, and its operator is gone."""
    made = Plant()
    made.apply(topology(tmp_path / "store"))
    first = operator(made)
    first.run("running")
    clock.go_on(first, 20)
    assert healthy(made) == ("True", "Settled"), "rates are known by now"
    return made


def healthy(plant: Plant) -> tuple[str, str]:
    [found] = [one for one in plant.things[PATH]["status"]["conditions"] if one["type"] == "Healthy"]
    return found["status"], found["reason"]


def written_by_another(plant: Plant, clock: Clock, seconds: int = LONG) -> list[str]:
    before = len(plant.written)
    clock.go_on(operator(plant), seconds)
    return plant.written[before:]


def test_one_that_has_yet_to_learn_the_rates_writes_nothing(plant: Plant, clock: Clock) -> None:
    assert written_by_another(plant, clock) == []


def test_nor_does_one_that_some_pods_answer_late(plant: Plant, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, until = PlantAsker.refresh, clock.now + 5 * SECOND

    def refresh(self: PlantAsker, pods: Any, now: Instant) -> None:
        whole(self, list(pods)[1:] if now < until else pods, now)

    monkeypatch.setattr(PlantAsker, "refresh", refresh)
    assert written_by_another(plant, clock) == []


def test_nor_one_after_the_other(plant: Plant, clock: Clock) -> None:
    assert [line for _ in range(5) for line in written_by_another(plant, clock, 3)] == []


def test_a_pod_that_does_not_answer_for_long_is_told_of(plant: Plant, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = PlantAsker.refresh
    monkeypatch.setattr(PlantAsker, "refresh", lambda self, pods, now: whole(self, list(pods)[1:], now))
    written_by_another(plant, clock)
    assert healthy(plant) == ("False", "Degraded")


def test_rates_that_stay_unknown_are_told_of(plant: Plant, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("levee.worlds.measuring.KNOWN_AFTER_MS", 10_000 * SECOND)
    assert written_by_another(plant, clock, 25) == []
    written_by_another(plant, clock)
    assert healthy(plant) == ("True", "RatesUnknown")


def test_what_happens_while_it_learns_is_told_at_once(plant: Plant, clock: Clock) -> None:
    other = operator(plant)
    clock.go_on(other, 2)
    lost, before = plant.born[0], len(plant.written)
    plant.fail(lost)
    clock.go_on(other, 2)
    assert plant.born[-1] == f"{lost.removesuffix('-1')}-2"
    assert any(line.startswith(f"patch {PATH}/status") for line in plant.written[before:])
    assert healthy(plant) == ("False", "WorkerLost")
    assert "WorkerLost" in {reason for reason, _ in plant.told()}
    clock.go_on(other, LONG)
    assert healthy(plant) == ("True", "Settled")


def test_a_plan_that_cannot_say_how_good_it_is_is_not_told_again(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not there and a null are the same to the API server."""
    worth = planning.worth_of
    monkeypatch.setattr(planning, "worth_of", lambda report: replace(worth(report), gap=None, cost=None))
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    first = operator(plant)
    first.run("running")
    clock.go_on(first, 20)
    assert "gap" not in plant.things[PATH]["status"]["plan"]
    assert written_by_another(plant, clock) == []


def test_one_that_finds_a_failed_topology_writes_nothing(tmp_path: Path, clock: Clock) -> None:
    plant, told = Plant(), topology(tmp_path / "store")
    told["spec"]["operators"][0]["inputs"][0]["from"] = "nowhere"
    plant.apply(told)
    first = operator(plant)
    first.run("failed")
    clock.go_on(first, 20)
    assert written_by_another(plant, clock) == []


def test_one_that_finds_a_suspended_topology_says_no_more_than_that_it_is_there(
    plant: Plant, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may take away pods that are left, and so overtakes whoever may have resumed it meanwhile."""
    monkeypatch.setattr(Book, "stop_epoch", lambda _: 7)
    plant.apply(topology(tmp_path / "store", suspend=True))
    second = operator(plant)
    second.run("suspended")
    clock.go_on(second, 20)
    before = plant.things[PATH]["status"]
    assert len(written_by_another(plant, clock)) == 1
    after = plant.things[PATH]["status"]
    assert {name for name in after if after[name] != before[name]} == {"lifecycle"}
