"""What became of a topology's promise stands in its status, costs few writes, and outlives the operator that has added it up."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from levee.control.account import Statement
from levee.control.names import ReplicaName
from levee.control.seen import Processed, ReplicaSeen
from tests.serve import plant as plants
from tests.serve.clock import BEGAN_MS, Clock
from tests.serve.plant import PATH, Operator, Plant, operator, topology

WELL = plants.well
ROWS = 10  # of a second


class Counting:
    """The first replica of the operator commits an epoch a second; from some minute on late."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.late_from_s = clock, 10**9

    def __call__(self, replica: ReplicaName) -> ReplicaSeen:
        seconds = (self.clock.ms - BEGAN_MS) // 1_000
        late = max(0, seconds - self.late_from_s)
        counts = Processed(seconds, ROWS * (seconds - late), ROWS * late) if replica == "count/0/0" else Processed()
        return replace(WELL(replica), processed=counts, epoch=seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock().rule(monkeypatch)


@pytest.fixture
def counting(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Counting:
    made = Counting(clock)
    monkeypatch.setattr(plants, "well", made)
    return made


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    made = Plant()
    made.apply(topology(tmp_path / "store"))
    return made


def ran(plant: Plant, clock: Clock, minutes: float) -> Operator:
    made = operator(plant)
    made.run("running")
    clock.pass_by(made, minutes, turns=round(10 * minutes))
    return made


def account(plant: Plant) -> dict[str, Any] | None:
    found: dict[str, Any] | None = plant.things[PATH]["status"].get("account")
    return found


def stated(one: Operator) -> Statement:
    assert one.life is not None
    figures = one.life.standing().figures
    assert figures is not None
    assert figures.account is not None
    return figures.account


def test_the_status_says_what_was_promised_and_achieved_and_at_what_cost(plant: Plant, clock: Clock, counting: Counting) -> None:
    ran(plant, clock, minutes=10)
    assert account(plant) == {"window": 3600, "promised": 0.9, "achieved": 1, "cost": 1, "inputKept": True}
    counting.late_from_s = (clock.ms - BEGAN_MS) // 1_000
    ran(plant, clock, minutes=10)
    found = account(plant)
    assert found is not None
    assert 0.4 < found["achieved"] < 0.6


def test_where_nothing_was_processed_nothing_is_said(plant: Plant, clock: Clock) -> None:
    made = ran(plant, clock, minutes=5)
    assert account(plant) is None
    assert stated(made).achieved is None


@pytest.mark.usefixtures("counting")
def test_an_account_that_stays_as_it_is_is_not_written_again(plant: Plant, clock: Clock) -> None:
    made = ran(plant, clock, minutes=5)
    plant.written.clear()
    clock.pass_by(made, minutes=60, turns=300)
    assert [one for one in plant.written if "account" in one] == []


@pytest.mark.usefixtures("counting")
def test_an_operator_that_is_started_again_goes_on_with_the_account(plant: Plant, clock: Clock) -> None:
    before = stated(ran(plant, clock, minutes=32)).sums
    plant.written.clear()
    second = ran(plant, clock, minutes=1)
    after = stated(second).sums
    assert before.in_time - 300 * ROWS <= after.in_time <= before.in_time + 60 * ROWS, "but for the twelfth of the hour that went on"
    assert after.in_time > 1_400 * ROWS
    assert [one for one in plant.written if "status" in one] == []
