"""Ctrl-C, the time limit and closed pipes, with real processes and real signals."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import IO

import pytest

from levee.cli.plan_run import Tools
from levee.planning.case import Case, Found
from levee.planning.result import Stop
from levee.planning.strategies import STRATEGIES
from tests.cli.stage import PIPELINE, ROOT, levee, process


@contextmanager
def searching(strategy: str, *args: str, finds: str = "a plan") -> Iterator[subprocess.Popen[bytes]]:
    """A planner that is in the middle of its search."""
    command = [sys.executable, "-m", "tests.cli.patient", "plan", "-f", PIPELINE, "--strategy", strategy, "--time-limit", "1h", *args]
    environment = {"PATH": "/usr/bin:/bin", "LEVEE_TEST_FINDS": finds, "PYTHONPATH": str(ROOT)}
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    try:
        assert next(lines(running.stderr)) == "searching"
        yield running
    finally:
        running.kill()
        running.communicate()


def lines(stream: IO[bytes] | None) -> Iterator[str]:
    assert stream is not None
    return (line.decode().rstrip() for line in stream)


def test_ctrl_c_gives_the_best_plan_so_far_and_says_so() -> None:
    with searching("endless") as running:
        running.send_signal(signal.SIGINT)
        out, err = (text.decode() for text in running.communicate(timeout=60))
    assert running.returncode == 0
    assert "Interrupted: this is the best plan found so far, not the end of the search." in out
    assert "within 50 % of the best possible" in out
    assert "The plan reaches its target: completeness 0.6." in out
    assert "Traceback" not in err


def test_ctrl_c_before_any_plan_ends_with_130() -> None:
    with searching("endless", finds="nothing") as running:
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"Traceback" not in err


@pytest.mark.parametrize(("strategy", "args"), [("completeness", ()), ("fidelity", ("--target", "budget=1"))])
def test_ctrl_c_ends_a_frontier_with_the_levels_so_far(strategy: str, args: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    asked = []

    def solve(case: Case, stop: Stop) -> Found:
        found = STRATEGIES[strategy].solve(case, stop)
        asked.append(case)
        if len(asked) == 2:
            signal.raise_signal(signal.SIGINT)
        return found

    tools = Tools(now=lambda: 0.0, strategies={**STRATEGIES, strategy: replace(STRATEGIES[strategy], solve=solve)})
    ended = levee(capsys, "plan", "-f", PIPELINE, "--strategy", strategy, *args, "--frontier", tools=tools)
    assert (ended.code, len(asked)) == (0, 2)
    assert "Interrupted: these are the levels found so far" in ended.out
    assert "each level optimal, proven" not in ended.out


def test_ctrl_c_ends_a_frontier_that_is_being_sought() -> None:
    with searching("endless", "--frontier") as running:
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 0
    assert b"Interrupted: these are the levels found so far" in out
    assert err.count(b"searching") == 0  # The first was read; no search was begun after it.


@pytest.mark.parametrize("module", ["click", "levee.plans.ending", "numpy"])
def test_ctrl_c_while_levee_is_still_being_loaded_is_no_traceback(module: str) -> None:
    """The signal comes when the module is looked for."""
    script = f"""
import signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
from levee.cli.main import main
main()
"""
    ended = subprocess.run([sys.executable, "-c", script, "plan", "-f", PIPELINE], cwd=ROOT, capture_output=True, check=False, timeout=60)
    told = b"levee: interrupted, nothing was found yet."
    assert (ended.returncode, ended.stdout) == (130, b"")
    assert ended.stderr.split(b"\n") in ([told, b""], [b"", told, b""])  # click ends the line that ^C stands in


def test_a_second_ctrl_c_quits_even_a_planner_that_does_not_listen() -> None:
    with searching("deaf") as running:
        while running.poll() is None:
            running.send_signal(signal.SIGINT)  # The first is taken for a question; it is not answered.
            try:
                running.wait(timeout=0.2)
            except subprocess.TimeoutExpired:
                continue
    assert running.returncode == -signal.SIGINT


def test_the_time_limit_ends_a_search_with_what_it_has() -> None:
    command = [sys.executable, "-m", "tests.cli.patient", "plan", "-f", PIPELINE, "--strategy", "endless", "--time-limit", "50ms"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert ended.returncode == 0
    assert b"within 50 % of the best possible" in ended.stdout
    assert b"Interrupted" not in ended.stdout


@pytest.mark.parametrize("form", ["table", "json", "svg"])
def test_a_reader_that_has_seen_enough_is_no_mistake(form: str) -> None:
    reads_nothing = f"{sys.executable} -c 'from levee.cli.main import main; main()' plan -f {PIPELINE} -o {form} | true"
    ended = subprocess.run(["/bin/bash", "-c", reads_nothing], cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, b"")


REDIRECTED = {
    "closed output": ("validate -f {file} >&-", "levee: stopped by the system: standard output is closed."),
    "closed output of a plan": ("plan -f {file} >&-", "levee: stopped by the system: standard output is closed."),
    "a full disk": ("validate -f {file} > /dev/full", "levee: stopped by the system: No space left on device."),
    "a full disk for a plan": ("plan -f {file} > /dev/full", "levee: stopped by the system: No space left on device."),
    "closed input": ("plan -f - <&-", "Cannot read -: standard input is closed."),
    "closed input to check": ("validate -f - <&-", "Cannot read -: standard input is closed."),
    "nobody to complain to": ("validate -f - <&- 2> /dev/full", ""),
    "closed complaints": ("validate -f - <&- 2>&-", ""),
}


@pytest.mark.parametrize("name", REDIRECTED)
def test_input_and_output_that_do_not_work_are_no_bug(name: str) -> None:
    line, told = REDIRECTED[name]
    command = f"exec {sys.executable} -c 'from levee.cli.main import main; main()' {line.format(file=PIPELINE)}"
    ended = subprocess.run(["/bin/bash", "-c", command], cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert ended.returncode in (1, 2)
    err = ended.stderr.decode()
    assert told in err
    assert "bug" not in err
    assert "Traceback" not in err
    assert "Exception ignored" not in err


@pytest.mark.parametrize(
    "line", ["validate -f /dev/zero", "plan -f /dev/full", "plan -f - < /dev/zero", "plan -f {file} --nodes /dev/zero"]
)
def test_what_never_ends_is_not_read_to_its_end(line: str) -> None:
    command = f"ulimit -v 4000000; exec {sys.executable} -c 'from levee.cli.main import main; main()' {line.format(file=PIPELINE)}"
    ended = subprocess.run(["/bin/bash", "-c", command], cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert ended.returncode in (1, 2)
    assert b"it is larger than 24 MiB, the most that is read at once" in ended.stderr


def loaded(*modules: str) -> str:
    return f"print(sorted(sys.modules.keys() & {set(modules)!r}))"


def test_help_needs_neither_numpy_nor_a_solver() -> None:
    script = f"import sys; from levee.cli.main import run; run(['-h']); {loaded('numpy', 'highspy', 'rich', 'pydantic', 'yaml')}"
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert ended.stdout.decode().splitlines()[-1] == "[]"


def test_a_plan_needs_no_matplotlib_and_no_compiler() -> None:
    script = f"import sys; from levee.cli.main import run; run(['plan', '-f', {PIPELINE!r}]); {loaded('matplotlib', 'numba', 'scipy')}"
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert ended.stdout.decode().splitlines()[-1] == "[]"


def test_version_is_told() -> None:
    assert process("--version").out == "levee 0.1.0\n"
