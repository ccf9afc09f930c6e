"""Many topologies under one operator: each is looked after, whatever becomes of another."""

import asyncio
import copy
from pathlib import Path
from typing import Any

import pytest

from levee.serve.hub import Hub, concerns
from levee.serve.life import Life
from tests.serve.plant import PATH, Plant, operator, topology


class Panic(BaseException):
    """As a library in Rust has it."""


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    made = Plant()
    made.apply(topology(tmp_path / "store"))
    return made


def hub_of(plant: Plant) -> Hub:
    hub = Hub(operator(plant).shop)
    hub.synced.set()
    return hub


@pytest.mark.parametrize("mistake", [ValueError("a bug"), Panic("another")])
def test_a_mistake_in_one_turn_does_not_end_the_next(plant: Plant, monkeypatch: pytest.MonkeyPatch, mistake: BaseException) -> None:
    turns, enough = 0, asyncio.Event()

    async def turn(_: Life) -> float:
        nonlocal turns
        turns += 1
        if turns == 3:
            enough.set()
        raise mistake

    monkeypatch.setattr(Life, "turn", turn)
    monkeypatch.setattr("levee.serve.hub.AFTER_A_MISTAKE_S", 0.01)

    async def some() -> None:
        hub = hub_of(plant)
        hub.resource_seen(plant.things[PATH])
        await enough.wait()
        hub.resource_gone(plant.things[PATH])

    asyncio.run(asyncio.wait_for(some(), 10))


def test_a_resource_is_followed_until_it_is_gone(plant: Plant) -> None:
    async def some() -> list[Any]:
        hub = hub_of(plant)
        hub.resource_seen(plant.things[PATH])
        hub.resource_seen(plant.things[PATH])
        tasks = [entry.task for entry in hub.entries.values()]
        hub.resource_gone(plant.things[PATH])
        hub.resource_gone(plant.things[PATH])
        await asyncio.sleep(0)
        return tasks

    [task] = asyncio.run(some())
    assert task.cancelled()


def test_only_what_a_user_has_changed_is_news(plant: Plant) -> None:
    before = plant.things[PATH]
    after = copy.deepcopy(before)
    after["status"] = {"state": "running"}
    assert not concerns(before, after)
    after["metadata"]["annotations"] = {"levee.dev/paused": "true"}
    assert concerns(before, after)
    after = copy.deepcopy(before)
    after["metadata"]["generation"] += 1
    assert concerns(before, after)
