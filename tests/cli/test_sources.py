"""Whether sources can fail is one rule per target, for every strategy and every number."""

import json
from typing import Any

import pytest

from tests.cli.stage import PIPELINE, levee

NODES = ("--nodes", "node-1=4,node-2=4")


def plan(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    document = json.loads(levee(capsys, "plan", "-f", PIPELINE, *NODES, "-o", "json", *args).out)
    assert isinstance(document, dict)
    return document


@pytest.mark.parametrize("budget", range(4))
@pytest.mark.parametrize("measure", ["fidelity", "completeness"])
def test_no_baseline_within_the_budget_beats_what_is_proven(measure: str, budget: int, capsys: pytest.CaptureFixture[str]) -> None:
    best = plan(capsys, "--target", f"budget={budget}", "--strategy", measure)
    assert best["search"]["bound"] == pytest.approx(best["guarantee"][measure])
    for baseline in ("static", "none"):
        other = plan(capsys, "--target", f"budget={budget}", "--strategy", baseline)
        if other["guarantee"]["budgetUsed"] <= budget:
            assert other["verdict"]["met"]
            assert other["guarantee"][measure] <= best["guarantee"][measure] + 1e-9
        else:
            assert not other["verdict"]["met"]


def test_static_replication_replicates_sources_under_a_budget(capsys: pytest.CaptureFixture[str]) -> None:
    out = levee(capsys, "plan", "-f", PIPELINE, *NODES, "--target", "budget=2", "--strategy", "static").out
    assert "at most 3 beyond one per task and source task" in out
    assert "The plan is beyond its target: 3 active replicas" in out


def test_sources_are_safe_and_cost_nothing_for_a_completeness(capsys: pytest.CaptureFixture[str]) -> None:
    static = plan(capsys, "--target", "1", "--strategy", "static")
    assert (static["guarantee"]["budgetUsed"], static["replicated"]) == (2, None)


def test_completeness_for_a_budget_is_called_that(capsys: pytest.CaptureFixture[str]) -> None:
    budget = plan(capsys, "--target", "budget=2", "--strategy", "completeness")["search"]
    goal = plan(capsys, "--target", "0.5", "--strategy", "completeness")["search"]
    assert (budget["says"], budget["objectiveIs"]) == ("most completeness for a budget, exact", "completeness")
    assert (goal["says"], goal["objectiveIs"]) == ("least cost for a completeness, exact", "cores")


def test_greedy_knows_no_budget(capsys: pytest.CaptureFixture[str]) -> None:
    ended = levee(capsys, "plan", "-f", PIPELINE, "--target", "budget=2", "--strategy", "greedy")
    assert (ended.code, ended.out) == (2, "")
    assert "use --strategy fidelity" in ended.err
