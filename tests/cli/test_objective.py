"""`levee plan --objective`: for a budget, every strategy that takes one can look for the most completeness."""

import json
from typing import Any

import pytest

from tests.cli.stage import BARGAINS, PIPELINE, levee

ROOMY = ("--nodes", "a=9,b=9,c=9")
EITHER = ("fidelity", "structure-aware", "fidelity-greedy", "dynamic-programming")


def plan(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    document = json.loads(levee(capsys, "plan", "-f", BARGAINS, *ROOMY, "-o", "json", "--target", "budget=8", *args).out)
    assert isinstance(document, dict)
    return document


@pytest.mark.parametrize("strategy", EITHER)
@pytest.mark.parametrize("objective", ["completeness", "fidelity"])
def test_what_is_looked_for_is_measured_and_called_by_its_name(strategy: str, objective: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = plan(capsys, "--strategy", strategy, "--objective", objective)
    search, best = found["search"], plan(capsys, "--strategy", "fidelity", "--objective", objective)["search"]
    assert (found["wanted"]["objective"], search["objectiveIs"]) == (objective, objective)
    assert objective in search["says"]
    assert search["objective"] <= best["bound"] + 1e-9
    assert search["objective"] == pytest.approx(found["guarantee"][objective], abs=1e-3)


def test_the_most_completeness_is_that_of_the_strategy_of_that_name(capsys: pytest.CaptureFixture[str]) -> None:
    one, other = plan(capsys, "--objective", "completeness"), plan(capsys, "--strategy", "completeness")
    assert (one["search"]["strategy"], other["search"]["strategy"]) == ("fidelity", "completeness")
    assert one["search"]["objective"] == pytest.approx(other["search"]["objective"])
    assert one["guarantee"]["completeness"] > plan(capsys)["guarantee"]["completeness"]


def test_without_the_flag_the_strategy_says_what_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(capsys)["wanted"]["objective"] == "fidelity"
    assert plan(capsys, "--strategy", "completeness")["wanted"]["objective"] == "completeness"
    assert plan(capsys, "--strategy", "static")["wanted"]["objective"] is None
    assert json.loads(levee(capsys, "plan", "-f", PIPELINE, "-o", "json").out)["wanted"]["objective"] is None


SENSELESS = {
    "another target": (("--target", "0.5", "--objective", "fidelity"), "only a plan for a budget has an objective of its own"),
    "a fidelity": (("--target", "fidelity=0.5", "--objective", "completeness"), "add --target budget=6"),
    "no target given": (("--objective", "completeness"), "add --target budget=6"),
    "the other strategy": (
        ("--target", "budget=2", "--strategy", "completeness", "--objective", "fidelity"),
        "strategy completeness plans for completeness. Fix: use --strategy fidelity.",
    ),
    "ft-search": (
        ("--target", "budget=2", "--strategy", "ft-search", "--objective", "completeness"),
        "ft-search knows a completeness only",
    ),
    "a baseline": (("--target", "budget=2", "--strategy", "static", "--objective", "fidelity"), "static looks for the most of nothing"),
    "a frontier": (("--target", "budget=2", "--objective", "fidelity", "--frontier"), "cannot be combined"),
    "no such objective": (("--target", "budget=2", "--objective", "fidelty"), "Did you mean 'fidelity'?"),
}


@pytest.mark.parametrize("name", SENSELESS)
def test_where_it_makes_no_sense_that_is_said(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    args, told = SENSELESS[name]
    ended = levee(capsys, "plan", "-f", PIPELINE, *args)
    assert (ended.code, ended.out) == (2, "")
    assert told in " ".join(ended.err.split())
