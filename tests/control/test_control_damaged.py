"""A task that stands still for want of an epoch that cannot be read: people are told what, why and what to do, and when it is over."""

from dataclasses import replace

from levee.control.actions import Reason
from levee.control.chronicle import Chronicle
from levee.control.decide import decide
from levee.control.seen import Observation
from levee.worlds.local.asking import replica_in
from tests.control.stage import HEALTHY, NOW, WANTED

LACKS = "epoch 285 of market/0 cannot be read, and nothing goes on without it: p/epochs/285: the checksum. Restore this object"


def lacking(what: str, *tasks: str, epoch: int = 284) -> Observation:
    """Every replica of these tasks says so."""
    workers = tuple(
        replace(one, states=tuple(replace(state, lacks=what, epoch=epoch) if state.task in tasks else state for state in one.states))
        for one in HEALTHY.workers
    )
    return replace(HEALTHY, workers=workers)


def told(chronicle: Chronicle, before: Observation, after: Observation) -> list[tuple[str, str, bool]]:
    events = chronicle.events(before, after, decide(WANTED, before, NOW), decide(WANTED, after, NOW))
    return [(one.subject, one.text, one.grave) for one in events]


def test_the_decision_names_the_object_once_and_all_that_stand_still_for_it() -> None:
    decision = decide(WANTED, lacking(LACKS, "vwap/0"), NOW)
    assert (decision.reason, decision.text, decision.actions) == (Reason.STREAM_DAMAGED, f"vwap/0 stands still: {LACKS}", ())
    assert decide(WANTED, lacking(LACKS, "vwap/0", "index/0"), NOW).text == f"index/0, vwap/0 stand still: {LACKS}"


def test_it_is_told_once_for_all_replicas_of_a_task_as_a_warning() -> None:
    chronicle, damaged = Chronicle(), lacking(LACKS, "vwap/0")
    assert told(chronicle, HEALTHY, damaged) == [("vwap/0", f"stands still: {LACKS}", True)]
    assert told(chronicle, damaged, damaged) == []


def test_a_task_that_goes_on_is_told_as_well() -> None:
    chronicle, damaged = Chronicle(), lacking(LACKS, "vwap/0")
    told(chronicle, HEALTHY, damaged)
    subjects = {subject for subject, _, grave in told(chronicle, damaged, lacking("", "vwap/0", epoch=290)) if not grave}
    assert subjects == {"vwap/0", "Settled"}


def test_a_worker_that_has_fallen_silent_is_not_taken_for_one_that_goes_on() -> None:
    chronicle, damaged = Chronicle(), lacking(LACKS, "vwap/0")
    silent = replace(damaged, workers=tuple(replace(one, states=()) for one in damaged.workers))
    assert "vwap/0" not in {subject for subject, text, _ in told(chronicle, damaged, silent) if "goes on" in text}


def test_what_a_worker_says_of_it_is_heard() -> None:
    assert replica_in({"replica": "vwap/0/0", "status": "running", "lacks": LACKS}).lacks == LACKS
    assert replica_in({"replica": "vwap/0/0", "status": "running"}).lacks == ""
