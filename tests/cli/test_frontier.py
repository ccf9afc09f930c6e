"""`levee plan --frontier`: the levels that are found in any time, and what is said below them."""

import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from levee.cli.frontier.words import no_knee, no_levels
from levee.cli.plan_run import Tools
from levee.planning.result import Status
from levee.plans.report import Search
from levee.plans.words import certainty, within
from tests.cli.stage import BARGAINS, PIPELINE, TRAFFIC, Ended, levee
from tests.cli.test_seek import ticking


def frontier(capsys: pytest.CaptureFixture[str], *args: str, tools: Tools) -> Ended:
    return levee(capsys, "plan", "--frontier", *args, tools=tools)


@pytest.mark.parametrize("step_s", [1e-4, 1e-3, 1.0])
@pytest.mark.parametrize("file", [PIPELINE, BARGAINS])
def test_however_little_time_there_is_there_is_the_level_of_nothing_and_the_most_that_was_found(
    step_s: float, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = frontier(capsys, "-f", file, "--time-limit", "1ms", "-o", "json", tools=ticking(step_s))
    levels = json.loads(ended.out)["levels"]
    assert ended.code == 0
    assert levels[0]["completeness"] == 0
    assert levels[-1]["completeness"] > 0.6
    assert json.loads(ended.out)["verifiedBy"] == "levee.planning.completeness.verify"


@pytest.mark.parametrize(("file", "args"), [(PIPELINE, ()), (TRAFFIC, ("--target", "fidelity=0.5"))])
def test_ctrl_c_in_the_first_search_leaves_the_levels_that_take_none(
    file: str, args: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    looks = []

    def now() -> float:
        looks.append(0)
        if len(looks) == 4:
            signal.raise_signal(signal.SIGINT)
        return 0.0

    ended = frontier(capsys, "-f", file, *args, tools=Tools(now=now))
    assert ended.code == 0
    assert "Interrupted: these are the levels found so far" in ended.out
    assert "No knee is told, since levels are missing." in ended.out
    assert "verified by" in ended.out


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("0.5", "The target of completeness 0.5 is first reached by completeness 0.6666, for 1.6 cores."),
        ("0.9", "The target of completeness 0.9 is reached by none of these levels."),
        ("fidelity=0.6", "The target of fidelity 0.6 is first reached by fidelity 1, for 3 active replicas."),
        ("budget=2", "The target of 2 active replicas is enough for fidelity 0, for 0 active replicas."),
    ],
)
def test_a_target_beside_the_frontier_is_one_of_its_levels(target: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert told in frontier(capsys, "-f", PIPELINE, "--target", target, tools=Tools(now=lambda: 0.0)).out


def test_a_target_is_a_level_of_its_own_where_one_is_to_be_had(capsys: pytest.CaptureFixture[str]) -> None:
    """Twelve steps to the most there is would miss it."""
    bare, asked = (
        json.loads(frontier(capsys, "-f", BARGAINS, *args, "-o", "json", tools=Tools(now=lambda: 0.0)).out)["levels"]
        for args in ((), ("--target", "0.35"))
    )
    cheapest = json.loads(levee(capsys, "plan", "-f", BARGAINS, "--target", "0.35", "-o", "json").out)["price"]["cores"]
    assert min(level["cores"] for level in asked if level["completeness"] >= 0.35 - 1e-6) == pytest.approx(cheapest)
    assert len(asked) >= len(bare)


def test_that_nothing_fits_is_said_where_it_is_proven_only(capsys: pytest.CaptureFixture[str]) -> None:
    proven = frontier(capsys, "-f", PIPELINE, "--nodes", "node-1=0.3,node-2=0.3", tools=Tools(now=lambda: 0.0))
    late = frontier(capsys, "-f", PIPELINE, "--nodes", "node-1=0.3,node-2=0.3", "--time-limit", "1ms", tools=ticking(1.0))
    assert (proven.code, late.code) == (1, 1)
    assert "No plan fits these nodes, not even one replica of every task" in proven.out
    assert "nor is it proven that there is none: allow more --time-limit." in " ".join(late.out.split())
    assert "verified by" not in proven.out + late.out


def test_why_there_is_no_knee_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    straight = frontier(capsys, "-f", PIPELINE, tools=Tools(now=lambda: 0.0)).out
    assert "There is no knee: no level lies above the straight line from the first to the last." in straight
    assert no_knee((), interrupted=False) is None
    assert "No plan was found in 2 s" in no_levels(2, infeasible=False)


@pytest.mark.parametrize(
    ("gap", "told"),
    [(0.0123, "within 1.2 %"), (0.994, "within 99 %"), (0.996, "within 100 %"), (1.234, "within 123 %"), (1e12, ""), (None, "")],
)
def test_a_gap_is_told_in_digits_or_not_at_all(gap: float | None, told: str) -> None:
    assert within(gap) == told


def test_a_plan_that_is_worth_nearly_nothing_is_within_no_share_of_the_best() -> None:
    search = Search("s", "does", "cores", Status.FEASIBLE, 0.0, 1.0, 1e12, 0.0, interrupted=False, verified_by="", notes=())
    assert certainty(search) == "not proven"
    assert certainty(replace(search, gap=1.0)) == "within 100 % of the best possible"


def test_a_level_that_is_far_from_its_bound_has_no_exponent(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = frontier(capsys, "-f", BARGAINS, "--time-limit", "1ms", "--output-file", str(tmp_path / "x"), tools=ticking(1.0)).out
    assert "e+" not in out + (tmp_path / "x").read_text()
