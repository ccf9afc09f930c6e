"""What a strategy does before its clock starts is told, and is not part of the time limit."""

import subprocess
import sys
from dataclasses import replace

import pytest

from levee.cli.plan_run import Tools
from levee.planning.case import Case, Found, Say
from levee.planning.result import Stop
from levee.planning.strategies import STRATEGIES
from tests.cli.stage import PIPELINE, ROOT, levee

ARGS = ("plan", "-f", PIPELINE, "--strategy", "ft-search", "--time-limit", "10s")


def slow_to_start(left: list[float]) -> Tools:
    """Its warm-up takes a minute."""
    at_s = [0.0]

    def warm_up(say: Say) -> None:
        say("compiling something")
        at_s[0] += 60

    def solve(case: Case, stop: Stop) -> Found:
        left.append(stop.remaining_s())
        return STRATEGIES["ft-search"].solve(case, stop)

    strategy = replace(STRATEGIES["ft-search"], warm_up=warm_up, solve=solve)
    return Tools(now=lambda: at_s[0], strategies={**STRATEGIES, "ft-search": strategy})


def test_a_warm_up_is_told_and_takes_nothing_of_the_time_limit(capsys: pytest.CaptureFixture[str]) -> None:
    left: list[float] = []
    ended = levee(capsys, *ARGS, tools=slow_to_start(left))
    assert (ended.code, ended.err) == (0, "pipeline: compiling something\n")
    assert left == [10.0]


def test_whoever_wants_it_quiet_has_it_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert levee(capsys, *ARGS, "--quiet", tools=slow_to_start([])).err == ""


def test_without_numba_the_search_says_that_it_is_slow() -> None:
    script = f"import sys; sys.modules['numba'] = None; from levee.cli.main import run; sys.exit(run({[*ARGS]!r}))"
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert ended.returncode == 0
    told = "pipeline: FT-Search runs uncompiled and much slower, since numba is not there: pip install numba\n"
    assert ended.stderr.decode() == told
