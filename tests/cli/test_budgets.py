"""The frontier of fidelity: what a level costs is the smallest budget that has it."""

import json
from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee.cli.frontier.budgets import is_smallest, tried, used
from levee.planning.case import Found
from levee.planning.result import Result, Status
from levee.topology.names import TaskId
from tests.cli.stage import ROOT, levee

TRAFFIC = str(ROOT / "examples" / "traffic-incidents.yaml")


def solved(best: list[float], tasks: int) -> Found:
    """A plan that uses its whole budget, needed or not."""
    replicated = frozenset(TaskId(f"t/{n}") for n in range(tasks))
    return Found(Result(None, best[tasks], best[tasks], Status.OPTIMAL), replicated=replicated)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60))
def test_every_level_that_is_met_is_brought_down_to_its_smallest_budget(steps: list[int]) -> None:
    best = sorted(step / 4 for step in steps)
    found = tried(lambda tasks, _: solved(best, tasks), len(best) - 1)
    for tasks in list(found):
        smallest = bisect_left(best, best[tasks])
        assert is_smallest(found, found[smallest])
        assert used(found[smallest]) == smallest


def test_the_frontier_of_fidelity_agrees_with_single_plans(capsys: pytest.CaptureFixture[str]) -> None:
    frontier = json.loads(levee(capsys, "plan", "-f", TRAFFIC, "--target", "budget=6", "--frontier", "-o", "json").out)
    assert frontier["complete"]
    for level in [frontier["levels"][1], frontier["levels"][5]]:
        same, less = (
            json.loads(levee(capsys, "plan", "-f", TRAFFIC, "--target", f"budget={level['budget'] - cheaper}", "-o", "json").out)
            for cheaper in (0, 1)
        )
        assert same["guarantee"]["fidelity"] == pytest.approx(level["fidelity"])
        assert less["guarantee"]["fidelity"] < level["fidelity"] - 1e-6


def test_a_frontier_that_left_budgets_out_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    out = levee(capsys, "plan", "-f", TRAFFIC, "--target", "budget=6", "--frontier").out
    assert "budgets tried" in out
