"""The steps of a fault, in their order, and what becomes of it when one of them fails."""

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from levee.control.names import ReplicaName, WorkerName
from levee.topology.names import NodeName
from levee.worlds.local.faults import Hit
from levee.worlds.local.folder import Folder
from levee.worlds.local.processes import Process
from levee_chaos import actions, deadman, inflicting
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault, Kind, Whom
from levee_chaos.journal import Step
from levee_chaos.keeping import Keeping
from levee_chaos.refusals import NoEffect, Refused
from levee_chaos.worlds import local
from levee_chaos.worlds.local import Target

A, WORKER = ReplicaName("vwap/0/0"), Process(2**22 + 1, "7")
AIMED = Aimed("node-1-0 on node-1 with vwap/0/0", A, NodeName("node-1"), (WorkerName("node-1-0"),), (A,))
TARGET = Target(Hit("", (A,), (WORKER,)), (WORKER,))
PAUSE = Fault(Kind.PAUSE_REPLICA, Whom(replica=A), for_ms=60_000)


class Stage:
    """A world without processes: it notes what is done to whom, and in which state the journal was then."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.keeping = Keeping(place)
        self.acts: list[tuple[str, list[Step]]] = []
        self.left: list[Process] = []  # on whom there is no effect
        run = SimpleNamespace(folder=Folder(place))
        monkeypatch.setattr(inflicting, "EFFECT_S", 0.0)
        monkeypatch.setattr(inflicting, "aimed_at", lambda *_: (run, AIMED))
        monkeypatch.setattr(inflicting, "find", lambda *_: run)
        monkeypatch.setattr(deadman, "ensure", self.noting("guard"))
        monkeypatch.setattr(local, "target_of", lambda *_: TARGET)
        monkeypatch.setattr(local, "do", self.noting("do"))
        monkeypatch.setattr(local, "undo", self.noting("undo"))
        monkeypatch.setattr(local, "lacking", lambda *_: self.left)

    def noting(self, what: str) -> Callable[..., None]:
        return lambda *_: self.acts.append((what, [line.step for line in self.keeping.lines()]))


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(tmp_path, monkeypatch)


def steps(stage: Stage) -> list[Step]:
    return [line.step for line in stage.keeping.lines()]


def test_somebody_watches_and_it_is_written_down_before_it_is_done(stage: Stage) -> None:
    found = inflicting.inflict(PAUSE, "")
    assert stage.acts == [("guard", []), ("do", [Step.BEGUN])]
    assert steps(stage) == [Step.BEGUN, Step.DONE]
    assert found.document() == {
        "fault": "pause replica",
        "met": "node-1-0 on node-1 with vwap/0/0",
        "name": f"pause replica {WORKER.pid}@7",
        "stoodAlready": False,
    }
    assert list(stage.keeping.standing()) == [found.entry.name]


def test_what_has_no_effect_is_undone_and_fails(stage: Stage) -> None:
    stage.left = [WORKER]
    with pytest.raises(NoEffect, match=f"no effect on processes {WORKER.pid}; what was done is undone"):
        inflicting.inflict(PAUSE, "")
    assert [what for what, _ in stage.acts][-1] == "undo"
    assert steps(stage) == [Step.BEGUN, Step.FAILED]
    assert stage.keeping.standing() == {}


def test_without_a_dead_man_nothing_is_done(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise deadman.NotThere("it did not start: no more processes")

    monkeypatch.setattr(deadman, "ensure", refuses)
    with pytest.raises(Refused, match="no more processes"):
        inflicting.inflict(PAUSE, "")
    assert (stage.acts, steps(stage)) == ([], [])


def test_a_process_of_somebody_else_is_refused_and_nothing_is_done(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbids(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbids)
    with pytest.raises(Refused, match="belongs to another user"):
        inflicting.inflict(PAUSE, "")
    assert (stage.acts, steps(stage)) == ([], [])


def test_done_twice_is_once_and_undone_twice_is_once(stage: Stage) -> None:
    first, again = inflicting.inflict(PAUSE, ""), inflicting.inflict(PAUSE, "")
    assert (first.anew, again.anew) == (True, False)
    assert steps(stage).count(Step.BEGUN) == 1
    assert inflicting.undo_all(Folder(stage.keeping.folder)) == ["pause replica: node-1-0 on node-1 with vwap/0/0"]
    assert inflicting.undo_all(Folder(stage.keeping.folder)) == []
    assert [what for what, _ in stage.acts].count("undo") == 1


def test_what_another_living_experiment_has_done_is_left_alone(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    inflicting.inflict(PAUSE, "")
    monkeypatch.setattr(inflicting, "myself", lambda: Process(1, "another"))
    assert inflicting.undo_all(Folder(stage.keeping.folder)) == []


def test_where_there_was_no_experiment_there_is_nothing_to_undo(tmp_path: Path) -> None:
    assert inflicting.undo_all(Folder(tmp_path)) == []


def test_what_is_given_as_text_is_a_number_where_it_can_be() -> None:
    assert actions.ms_in("2.5") == 2_500  # type: ignore[arg-type]  # as `--var for_s=2.5` has it
    with pytest.raises(Refused, match=r"'soon' is no number[\s\S]*--var for_s:float=5"):
        actions.ms_in("soon")  # type: ignore[arg-type]
