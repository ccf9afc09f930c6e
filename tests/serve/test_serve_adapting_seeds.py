"""Adaptation under whatever may befall it, in virtual time: rates and costs that drift and are not always known, nodes of other sizes,
edits, and operators that die before or after any write, above all while a plan is taken up.

A failing seed replays: python -m tests.serve.adapting_trial 17
"""

from collections import Counter

import pytest

from levee.control.adaptation import Weighed
from levee.serve.adapting import Adapting
from levee.serve.edits import Edits
from levee.topology.names import OperatorName
from levee.worlds.stretches import Stretches
from tests.serve.adapting_trial import Violation, run

SEEDS = 22


def test_what_is_measured_is_adapted_to_once_and_survives_whoever_has_begun_it() -> None:
    seen: Counter[str] = Counter()
    for seed in range(SEEDS):
        try:
            seen += run(seed).seen
        except Exception as error:  # noqa: BLE001  (any error here is one of the control plane's, or of the simulation)
            pytest.fail(f"{type(error).__name__}: {error}\nReplay it: python -m tests.serve.adapting_trial {seed}", pytrace=False)
    assert {"killed", "killed while a plan is taken up", "resized", "edited", "AsPlanned", "NotWorthIt"} <= set(seen)
    assert seen["adapted"] > SEEDS


def test_the_same_seed_is_the_same_adaptation() -> None:
    told: list[list[str]] = [[], []]
    assert run(0, told[0].append).seen == run(0, told[1].append).seen
    assert told[0] == told[1]


def run_from(first: int) -> None:
    """Those before it hold, and take a second each."""
    for seed in range(first, SEEDS):
        run(seed)


def test_without_a_dwell_something_is_adapted_to_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Adapting, "dwell_ms", 0)
    with pytest.raises(Violation, match="and has done so at"):
        run_from(5)


def test_where_every_switch_is_worth_it_there_is_no_end_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Weighed, "is_worth_it", True)
    with pytest.raises(Violation, match="its descriptor is"):
        run_from(1)


def test_where_none_is_taken_up_what_has_drifted_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Adapting, "offer", lambda *_: None)
    with pytest.raises(Violation, match="its descriptor is"):
        run_from(14)


def test_where_it_is_not_known_again_a_death_in_the_midst_throws_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Edits, "is_adapted", lambda _: False)
    with pytest.raises(Violation, match="is thrown away"):
        run_from(0)


def test_where_an_unknown_rate_is_a_rate_of_zero_what_never_was_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    add, zero = Stretches.add, {OperatorName("market"): 0.0}
    monkeypatch.setattr(Stretches, "add", lambda self, told, rates: add(self, told, zero if rates is None else rates))
    with pytest.raises(Violation, match="rate of market"):
        run_from(0)
