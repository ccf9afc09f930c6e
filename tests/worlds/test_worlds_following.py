"""In a run on this machine the configuration follows its source up and down again, and each step says why: its record, as its event."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from levee.cli.local.start import Ask, setup_of
from levee.control.actions import Reason
from levee.control.wanted import Wanted
from levee.worlds.local.opening import Setup, running
from levee.worlds.local.run import Turn
from tests.worlds.toy import WORKER, delivered, expected, play, toy

CALM, PEAK = 20, 55  # rows a second, within what is declared
DWELL_MS = 500  # not a minute, after the start, in which no rate was known


def setup(place: Path) -> Setup:
    """At the calm rate one replica stands by."""
    text = toy((place / "store").as_uri()).replace("cost: 1us", "cost: 10ms")
    file = place / "toy.yaml"
    file.write_text(text.replace("completeness: 1.0", "completeness: 0.6"))
    made = setup_of(Ask(str(file), directory=str(place / "run"), command=WORKER))
    return replace(made, want=lambda wiring: impatient(made.want(wiring)))


def impatient(wanted: Wanted) -> Wanted:
    return replace(wanted, patience=replace(wanted.patience, dwell_ms=DWELL_MS))


def told(turns: Sequence[Turn], subject: str) -> list[str]:
    return [one.text for turn in turns for one in turn.news if one.subject == subject]


def test_a_rise_and_a_fall_of_a_rate_are_each_followed_by_a_record_that_says_from_what_it_follows(tmp_path: Path) -> None:
    turns: list[Turn] = []
    with running(setup(tmp_path)) as run:
        for rate, name in ((CALM, "calm"), (PEAK, "peak"), (CALM, "calm")):
            turns += play(run, lambda turn: turn.table.ready and turn.seen.rates is not None)
            (tmp_path / "run" / "rate").write_text(str(rate))
            turns += play(run, lambda turn, name=name: turn.seen.configuration == name and turn.decision.reason is Reason.SETTLED)  # type: ignore[misc]
    up, down = told(turns, Reason.RATES_CHANGED)
    assert re.fullmatch(r"numbers \d+/s -> configuration peak \(60/s\), 1 replica on, record \d+", up)
    assert re.fullmatch(r"numbers \d+/s -> configuration calm \(30/s\), 1 replica off, record \d+", down)
    records = [one for one, _ in groupby(turn.seen.record for turn in turns) if one is not None]
    assert [f"{Reason.RATES_CHANGED}: {text}" for text in (up, down)] == [one.reason for one in records if one.reason.startswith("Rates")]
    assert [text.split()[1] for text in told(turns, "Switched")] == ["peak", "calm"]
    assert delivered(tmp_path) == expected(len(delivered(tmp_path)))
