"""What is told of a run that fails, that is late, or that is over."""

import errno
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from levee.cli.local.start import run_here
from levee.cli.main import run as levee
from levee.control.actions import Reason
from levee.control.names import ReplicaName
from levee.control.seen import Observation
from levee.plans.ending import Exit
from levee.worlds.local.faults import Fault, Kind, aim, kill
from levee.worlds.local.folder import Folder
from levee.worlds.local.opening import CannotRun, running
from levee.worlds.local.readiness import Readiness
from levee.worlds.local.rows import rows_of, summary_of
from levee.worlds.local.table import read_table
from tests.control.stage import HEALTHY, LOW, NOW, WANTED
from tests.control.stage import running as replica
from tests.worlds.toy import asked, delivered, epoch_of, expected, play, setup


def test_a_task_that_fails_at_its_first_epoch_ends_a_run_for_a_time_with_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOY_TROUBLE", "epoch 1")
    assert run_here(replace(asked(tmp_path), for_s=4.0)) == Exit.REFUSED
    told = capsys.readouterr().out
    assert "run: cannot begin: double/0" in told
    assert "tests/toy: has failed; the streams stay, and levee run goes on with them once it is mended: double/0" in told
    assert levee(["status", "--directory", str(tmp_path / "run")]) == Exit.REFUSED
    shown = capsys.readouterr().out
    assert "ended after 4 s, as --for said at 2" in shown
    assert shown.count("double/0 failed after epoch") == 1


def test_a_worker_that_was_given_up_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_TROUBLE", "exit")
    with running(setup(tmp_path)) as run:
        run.world.wanted = replace(run.world.wanted, patience=replace(run.world.wanted.patience, restarts=0))
        run.readiness.wanted = run.world.wanted
        turns = play(run, lambda _: bool(run.readiness.stuck))
    assert turns[-1].decision.reason is Reason.WORKER_GIVEN_UP
    assert any("cannot begin" in one.text for turn in turns for one in turn.news)


def test_a_run_that_is_over_is_shown_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(setup(tmp_path)) as run:
        turns = play(run, lambda turn: epoch_of(turn) > 10 and turn.table.ready)
        run.why = "ended by Ctrl-C"
    assert levee(["status", "--directory", str(tmp_path / "run")]) == Exit.REFUSED
    shown = capsys.readouterr().out
    assert "; ended by Ctrl-C at " in shown
    assert "lost" not in shown
    table = read_table(Folder(tmp_path / "run"))
    assert table is not None
    summary = summary_of(table, rows_of(table, table.observe()))
    assert (summary.working, summary.rows_per_s) == (0, 0.0)
    assert summary.epoch >= epoch_of(turns[-1])
    assert "primary" in {row.role for row in rows_of(table, table.observe())}


def test_a_run_that_was_killed_is_shown_as_crashed_with_its_last_epochs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(setup(tmp_path)) as run:
        turns = play(run, lambda turn: epoch_of(turn) > 10)
    folder = Folder(tmp_path / "run")
    document = turns[-1].table.document()
    folder.write(document | {"controller": {"pid": 2**22 + 1, "started": "never"}})
    levee(["status", "--directory", str(folder.path)])
    shown = capsys.readouterr().out
    assert f"tests/toy: epoch {epoch_of(turns[-1])}, lag" in shown
    assert "crashed at 2" in shown
    assert "levee run goes on where its streams ended" in shown


def at(seen: Observation, **epochs: int) -> Observation:
    """Each replica at the epoch that is said of its operator."""
    workers = [
        replace(one, states=tuple(replica(name, epoch=epochs.get(name.partition("/")[0], 100)) for name in one.replicas))
        for one in seen.workers
    ]
    return replace(seen, workers=tuple(workers), configuration=LOW)


def test_a_run_is_not_ready_before_it_has_caught_up_and_stays_so_when_it_is_late_again() -> None:
    readiness = Readiness(WANTED, period_ms=1_000)

    def told(seen: Observation) -> list[str]:
        return [one.text for one in readiness.events(seen, (), NOW)]

    assert told(at(HEALTHY, out=2, vwap=2)) == ["catches up: every planned replica works, 98 epochs behind the sources"]
    assert told(at(HEALTHY, out=60, vwap=60)) == []
    assert told(at(HEALTHY, out=95)) == ["is ready: every planned replica works and has done an epoch"]
    assert told(at(HEALTHY, out=2)) == []
    assert readiness.ready


