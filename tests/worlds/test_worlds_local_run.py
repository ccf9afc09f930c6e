"""A topology on this machine: real processes, real roles of the epoch log, numbers instead of Spark."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from levee.cli.local.start import run_here
from levee.cli.local.streams import order_stop
from levee.cli.main import run as levee
from levee.control.actions import Reason
from levee.control.events import primary_of
from levee.plans.ending import Exit, Refused
from levee.worlds.local import lasting, processes, revivals
from levee.worlds.local.faults import Fault, Kind, aim, kill
from levee.worlds.local.folder import Folder
from levee.worlds.local.opening import CannotRun, Setup, check_free, running
from levee.worlds.local.rows import rows_of
from levee.worlds.local.run import Turn
from levee.worlds.local.table import RunTable, WorkerEntry, read_table
from levee_spark.spark import java
from tests.worlds.toy import asked, delivered, epoch_of, expected, play, setup, toy

PATIENCE_S = 60.0  # for something that must happen; no test is about how long it takes


def eventually(holds: Callable[[], bool]) -> bool:
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        if holds():
            return True
        time.sleep(0.05)
    return False


def processes_of(table: RunTable) -> list[processes.Process]:
    found = [*(entry.process for entry in table.nodes), *(entry.process for entry in table.workers)]
    there = [process for process in found if process is not None]
    assert there
    return there


def decided(turns: list[Turn]) -> set[Reason]:
    return {turn.decision.reason for turn in turns}


def living(turn: Turn) -> list[WorkerEntry]:
    return [worker for worker in turn.table.workers if worker.process is not None]


def test_a_killed_replica_and_a_killed_node_cost_no_row_and_double_none(tmp_path: Path) -> None:
    faults = (Fault(Kind.KILL_REPLICA, "total/0", at_epoch=20), Fault(Kind.KILL_NODE, "double/0", at_epoch=60))
    with running(setup(tmp_path, *faults)) as run:
        turns = list(play(run, lambda turn: len(turn.inflicted) == 2 and turn.decision.reason is Reason.SETTLED and epoch_of(turn) > 100))
        started = processes_of(turns[-1].table)
    assert {Reason.WORKER_LOST, Reason.NODE_LOST, Reason.SURVIVORS_LEAD} <= decided(turns)
    assert delivered(tmp_path) == expected(len(delivered(tmp_path)))
    assert not any(map(processes.lives, started))
    by_node = {row.node for row in rows_of(turns[-1].table, turns[-1].seen)}
    assert len(by_node) == 2


def test_a_node_that_comes_back_has_its_replicas_again_and_costs_no_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ("--directory", str(tmp_path / "run"))
    with running(setup(tmp_path, Fault(Kind.KILL_NODE, "double/0", at_epoch=20))) as run:
        play(run, lambda turn: turn.decision.reason is Reason.NODE_LOST)
        [dead] = [one.node for one in run.table().nodes if not one.alive]
        assert levee(["revive", "node-7", *place]) == Exit.USAGE
        assert "there is no node 'node-7'" in capsys.readouterr().err
        play(run, lambda turn: turn.table.ready)
        revivals.ask(run.folder, dead)
        turns = play(run, lambda turn: turn.decision.reason is Reason.SETTLED and len(living(turn)) == 3)
        assert levee(["revive", dead, *place]) == Exit.REFUSED
        assert f"{dead} lives" in capsys.readouterr().err
    assert {worker.node for worker in living(turns[-1])} == {"node-1", "node-2", "node-3"}
    assert Reason.HOME_AGAIN in decided(list(turns))
    assert any(one.text == "is back" for turn in turns for one in turn.news)
    assert delivered(tmp_path) == expected(len(delivered(tmp_path)))


def test_a_run_without_any_node_waits_until_one_is_back(tmp_path: Path) -> None:
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: epoch_of(turn) > 10 and turn.table.ready)
        for node in run.table().nodes:
            kill(aim(Fault(Kind.KILL_NODE, node.node), run.table(), {}))
        turns = list(play(run, lambda turn: not any(one.alive for one in turn.seen.nodes)))
        turns += [turn for turn, _ in zip(run.turns(), range(4), strict=False)]
        assert turns[-1].failing
        told = [one.text for turn in turns for one in turn.news if one.subject == Reason.NO_NODE_LEFT]
        assert told == ["no node is left to run on: it goes on when one is back"]
        standing = epoch_of(turns[-1])
        for node in run.table().nodes:
            revivals.ask(run.folder, node.node)
        play(run, lambda turn: epoch_of(turn) > standing + 20 and turn.table.ready)
    assert delivered(tmp_path) == expected(len(delivered(tmp_path)))


def test_a_store_that_cannot_be_written_is_told_and_the_run_goes_on_when_it_is_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, away = tmp_path / "store", tmp_path / "away"
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: epoch_of(turn) > 10)
        store.rename(away)
        turns = play(run, lambda turn: turn.table.reason == "StoreSilent")
        assert not turns[-1].table.ready
        assert levee(["status", "--directory", str(tmp_path / "run")]) == Exit.OK
        assert "StoreSilent: Overwrite" in capsys.readouterr().out
        standing = epoch_of(turns[-1])
        away.rename(store)
        turns = play(run, lambda turn: epoch_of(turn) > standing + 20 and turn.table.reason == "Settled")
    assert any(one.text == "serves again" for turn in turns for one in turn.news)
    assert delivered(tmp_path) == expected(len(delivered(tmp_path)))


def test_while_the_store_is_away_a_killed_worker_is_started_again_and_nothing_is_told_that_was_not_done(tmp_path: Path) -> None:
    store, away = tmp_path / "store", tmp_path / "away"
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: epoch_of(turn) > 10 and turn.table.ready)
        store.rename(away)
        turns = list(play(run, lambda turn: turn.seen.silent))
        kill(aim(Fault(Kind.KILL_REPLICA, "total/0"), run.table(), primary_of(turns[-1].seen)))
        turns += play(run, lambda turn: turn.decision.reason is Reason.WORKER_LOST and len(living(turn)) == 3)
        lead = [one for turn in turns for one in turn.news if one.subject == Reason.SURVIVORS_LEAD]
        assert not lead
        assert not store.exists()  # nobody has begun another
        standing = epoch_of(turns[-1])
        away.rename(store)
        turns = [*play(run, lambda turn: epoch_of(turn) > standing + 20 and turn.table.ready)]
    assert any(one.subject == Reason.SURVIVORS_LEAD for turn in turns for one in turn.news)
    assert delivered(tmp_path) == expected(len(delivered(tmp_path)))


def test_a_primary_that_slept_and_a_task_that_lost_both_replicas_change_no_epoch(tmp_path: Path) -> None:
    asleep = Fault(Kind.PAUSE_REPLICA, "total/0", at_epoch=20, for_ms=1_500)
    both = [Fault(Kind.KILL_REPLICA, f"double/0/{number}", at_epoch=70) for number in (0, 1)]
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "rate").write_text("55")
    with running(setup(tmp_path, asleep, *both)) as run:

        def is_well(turn: Turn) -> bool:
            struck = max((one.epoch for one in turn.inflicted), default=0)
            return len(turn.inflicted) == 3 and epoch_of(turn) > struck + 20 and turn.table.configuration == "peak"

        turns = play(run, is_well)
    assert delivered(tmp_path) == expected(len(delivered(tmp_path)))
    assert any("is paused" in one.text for turn in turns for one in turn.news)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_run_that_is_ended_by_a_signal_leaves_nothing_behind_and_the_next_one_goes_on(number: signal.Signals, tmp_path: Path) -> None:
    first = subprocess.Popen([sys.executable, "-m", "tests.worlds.toy_run", str(tmp_path)], stdout=subprocess.DEVNULL)
    folder = Folder(tmp_path / "run")
    try:
        assert eventually(lambda: len(list((tmp_path / "run" / "out").glob("0*.json"))) > 20)
        table = read_table(folder)
        assert table is not None
        started = processes_of(table)
    finally:
        first.send_signal(number)
        first.wait()
    assert eventually(lambda: not any(map(processes.lives, started)))
    before = len(delivered(tmp_path))
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: epoch_of(turn) > before + 20)
        after = read_table(folder)
        assert after is not None
        assert after.uid == table.uid
        order_stop(folder, after)
        turns = list(play(run, lambda _: False))
    assert turns[-1].decision.reason is Reason.STOPPED
    assert delivered(tmp_path) == expected(len(delivered(tmp_path)))
    assert turns[-1].decision.text == f"every task has reached epoch {len(delivered(tmp_path))}, the last"


@pytest.mark.parametrize("earlier", [False, True], ids=["at its first start", "going on"])
def test_a_stop_that_is_ordered_before_the_sources_have_begun_is_come_to(earlier: bool, tmp_path: Path) -> None:
    if earlier:
        with running(setup(tmp_path)) as run:
            play(run, lambda turn: epoch_of(turn) > 5)
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: turn.seen.opened)
        order_stop(run.folder, run.table())
        last = play(run, lambda turn: turn.decision.reason is Reason.STOPPED)[-1]
    before = len(delivered(tmp_path))
    assert last.seen.stop_epoch == before
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: epoch_of(turn) > before + 5)
    assert delivered(tmp_path) == expected(len(delivered(tmp_path)))


def test_a_worker_that_cannot_start_is_given_up_and_its_last_words_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_TROUBLE", "exit")
    with running(setup(tmp_path)) as run:
        turns = list(play(run, lambda turn: any("ended (" in one.text for one in turn.news)))
    [*_, told] = [one for turn in turns for one in turn.news if "ended (" in one.text]
    assert "with exit code 1" in told.text
    assert told.text.endswith("the toy cannot start")


def test_two_runs_in_one_folder_are_refused(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "run")
    with folder.held(), pytest.raises(CannotRun, match="somebody else runs tests/toy") as refused, running(setup(tmp_path)):
        pass
    [told] = refused.value.complaints
    assert told.fix.startswith("to edit it, end that run (levee stop, or Ctrl-C) and then run this")
    assert "another --directory begins new streams" in told.fix


def test_who_runs_in_a_folder_is_named_also_to_another_topology(tmp_path: Path) -> None:
    with running(setup(tmp_path)), pytest.raises(CannotRun, match="somebody else runs tests/toy in"):
        check_free(replace(setup(tmp_path), topology="tests/other"))


def test_a_run_without_java_is_refused_before_anything_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Path:
        raise java.NoJava("no Java of version 17 or newer was found")

    monkeypatch.setattr(java, "find", none)
    with pytest.raises(Refused) as refused:
        run_here(asked(tmp_path))
    assert "Java: no Java of version 17 or newer was found" in refused.value.text
    assert not (tmp_path / "run").exists()


def test_that_it_runs_already_is_told_before_a_port_that_is_taken(tmp_path: Path) -> None:
    ask = asked(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        paged = replace(ask, page_port=taken.getsockname()[1])
        with Folder(tmp_path / "run").held(), pytest.raises(Refused) as refused:
            run_here(paged)
        assert "somebody else runs tests/toy" in refused.value.text
        with pytest.raises(Refused, match="it cannot run") as refused:
            run_here(paged)
    assert "cannot be listened on" in refused.value.text


@pytest.mark.parametrize("change", ["named", "removed"])
def test_streams_never_begin_anew_under_the_name_of_earlier_ones(tmp_path: Path, change: str) -> None:
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: epoch_of(turn) > 5)
    done, again = len(delivered(tmp_path)), setup(tmp_path)
    if change == "named":
        again = edited(again, "/store", "/other")
    else:
        shutil.rmtree(tmp_path / "store")
    said = "streams and checkpoints are kept there" if change == "named" else "was emptied or removed"
    for _ in range(2):  # the refusal forgets nothing
        with pytest.raises(CannotRun, match=said) as refused, running(again):
            pass
        assert "name another --directory" in refused.value.complaints[0].fix
    assert len(delivered(tmp_path)) == done
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("was", "now", "where"),
    [
        ("period: 50ms", "period: 100ms", "spec.epoch.period"),
        ("period: 50ms", "period: 50ms, retention: 2h", "spec.epoch.retention"),
        ("period: 50ms, hold: 30ms", "period: 50ms, hold: 20ms, maxRows: 7, backlog: 20", ""),
    ],
)
def test_what_lasts_as_long_as_the_streams_is_refused_as_on_a_cluster(tmp_path: Path, was: str, now: str, where: str) -> None:
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: turn.table.record is not None)
    [earlier] = [one for one in [read_table(Folder(tmp_path / "run"))] if one is not None]
    found = list(lasting.of_resource(Folder(tmp_path / "run"), earlier, edited(setup(tmp_path), was, now).resource, earlier.store))
    assert [one.where for one in found] == ([where] if where else [])
    if where:
        assert found[0].wrong.startswith("cannot be changed: ")
        with pytest.raises(CannotRun, match="cannot be changed"), running(edited(setup(tmp_path), was, now)):
            pass


def edited(setup: Setup, was: str, now: str) -> Setup:
    assert was.encode() in setup.resource
    return replace(setup, resource=setup.resource.replace(was.encode(), now.encode()), store=setup.store.replace(was, now))


def test_a_number_that_another_process_has_by_now_is_never_signalled() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        real = processes.identify(child.pid)
        assert real is not None
        mistaken = processes.Process(real.pid, f"{real.started}0")
        assert not processes.lives(mistaken)
        assert not processes.send(mistaken, signal.SIGKILL)
        assert processes.lives(real)
    finally:
        child.kill()
        child.wait()
    assert processes.identify(child.pid) is None


def test_a_family_has_its_grandchildren() -> None:
    nested = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", nested])
    real = processes.identify(child.pid)
    assert real is not None
    try:
        assert eventually(lambda: len(processes.family(real)) == 2)
        family = processes.family(real)
    finally:
        processes.send_family(real, signal.SIGKILL)
        child.wait()
    assert eventually(lambda: not any(map(processes.lives, family)))
    assert os.getpid() not in {one.pid for one in family}


def test_commands_find_the_run_and_what_it_has_committed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ("--directory", str(tmp_path / "run"))
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: epoch_of(turn) > 10)
        assert levee(["status", *place]) == Exit.OK
        assert "tests/toy: epoch" in capsys.readouterr().out
        assert levee(["tail", "total", "--from", "1", "-n", "1", *place]) == Exit.OK
        assert capsys.readouterr().out.startswith('{"_epoch": 1, "_task": "total/0", "value": 66}\n{"_epoch": 2,')
        assert levee(["kill", "replica", "nobody/0", *place]) == Exit.REFUSED
        assert "no living worker has a replica 'nobody/0'" in capsys.readouterr().err
        assert levee(["kill", "replica", "totl/0/1", *place]) == Exit.REFUSED
        assert "Fix: use 'total/0/1'." in capsys.readouterr().err
    assert levee(["stop", *place]) == Exit.REFUSED
    assert "does not run now" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("was", "now", "wrong"),
    [
        ("spec:", "spec:\n  suspend: true", "spec.suspend: is true, so nothing is to run"),
        ("cost: 1us", "cost: 1s", "even one replica of every task is too much"),
    ],
)
def test_what_cannot_run_as_it_is_planned_is_refused_before_anything_starts(
    was: str, now: str, wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "toy.yaml"
    file.write_text(toy((tmp_path / "store").as_uri()).replace(was, now))
    assert levee(["run", "-f", str(file), "--directory", str(tmp_path / "run")]) == Exit.REFUSED
    assert wrong in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
