"""Whole lives into whose stored record somebody else writes false words: nobody goes by them.

The record is kept as it is on a cluster: as fields of a status, and as the line beside them.
"""

from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from levee.lifecycle.documents import machine
from levee.lifecycle.handlers import Loaded
from levee.serve.checked import LINE, checked, fields_in, line_of
from levee.serve.recorded import fields_of, record_of
from tests.worlds.simulated import living
from tests.worlds.simulated.living import live

SEEDS = 40
FALSE: dict[str, list[Any]] = {
    "state": sorted(machine("job").states),
    "attempts": [3, 9],
    "since": ["2030-01-01T00:00:00.000Z"],
    "ending": ["failed", "canceled"],
}


@dataclass
class Falsified(living.Life):
    """Whoever comes after one who died finds one false word."""

    kills: float = 0.05

    def __post_init__(self) -> None:
        self.kills, self.liar = Falsified.kills, Random(self.scenario.seed)

    async def load(self) -> Loaded | None:
        found = await super().load()
        if found is None:
            return None
        false = self.falsified(fields_of(found.record))
        status, wrong = self.taken_as(false)
        self.seen["told apart"] += bool(wrong)
        return Loaded(record_of(status), found.version)

    def falsified(self, status: dict[str, Any]) -> dict[str, Any]:
        name, line = self.liar.choice([*FALSE]), {LINE: line_of(fields_in(status))}
        word: dict[str, Any] = {name: self.liar.choice(FALSE[name])}
        lifecycle = status["lifecycle"] | line | (word if name == "ending" else {})
        return status | {"lifecycle": lifecycle} | ({} if name == "ending" else word)

    def taken_as(self, status: dict[str, Any]) -> Any:
        return checked(status)


class Believed(Falsified):
    def taken_as(self, status: dict[str, Any]) -> Any:
        return status, ()


def test_a_life_into_which_false_words_are_written_ends_as_its_user_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(living, "Life", Falsified)
    told = 0
    for seed in range(SEEDS):
        try:
            told += live(seed).seen["told apart"]
        except Exception as error:  # noqa: BLE001  (any error here is one of the control plane's, or of the simulation)
            pytest.fail(f"seed {seed}: {type(error).__name__}: {error}")
    assert told > SEEDS


def test_who_believes_them_goes_a_way_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(living, "Life", Believed)
    monkeypatch.setattr(living, "SETTLED_IN_S", 900)
    with pytest.raises(AssertionError):
        live_all()


def live_all() -> None:
    for seed in range(SEEDS):
        live(seed)