def test_a_run_whose_task_fails_neither_catches_up_nor_is_ready_while_it_tries_again() -> None:
    readiness = Readiness(WANTED, period_ms=1_000)
    failed = (ReplicaName("vwap/0/0"),)
    assert [one.text for behind in (2, 98) for one in readiness.events(at(HEALTHY, out=behind, vwap=behind), failed, NOW)] == []
    assert [one.text for one in readiness.events(at(HEALTHY, out=99, vwap=99), (), NOW)] == [
        "is ready: every planned replica works and has done an epoch"
    ]


def test_a_stop_says_which_task_has_failed_and_so_never_comes_to_the_last_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOY_TROUBLE", "epoch 20")
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: "double/0" in turn.failing)
        order = Thread(target=levee, args=[["stop", "--directory", str(run.folder.path), "--timeout", "8s"]])
        order.start()
        play(run, lambda _: not order.is_alive())
        order.join()
    told, refused = capsys.readouterr()
    assert re.search(r"stops after epoch \d+; (numbers/0, )?double/0, total/0, out/0 have yet to come there", told)
    assert "double/0 has failed and does not come there as it is: " in told
    assert "has not stopped within 8 s: " in refused and "double/0 has failed" in refused and "levee kill replica double/0/" in refused


def test_tasks_that_failed_before_their_first_epoch_are_told_once() -> None:
    readiness = Readiness(WANTED, period_ms=1_000)
    failed = tuple(ReplicaName(f"vwap/0/{number}") for number in (0, 1))
    assert not [one for one in readiness.events(at(HEALTHY, vwap=5), failed, NOW) if "cannot" in one.text]
    [told] = [one for one in readiness.events(at(HEALTHY, vwap=0), failed, NOW) if "cannot" in one.text]
    assert told.text.startswith("cannot begin: vwap/0 failed before the first epoch")
    assert not [one for one in readiness.events(at(HEALTHY, vwap=0), failed, NOW) if "cannot" in one.text]


def test_a_run_whose_own_disk_is_full_goes_on_and_says_so_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full, write_bytes, write_text = [False], Path.write_bytes, Path.write_text

    def limited(write: Callable[..., int]) -> Callable[..., int]:
        def writes(path: Path, *what: object, **how: object) -> int:
            if full[0] and path.is_relative_to(tmp_path / "run"):
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(path, *what, **how)

        return writes

    monkeypatch.setattr(Path, "write_bytes", limited(write_bytes))
    monkeypatch.setattr(Path, "write_text", limited(write_text))
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: epoch_of(turn) > 5)
        full[0], before = True, run.folder.document.read_bytes()
        kill(aim(Fault(Kind.KILL_REPLICA, "total/0/1"), run.table(), {}))
        turns = [*play(run, lambda turn: epoch_of(turn) > 60)]
        assert run.folder.document.read_bytes() == before
        full[0] = False
        turns += play(run, lambda turn: turn.table.ready and epoch_of(turn) > 90)
    told = [one.text for turn in turns for one in turn.news if "run.json" in one.text]
    assert [one.partition(" ")[0] for one in told] == ["cannot", "writes"]
    assert "No space left on device" in told[0]
    assert delivered(tmp_path) == expected(len(delivered(tmp_path)))
    table = read_table(Folder(tmp_path / "run"))
    assert table is not None
    assert table.ended


@pytest.mark.parametrize(
    ("document", "wrong"),
    [
        ("", "is not what a run writes there"),
        ("{}", "it has no version"),
        ('{"version": 1}', "KeyError"),
        ('{"version": 99}', "is of version 99"),
    ],
)
def test_a_document_that_cannot_be_read_is_refused_and_begins_no_new_streams(
    tmp_path: Path, document: str, wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    again = setup(tmp_path)
    again.folder.path.mkdir()
    again.folder.document.write_text(document)
    with pytest.raises(CannotRun, match=wrong) as refused, running(again):
        pass
    assert "name another --directory" in refused.value.complaints[0].fix
    assert levee(["status", "--directory", str(again.folder.path)]) == Exit.REFUSED
    told = capsys.readouterr().err
    assert wrong in told
    assert "internal error" not in told
    assert again.folder.document.read_text() == document


def test_a_run_that_cannot_write_where_it_begins_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again = setup(tmp_path)

    def refuses(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Folder, "write", refuses)
    with pytest.raises(CannotRun, match="No space left on device"), running(again):
        pass
