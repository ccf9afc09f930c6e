"""The moment of a step: waited for, and told when it does not come."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from levee_chaos import triggers
from levee_chaos.refusals import Refused
from levee_chaos.triggers import gone
from levee_chaos.worlds.world import Health, Passage


@dataclass
class World:
    """A topology that is another one at each look."""

    epoch: int = 0
    rate: float = 0.0
    states: Sequence[str] = ("running",)
    topology: str = "shop/clicks"
    looks: int = field(default=0)

    @property
    def state(self) -> str:
        return self.states[min(self.looks, len(self.states)) - 1]

    @property
    def passages(self) -> list[Passage]:
        return [Passage(state, f"2026-01-01T00:00:0{number}Z") for number, state in enumerate(self.states[: self.looks])]

    def health(self) -> Health:
        return Health(True, (), 0, self.epoch * self.looks)

    def rates(self) -> dict[str, float]:
        return {"web": self.rate * self.looks, "app": 10.0}


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Callable[..., World]:
    def put(**told: Any) -> World:
        world = World(**told)

        def look(_where: Any) -> World:
            world.looks += 1
            return world

        monkeypatch.setattr(triggers, "find", look)
        monkeypatch.setattr(triggers, "LOOK_S", 0.001)
        return world

    return put


def test_an_epoch_is_waited_for(seen: Callable[..., World]) -> None:
    world = seen(epoch=3)
    assert triggers.at_epoch(10) == 12
    assert world.looks == 4


def test_a_rate_is_waited_for_of_one_source_or_of_all(seen: Callable[..., World]) -> None:
    seen(rate=100.0)
    assert triggers.at_rate("web", at_least=250) == 300
    seen(rate=100.0)
    assert triggers.at_rate(at_least=250) == 310
    seen(rate=100.0)
    assert triggers.at_rate("app", at_most=10) == 10


def test_a_source_that_is_idle_can_be_waited_for(seen: Callable[..., World]) -> None:
    seen(rate=0.0)
    assert triggers.at_rate("web", at_most=0) == 0
    seen(rate=100.0)
    with pytest.raises(Refused, match="was not 0 rows per second or fewer"):
        triggers.at_rate("web", at_most=0, timeout_s=0.01)


def test_a_state_is_waited_for(seen: Callable[..., World]) -> None:
    seen(states=("running", "running", "updating"))
    assert triggers.in_state("updating") == "updating"


def test_a_transition_counts_only_from_now_on(seen: Callable[..., World]) -> None:
    seen(states=("updating", "running", "updating", "running"))
    assert triggers.on_transition("running", left="updating") == "updating -> running"
    seen(states=("running",))
    with pytest.raises(Refused, match="it has not gone to 'running'"):
        triggers.on_transition("running", timeout_s=0.01)


def test_a_state_that_was_only_passed_between_two_looks_counts() -> None:
    before = [Passage("running", "1")]
    now = [Passage("running", "1"), Passage("updating", "2"), Passage("running", "3")]
    assert gone(before, now, "", "updating") == "running -> updating"
    assert gone(before, now, "updating", "running") == "updating -> running"
    assert gone(before, now, "suspended", "running") is None
    assert gone(now, now, "", "running") is None


def test_a_moment_that_does_not_come_is_a_refusal_with_what_was_seen(seen: Callable[..., World]) -> None:
    seen(epoch=0)
    with pytest.raises(Refused, match="10 has not come out, only 0"):
        triggers.at_epoch(10, timeout_s=0.01)
    seen()
    with pytest.raises(Refused, match="shop/clicks has no source 'wep'"):
        triggers.at_rate("wep", at_least=1)
