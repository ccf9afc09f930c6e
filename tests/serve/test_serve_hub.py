"""Many topologies under one operator: each is looked after, whatever becomes of another."""

import asyncio
import copy
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchmarks.lifecycle.stub import PlannerHere
from levee.serve import knowing, planning
from levee.serve.hub import AT_ONCE, SLOW_AT_ONCE, THREADS, Hub, concerns
from levee.serve.life import Life
from levee.serve.shop import Shop
from levee.worlds.kubernetes import eligible
from levee.worlds.plans import WrittenPlan
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
    hub.knowing.listed(knowing.ALL)
    hub.knowing.listed(knowing.NODES)
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


@pytest.mark.parametrize("slow", [AT_ONCE + 1, SLOW_AT_ONCE + 1])
def test_however_many_wait_for_a_silent_store_others_are_looked_after(plant: Plant, monkeypatch: pytest.MonkeyPatch, slow: int) -> None:
    monkeypatch.setattr("levee.serve.hub.LONG_S", 0.02)
    answers, looked_after = threading.Event(), asyncio.Event()

    async def turn(life: Life) -> float:
        if life.owner.name == "clicks":
            looked_after.set()
        else:
            await asyncio.to_thread(answers.wait)
        return 0.0

    monkeypatch.setattr(Life, "turn", turn)

    async def some() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
        hub = hub_of(plant)
        for number in range(slow):
            hub.resource_seen(named(plant.things[PATH], f"other-{number}"))
        await asyncio.sleep(0.1)
        hub.resource_seen(plant.things[PATH])
        try:
            await asyncio.wait_for(looked_after.wait(), 10)
        finally:
            answers.set()
            for entry in list(hub.entries.values()):
                hub.resource_gone(entry.life.resource)

    asyncio.run(some())


def named(resource: Any, name: str) -> Any:
    return resource | {"metadata": resource["metadata"] | {"name": name, "uid": name}}


def test_while_plans_are_made_their_topologies_and_all_others_are_looked_after(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs, is edited, and its plan is not there yet: a pod that ends is replaced."""
    one = operator(plant)
    one.run("running")
    one.go_on(3)
    monkeypatch.setattr("levee.serve.making.QUICK_S", 0.0)
    made: Future[WrittenPlan] = Future()
    monkeypatch.setattr(PlannerHere, "submit", lambda *_: made)
    told = copy.deepcopy(plant.things[PATH])
    told["spec"]["faultTolerance"]["target"] = {"completeness": 0.5}
    plant.apply(told)
    one.run("updating")
    plant.fail(plant.born[0])
    one.go_on(4)
    assert (one.state(), len(plant.pods()), len(plant.born)) == ("updating", 6, 7)
    resource = plant.things[PATH]
    made.set_result(planning.planned(resource, eligible.nodes(one.shop.cluster.nodes(), resource["spec"])))
    later = one.shop.wall_ms() + 60_000
    monkeypatch.setattr(Shop, "wall_ms", lambda _: later)
    one.go_on(2)
    one.run("running")
    assert one.life is not None
    assert one.life.ground.number == 2


def test_a_namespace_that_may_not_be_looked_into_keeps_no_other_waiting() -> None:
    async def one() -> tuple[bool, bool, bool]:
        hub = Hub(operator(Plant()).shop)
        shop, gone = (asyncio.create_task(hub.knowing.of(namespace)) for namespace in ("shop", "gone"))
        hub.knowing.listed("shop")
        await asyncio.sleep(0.01)
        early = shop.done()
        hub.knowing.listed(knowing.NODES)
        await asyncio.sleep(0.01)
        found = early, shop.done(), gone.done()
        gone.cancel()
        return found

    assert asyncio.run(one()) == (False, True, False)
