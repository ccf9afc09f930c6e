"""One look of the dead man's at a time; as a process of its own it is in test_chaos_experiments."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from levee.worlds.local import processes
from levee.worlds.local.processes import Process
from levee_chaos import deadman
from levee_chaos.fault import Kind
from levee_chaos.journal import Entry, Step, Undo
from levee_chaos.keeping import Keeping, now_ms
from levee_chaos.refusals import NotUndone
from levee_chaos.worlds import finding, local

GONE = Process(2**22 + 1, "never")
HOUR_MS = 3_600_000


def me() -> Process:
    found = processes.identify(os.getpid())
    assert found is not None
    return found


def pause(by: Process, until_ms: int) -> Entry:
    return Entry(
        f"pause replica of {by.pid}",
        Kind.PAUSE_REPLICA,
        "node-1-0",
        by,
        Undo("local", "go on", {"processes": [[GONE.pid, GONE.started]]}),
        until_ms,
    )


@pytest.fixture
def acts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Undo]]:
    found: list[tuple[str, Undo]] = []
    monkeypatch.setattr(finding, "undo", lambda what: found.append(("undo", what)))
    monkeypatch.setattr(local, "stop", lambda what: found.append(("stop", what)))
    return found


def kept(place: Path, *entries: Entry) -> Keeping:
    keeping = Keeping(place)
    keeping.place.mkdir()
    for entry in entries:
        keeping.begin(entry)
    return keeping


def test_what_is_not_over_stands(tmp_path: Path, acts: list[tuple[str, Undo]]) -> None:
    keeping = kept(tmp_path, pause(me(), now_ms() + HOUR_MS))
    assert deadman.turn(keeping, me(), {}) == []
    assert acts == []
    assert len(keeping.standing()) == 1


def test_what_is_over_is_undone_once(tmp_path: Path, acts: list[tuple[str, Undo]]) -> None:
    keeping = kept(tmp_path, pause(me(), now_ms() - 1))
    deadman.turn(keeping, me(), {})
    deadman.turn(keeping, me(), {})
    assert [what for what, _ in acts] == ["undo"]
    assert [line.why for line in keeping.lines() if line.step is Step.UNDONE] == ["its time is over"]


def test_what_an_experiment_that_is_gone_has_left_is_undone_and_nobody_elses(tmp_path: Path, acts: list[tuple[str, Undo]]) -> None:
    keeping = kept(tmp_path, pause(GONE, now_ms() + HOUR_MS), pause(me(), now_ms() + HOUR_MS))
    deadman.watch(keeping, GONE)  # ends: there is nothing left of its experiment
    assert [what for what, _ in acts] == ["undo"]
    assert [entry.by for entry in keeping.standing().values()] == [me()]


def test_what_cannot_be_undone_now_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([NotUndone("nobody answers"), None])

    def undo(_what: Undo) -> None:
        if (wrong := next(answers)) is not None:
            raise wrong

    monkeypatch.setattr(finding, "undo", undo)
    keeping, again_ms = kept(tmp_path, pause(me(), now_ms() - 1)), dict[str, int]()
    deadman.turn(keeping, me(), again_ms)
    deadman.turn(keeping, me(), again_ms)  # not at once
    [(name, at_ms)] = again_ms.items()
    assert list(keeping.standing()) == [name]
    assert at_ms > now_ms()
    deadman.turn(keeping, me(), {name: 0})
    assert keeping.standing() == {}


def test_who_is_slowed_is_stopped_at_each_look_until_it_is_undone(tmp_path: Path, acts: list[tuple[str, Undo]]) -> None:
    slow = replace(pause(me(), now_ms() + HOUR_MS), kind=Kind.SLOW_REPLICA, share=0.5)
    keeping = kept(tmp_path, slow)
    assert deadman.turn(keeping, me(), {}) == [slow]
    keeping.say(Step.UNDONE, slow)
    assert deadman.turn(keeping, me(), {}) == []
    assert [what for what, _ in acts] == ["stop"]


def test_with_the_folder_of_the_run_the_dead_man_goes(tmp_path: Path) -> None:
    deadman.watch(Keeping(tmp_path), me())
    assert not list(tmp_path.iterdir())
