"""Two operators act for a while, in any order of their awaits: no harm."""

import random
from collections.abc import Coroutine
from typing import Any

import pytest

from levee.lifecycle.documents import machine
from levee.lifecycle.runner import Runner
from tests.lifecycle.fake import Operator, World, runner

JOB = machine("job")


def together(world: World, seed: int, turns: int) -> None:
    chance = random.Random(seed)
    operators = [runner(JOB, world), runner(JOB, world)]
    at_work: list[Coroutine[Any, Any, Any] | None] = [None, None]
    done = 0
    while done < turns:
        one = chance.randrange(2)
        at_work[one] = at_work[one] or begin(operators[one], world)
        try:
            at_work[one].send(None)  # type: ignore[union-attr]
        except StopIteration:
            at_work[one], done = None, done + 1
            world.tick()
    for coroutine in at_work:
        if coroutine is not None:
            coroutine.close()


def begin(one: Runner, world: World) -> Coroutine[Any, Any, Any]:
    return one.turn(world.holding())


class Tolerant(World):
    """Two who act at once may both register, or find what the other has just made or removed; the API server says so, as it does."""

    async def create(self, pod: str) -> None:
        if pod not in self.pods:
            await super().create(pod)

    async def remove(self, pod: str) -> None:
        if pod in self.pods:
            await super().remove(pod)


@pytest.mark.parametrize("seed", range(150))
def test_two_operators_at_once_end_where_one_would(seed: int) -> None:
    world = Tolerant(fails={})
    together(world, seed, 12)
    last = Operator(JOB, world)
    last.settle()
    assert (last.state, sorted(world.pods), len(world.created)) == ("running", ["index.1.0", "market.1.0", "vwap.1.0"], 3)
    world.deleted = True
    together(world, seed + 1, 12)
    Operator(JOB, world).settle()
    assert world.loaded is not None
    assert (world.loaded.record.state, world.pods, world.registrations, world.plan) == ("canceled", {}, [], None)


def test_who_was_overtaken_does_nothing_and_looks_again() -> None:
    world = World()
    late, early = runner(JOB, world), Operator(JOB, world)
    from tests.lifecycle.fake import run

    run(late.turn(()))
    early.settle()
    passed = len(world.passed)
    turn = run(late.turn(world.holding() | {"admit"}))  # type: ignore[arg-type]
    assert turn.position is None
    assert world.passed[passed:] == ["before store"] or "before read_spec" in world.passed[passed:]
    assert run(late.turn(world.holding())).position is not None
    assert late.position is not None
    assert late.position.state == "running"
