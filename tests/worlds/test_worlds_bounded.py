"""A topology whose source has an end: it runs, lets out all it holds, ends by itself, and is not run twice."""

import json
from pathlib import Path

import pytest

from levee.cli.local.start import run_here
from levee.cli.local.streams import order_stop
from levee.cli.main import run as levee
from levee.control.actions import Reason
from levee.plans.ending import Exit
from levee.worlds.local.faults import Fault, Kind
from levee.worlds.local.opening import running
from levee.worlds.local.run import Turn
from levee.worlds.local.table import read_table
from tests.worlds.toy import asked, expected, play, setup

EPOCHS = 30


@pytest.fixture(autouse=True)
def _bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_EPOCHS", str(EPOCHS))


def never(_turn: Turn) -> bool:
    """Until it ends by itself."""
    return False


def rows(place: Path) -> dict[int, list[int]]:
    """By epoch; those of empty ones are left out."""
    files = {int(file.stem): json.loads(file.read_text()) for file in (place / "run" / "out").glob("0*.json")}
    assert sorted(files) == list(range(1, len(files) + 1))
    return {epoch: values for epoch, values in sorted(files.items()) if values}


def all_rows() -> dict[int, list[int]]:
    """`double` closes with the source's first epoch without rows, so `total` does one epoch later."""
    totals = expected(EPOCHS)
    return {epoch: [total] for epoch, total in enumerate(totals, 1)} | {EPOCHS + 2: [-totals[-1]]}


def test_it_completes_and_is_completed_when_it_is_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(asked(tmp_path)) == Exit.OK
    told = capsys.readouterr().out
    assert "Completed: all rows of all sources have been computed" in told
    assert "is completed; the streams stay" in told
    assert rows(tmp_path) == all_rows()
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "run" / "out").iterdir()}
    store = sorted((tmp_path / "store").rglob("epochs/*"))
    assert run_here(asked(tmp_path)) == Exit.OK
    assert "by an earlier run; there is nothing left to do" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "run" / "out").iterdir()} == files
    assert sorted((tmp_path / "store").rglob("epochs/*")) == store
    levee(["status", "--directory", str(tmp_path / "run")])
    shown = capsys.readouterr().out
    assert "tests/toy is completed." in shown
    assert "tests/toy: epoch 0" not in shown
    assert "; completed at 2" in shown


def test_whoever_is_killed_while_it_closes_changes_nothing(tmp_path: Path) -> None:
    faults = [Fault(Kind.KILL_REPLICA, f"total/0/{number}", at_epoch=EPOCHS - 2 + number) for number in (0, 1)]
    with running(setup(tmp_path, *faults, Fault(Kind.KILL_NODE, "double/0", at_epoch=EPOCHS - 5))) as run:
        turns = play(run, never)
    assert turns[-1].decision.reason is Reason.COMPLETED
    assert rows(tmp_path) == all_rows()


def test_an_ordered_stop_before_the_end_is_no_completion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_EPOCHS", "100000")
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: turn.decision.reason is Reason.SETTLED)
        table = read_table(run.folder)
        assert table is not None
        order_stop(run.folder, table)
        assert play(run, never)[-1].decision.reason is Reason.STOPPED
    stopped_at = len(list((tmp_path / "run" / "out").glob("0*.json")))
    monkeypatch.setenv("TOY_EPOCHS", str(stopped_at + 20))
    assert run_here(asked(tmp_path)) == Exit.OK
    assert len(rows(tmp_path)) == stopped_at + 21
