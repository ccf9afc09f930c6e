"""`levee plan` where the target cannot be reached, with little time or none: nothing is claimed that is not known."""

import re
from itertools import count
from pathlib import Path

import pytest

from levee.cli.plan_run import Tools
from tests.cli.stage import BARGAINS, PIPELINE, levee

TOO_MUCH = "even one replica of every task is too much"


def ticking(step_s: float) -> Tools:
    """Time goes on with every look at the clock, and by nothing else."""
    ticks = count()
    return Tools(now=lambda: next(ticks) * step_s)


@pytest.mark.parametrize("step_s", [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0])
@pytest.mark.parametrize("strategy", ["completeness", "ft-search"])
def test_however_little_time_there_is_no_node_is_blamed_that_has_room(
    step_s: float, strategy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ("plan", "-f", BARGAINS, "--strategy", strategy, "--target", "0.95", "--time-limit", "20ms")
    ended = levee(capsys, *args, tools=ticking(step_s))
    assert ended.code == 1
    assert TOO_MUCH not in ended.out
    assert re.search(r"A target of 0[.]\d+ asks for it|The most that was found is completeness 0[.]\d+", " ".join(ended.out.split()))


def test_the_most_that_was_found_is_given_without_a_target(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """As far as there was time for it."""
    path = tmp_path / "topology.yaml"
    text = Path(PIPELINE).read_text()
    path.write_text(text.replace("target: {completeness: 0.6}", "strategy: static"))
    assert path.read_text() != text
    args = ("plan", "-f", str(path), "--strategy", "completeness")
    ended = levee(capsys, *args, "--time-limit", "1ms", tools=ticking(1.0))
    assert "completeness     0.6666" in ended.out
    too_small = levee(capsys, *args, "--nodes", "node-1=0.5,node-2=0.5")
    assert too_small.code == 1
    assert f"No plan fits these nodes: {TOO_MUCH} for them." in too_small.out


def test_the_worst_node_is_named_first_and_each_once(capsys: pytest.CaptureFixture[str]) -> None:
    """At 4 rows/s each of the two tasks needs 0.4 cores, at 8 rows/s 0.8."""
    out = levee(capsys, "plan", "-f", PIPELINE, "--nodes", "node-1=0.39,node-2=0.3").out
    assert out.splitlines()[-2:] == ["node-2 needs 0.8 cores in high and has 0.3.", "node-1 needs 0.8 cores in high and has 0.39."]
