"""The rows of the planning bench: kept through interruptions, never of other code, never measured by two runs at once."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.planning import completeness, fidelity, store
from benchmarks.planning.run import PAGES, run
from benchmarks.planning.runner import measure
from benchmarks.planning.store import Row, Store, code_of, set_aside

ROOT = Path(__file__).parents[2]
TAKEN: list[int] = []


def take(number: int) -> Row:
    TAKEN.append(number)
    return {"square": number * number}


@pytest.fixture(autouse=True)
def nothing_taken() -> None:
    TAKEN.clear()


def measured(folder: Path, *numbers: int) -> list[int]:
    """What was measured for it."""
    TAKEN.clear()
    rows = measure("squares", folder, [(number,) for number in numbers], take, 1)
    assert [row["square"] for row in rows] == [number * number for number in numbers]
    return [*TAKEN]


def test_what_is_known_is_not_measured_again(tmp_path: Path) -> None:
    assert measured(tmp_path, 1, 2) == [1, 2]
    assert measured(tmp_path, 1, 2, 3) == [3]


def test_rows_of_other_code_are_kept_but_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured(tmp_path, 1, 2)
    monkeypatch.setattr("benchmarks.planning.runner.code_of", lambda _: "other")
    assert measured(tmp_path, 1, 2) == [1, 2]
    assert "0 known, 2 of other code" in capsys.readouterr().err
    monkeypatch.undo()
    assert measured(tmp_path, 1, 2) == []


def test_a_torn_line_is_measured_again_and_spoils_no_other(tmp_path: Path) -> None:
    measured(tmp_path, 1, 2)
    file = tmp_path / "squares.jsonl"
    file.write_bytes(file.read_bytes()[:-9])
    assert measured(tmp_path, 1, 2, 3) == [2, 3]
    assert measured(tmp_path, 1, 2, 3) == []


def test_the_code_of_a_row_is_that_of_the_planners_and_of_what_measures_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "solver.py").write_text("def solve():\n    return 1\n")
    monkeypatch.setattr("levee.planning.__path__", [str(tmp_path)])

    def now() -> str:
        code_of.cache_clear()
        return code_of(completeness.row)

    first = now()
    assert (now(), first == code_of(fidelity.row)) == (first, False)
    (tmp_path / "solver.py").write_text("def solve():  # a remark\n    return (1)\n")
    assert now() == first
    (tmp_path / "solver.py").write_text("def solve():\n    return 2\n")
    second = now()
    assert second != first
    monkeypatch.setattr(store, "version", lambda _: "99")
    assert now() not in (first, second)
    code_of.cache_clear()


def test_rows_that_do_not_say_their_code_are_set_aside_and_never_lost(tmp_path: Path) -> None:
    folder = tmp_path / "planning-full-1"
    assert set_aside(folder) is None
    for number in range(2):
        folder.mkdir()
        (folder / "exact.jsonl").write_text(json.dumps(["[1]", {"number": number}]) + "\n")
        aside = set_aside(folder)
        assert aside is not None and not folder.exists()
        assert json.loads((aside / "exact.jsonl").read_text())[1] == {"number": number}
    assert len([*tmp_path.iterdir()]) == 2
    measured(folder, 1)
    assert set_aside(folder) is None


@contextmanager
def bench(folder: Path, seconds: float, jobs: int) -> Iterator[subprocess.Popen[bytes]]:
    """One that has measured its first."""
    command = [sys.executable, "-m", "tests.benchmarks.toy_bench", str(folder), str(seconds), str(jobs)]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        while not (folder / "slow.jsonl").exists() or not (folder / "slow.jsonl").read_text():
            assert running.poll() is None
            time.sleep(0.02)
        yield running
    finally:
        running.kill()
        running.communicate()


def test_two_runs_do_not_measure_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with bench(tmp_path / "planning-quick-2026", 60, 1):
        assert run(["--quick", "--data", str(tmp_path), "--page", str(tmp_path / "page.md")]) == 1
    assert "another run is measuring into" in capsys.readouterr().err
    with store.locked(tmp_path / "planning-quick-2026"):  # It ended without unlocking anything.
        assert not (tmp_path / "page.md").exists()


def test_ctrl_c_waits_for_no_measurement_and_keeps_those_that_are_done(tmp_path: Path) -> None:
    with bench(tmp_path / "rows", 600, 2) as running:
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert b"KeyboardInterrupt" in err  # of the toy; nothing of its workers
    assert b"Process" not in err
    assert Store(tmp_path / "rows" / "slow.jsonl", "none").read() == ({}, 1)


def test_the_bench_tells_ctrl_c_without_a_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.planning", "--quick", "--jobs", "1", "--data", str(tmp_path)]
    running = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
    assert running.stderr is not None
    assert running.stderr.readline().startswith(b"exact: 60 measurements, 0 known")
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"interrupted; what was measured is kept" in err
    assert b"Traceback" not in err


def test_a_quick_run_replaces_no_published_page() -> None:
    assert PAGES["full"] == Path("docs/results/planning.md")
    assert PAGES["quick"].parts[0] == "build"
    assert "build/" in (ROOT / ".gitignore").read_text()


def test_who_is_added_to_the_optimisers_is_in_every_table_and_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.planning import figures, report_completeness, report_fidelity
    from benchmarks.planning.settings import RATIOS
    from levee.planning.generate.topologies import SETTINGS

    mine = replace(completeness.OPTIMISERS["exact"], label="my own")
    monkeypatch.setitem(completeness.OPTIMISERS, "mine", mine)
    found = completeness.row("mine", 1, 0, 0.5, 5.0, 1)
    assert found["verified"]
    assert "my own, CPU time" in report_completeness.speed({"mine": [found]})
    assert "my own, 0.5" in report_completeness.classes({"mine": [found]})
    assert figures.outcomes({"exact": [found], "mine": [found]}, "x.svg") != figures.outcomes({"exact": [found]}, "x.svg")

    monkeypatch.setitem(fidelity.SOLVERS, "mine", fidelity.SOLVERS["greedy"])
    one = fidelity.row(1, SETTINGS[0].name, 0, RATIOS[0], 5.0)
    rows = [one | {"setting": setting.name, "ratio": ratio} for setting in SETTINGS for ratio in RATIOS]
    assert "| mine |" in report_fidelity.quality(rows).splitlines()[0]
    assert figures.panels(rows, "x.svg")
