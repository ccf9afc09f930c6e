"""Sources that import a stream which is not there yet: no epoch is due before it is, and people are told what is waited for."""

from dataclasses import replace

from levee.control import rules
from levee.control.actions import Reason, WriteAnchor
from levee.control.chronicle import Chronicle
from levee.control.decide import decide
from levee.control.seen import Observation, ReplicaSeen, Status, WorkerSeen
from levee.worlds.local.asking import replica_in
from tests.control.stage import HEALTHY, NOW, WANTED, seeing

WAITS = "there is no topology shop/clicks in this store yet"


def waiting(what: str, *, epoch: int = 0) -> Observation:
    """Every replica of the source says so."""
    status = Status.STARTING if what and not epoch else Status.RUNNING

    def states(worker: WorkerSeen) -> tuple[ReplicaSeen, ...]:
        mine = worker.states
        return tuple(replace(one, waits=what, epoch=epoch, status=status) if one.task == "market/0" else one for one in mine)

    return replace(HEALTHY, workers=tuple(replace(one, states=states(one)) for one in HEALTHY.workers))


def anchors(seen: Observation) -> bool:
    decision = rules.set_the_clock(WANTED, seen, NOW)
    return decision is not None and any(isinstance(action, WriteAnchor) for action in decision.actions)


def test_no_epoch_is_due_before_the_exporter_is_there() -> None:
    assert not anchors(seeing(waiting(WAITS), anchored=False))
    assert anchors(seeing(waiting("", epoch=0), anchored=False))


def test_a_source_that_has_begun_and_waits_for_more_is_no_failure() -> None:
    assert decide(WANTED, waiting("shop/clicks has no epoch of 'pairs' after 7 yet", epoch=100), NOW).reason is Reason.SETTLED


def test_what_is_waited_for_is_told_once_for_all_replicas() -> None:
    chronicle, decision = Chronicle(), decide(WANTED, waiting(WAITS), NOW)
    first = chronicle.events(HEALTHY, waiting(WAITS), decision, decision)
    again = chronicle.events(waiting(WAITS), waiting(WAITS), decision, decision)
    assert [(one.subject, one.text) for one in first if "waits" in one.text] == [("market/0", f"waits: {WAITS}")]
    assert not [one for one in again if "waits" in one.text]


def test_what_a_worker_says_of_it_is_heard() -> None:
    assert replica_in({"replica": "market/0/0", "status": "starting", "waits": WAITS}).has_yet_to_begin
    assert not replica_in({"replica": "market/0/0", "status": "running", "epoch": 3, "waits": WAITS}).has_yet_to_begin
