"""The steps of a fault, in their order, and what becomes of it when one of them fails."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from levee.control.names import ReplicaName, WorkerName
from levee.topology.complaint import Complaint
from levee.topology.names import NodeName
from levee.worlds.local.faults import Hit
from levee.worlds.local.processes import Process
from levee_chaos import deadman, inflicting, limits, telling
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault, Kind, Whom
from levee_chaos.journal import Step, Undo
from levee_chaos.keeping import Keeping
from levee_chaos.refusals import NoEffect, NotUndone, Refused
from levee_chaos.worlds import finding, kubernetes, local
from levee_chaos.worlds.local.signals import Pause
from levee_chaos.worlds.world import Where

A, WORKER = ReplicaName("vwap/0/0"), Process(2**22 + 1, "7")
AIMED = Aimed("node-1-0 on node-1 with vwap/0/0", A, (NodeName("node-1"),), (WorkerName("node-1-0"),), (A,))
PAUSE = Fault(Kind.PAUSE_REPLICA, Whom(replica=A), for_ms=60_000)


UNDO = Undo("fake", "go on", {})


@dataclass
class FakeDeed:
    """It notes what is done, and in which state the journal was then."""

    note: Callable[[str], None]
    left: list[str] = field(default_factory=list)  # on whom there is no effect
    lacks: list[Complaint] = field(default_factory=list)
    name: str = "pause replica 7"
    undo: Undo | None = UNDO
    share: float = 0.0
    patience_s: float = 0.0

    def without_means(self) -> list[Complaint]:
        return self.lacks

    def do(self) -> None:
        self.note("do")

    def lacking(self) -> Sequence[str]:
        return self.left


class Stage:
    """A world of one deed."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.topology, self.is_shared = place, "shop/clicks", False
        self.keeping = Keeping(place)
        self.acts: list[tuple[str, list[Step]]] = []
        self.deed_of = FakeDeed(self.note)
        monkeypatch.setattr(inflicting, "aimed_at", lambda *_: (self, AIMED))
        monkeypatch.setattr(finding, "undo", lambda _: self.note("undo"))
        monkeypatch.setattr(deadman, "ensure", lambda *_: self.note("guard"))

    def deed(self, _fault: Fault, _aimed: Aimed) -> FakeDeed:
        return self.deed_of

    def note(self, what: str) -> None:
        self.acts.append((what, [line.step for line in self.keeping.lines()]))


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(tmp_path, monkeypatch)


def steps(stage: Stage) -> list[Step]:
    return [line.step for line in stage.keeping.lines()]


def test_somebody_watches_and_it_is_written_down_before_it_is_done(stage: Stage) -> None:
    found = inflicting.inflict(PAUSE, Where())
    assert stage.acts == [("guard", []), ("do", [Step.BEGUN])]
    assert steps(stage) == [Step.BEGUN, Step.DONE]
    assert found.document() == {
        "fault": "pause replica",
        "met": "node-1-0 on node-1 with vwap/0/0",
        "name": "pause replica 7",
        "stoodAlready": False,
    }
    assert list(stage.keeping.standing()) == [found.entry.name]


def test_a_fault_that_is_slow_to_begin_lasts_as_long_as_was_said(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([1_000, 31_000])
    monkeypatch.setattr(inflicting, "now_ms", lambda: next(now))
    stage.deed_of.patience_s = 90.0
    inflicting.inflict(PAUSE, Where())
    assert [line.entry.until_ms for line in stage.keeping.lines() if line.entry] == [1_000 + 90_000 + 60_000, 31_000 + 60_000]


def test_what_has_no_effect_is_undone_and_fails(stage: Stage) -> None:
    stage.deed_of.left = ["process 7"]
    with pytest.raises(NoEffect, match="no effect on process 7; what was done is undone"):
        inflicting.inflict(PAUSE, Where())
    assert [what for what, _ in stage.acts][-1] == "undo"
    assert steps(stage) == [Step.BEGUN, Step.FAILED]
    assert stage.keeping.standing() == {}


def test_without_a_dead_man_nothing_is_done(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise deadman.NotThere("it did not start: no more processes")

    monkeypatch.setattr(deadman, "ensure", refuses)
    with pytest.raises(Refused, match="no more processes"):
        inflicting.inflict(PAUSE, Where())
    assert (stage.acts, steps(stage)) == ([], [])


def test_without_the_means_nothing_is_done(stage: Stage) -> None:
    stage.deed_of.lacks = [Complaint("process 7", "belongs to another user", "run it as that user")]
    with pytest.raises(Refused, match="belongs to another user"):
        inflicting.inflict(PAUSE, Where())
    assert (stage.acts, steps(stage)) == ([], [])


def test_a_process_of_somebody_else_may_not_be_signalled(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbids(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbids)
    [complaint] = Pause(Kind.PAUSE_REPLICA, (Hit("", (A,), (WORKER,)),), (WORKER,), None).without_means()
    assert (complaint.where, complaint.wrong) == (f"process {WORKER.pid}", "belongs to another user, and may not be signalled")


def test_what_cannot_be_undone_now_stands_and_is_told(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: Undo) -> None:
        raise NotUndone("the API server does not answer")

    inflicting.inflict(PAUSE, Where())
    monkeypatch.setattr(finding, "undo", fails)
    with pytest.raises(Refused, match="does not answer"):
        inflicting.undo_all(stage.keeping)
    assert len(stage.keeping.standing()) == 1


def test_a_namespace_that_is_not_named_is_not_touched(stage: Stage) -> None:
    with limits.limited(["other"]), pytest.raises(Refused, match=r"shop/clicks is in none of those that are named: other[\s\S]*add shop"):
        inflicting.inflict(PAUSE, Where())
    stage.is_shared = True
    with pytest.raises(Refused, match="none is named, and on a cluster at least one must be"):
        inflicting.inflict(PAUSE, Where())
    assert (stage.acts, steps(stage)) == ([], [])
    with limits.limited(["shop"]):
        inflicting.inflict(PAUSE, Where())
    assert ("do", [Step.BEGUN]) in stage.acts


def test_a_rehearsal_checks_and_does_nothing(stage: Stage) -> None:
    with inflicting.rehearsal():
        assert inflicting.inflict(PAUSE, Where()).entry.what == AIMED.what
        stage.deed_of.lacks = [Complaint("rights", "you may not", "ask")]
        with pytest.raises(Refused, match="you may not"):
            inflicting.inflict(PAUSE, Where())
    assert (stage.acts, steps(stage)) == ([], [])


@pytest.mark.parametrize("deeds", [local.DEEDS, kubernetes.DEEDS], ids=["local", "kubernetes"])
def test_every_kind_of_fault_is_known_in_every_world(deeds: Mapping[Kind, object]) -> None:
    assert set(deeds) == set(Kind)


def test_done_twice_is_once_and_undone_twice_is_once(stage: Stage) -> None:
    first, again = inflicting.inflict(PAUSE, Where()), inflicting.inflict(PAUSE, Where())
    assert (first.anew, again.anew) == (True, False)
    assert steps(stage).count(Step.BEGUN) == 1
    assert inflicting.undo_all(stage.keeping) == ["pause replica: node-1-0 on node-1 with vwap/0/0"]
    assert inflicting.undo_all(stage.keeping) == []
    assert [what for what, _ in stage.acts].count("undo") == 1


def test_what_another_living_experiment_has_done_is_left_alone(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    inflicting.inflict(PAUSE, Where())
    monkeypatch.setattr(inflicting, "myself", lambda: Process(1, "another"))
    assert inflicting.undo_all(stage.keeping) == []


def test_where_there_was_no_experiment_there_is_nothing_to_undo(tmp_path: Path) -> None:
    assert inflicting.undo_all(Keeping(tmp_path)) == []


def test_what_is_given_as_text_is_a_number_where_it_can_be() -> None:
    assert telling.ms_in("2.5") == 2_500  # type: ignore[arg-type]  # as `--var for_s=2.5` has it
    with pytest.raises(Refused, match=r"'soon' is no number[\s\S]*--var for_s:float=5"):
        telling.ms_in("soon")  # type: ignore[arg-type]


def test_a_list_may_be_given_as_text() -> None:
    assert telling.names_in("shop, levee-system") == telling.names_in(["shop", "levee-system"]) == ["shop", "levee-system"]
    assert telling.names_in("") == []
    assert [telling.is_so(one) for one in (True, "true", False, "false", "")] == [True, True, False, False, False]
