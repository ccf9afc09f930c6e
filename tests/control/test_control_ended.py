"""Bounded topologies: the controller stops what has computed all its rows, once, and leaves alone what was completed before."""

from dataclasses import replace

from levee.control.actions import Finish, Reason, WriteRecord
from levee.control.decide import decide
from levee.control.seen import Observation
from tests.control.stage import HEALTHY, NOW, WANTED, record, seeing


def ended(*but: str) -> Observation:
    """Every replica says that it has come to the end, but those of some tasks."""
    workers = tuple(
        replace(worker, states=tuple(replace(state, ended=state.task not in but) for state in worker.states)) for worker in HEALTHY.workers
    )
    return replace(HEALTHY, workers=workers)


def test_what_has_computed_all_rows_is_stopped_and_the_record_says_why() -> None:
    decision = decide(WANTED, ended(), NOW)
    [action] = decision.actions
    assert isinstance(action, WriteRecord)
    assert (decision.reason, action.record.shape.stopped) == (Reason.COMPLETED, True)
    assert action.record.reason.startswith("Completed")


def test_one_task_that_has_not_ended_keeps_all_running() -> None:
    assert decide(WANTED, ended("out/0"), NOW).reason is Reason.SETTLED


def test_one_replica_of_a_task_is_enough() -> None:
    seen = ended()
    silent = seen.workers[2]
    workers = (*seen.workers[:2], replace(silent, states=tuple(replace(state, ended=False) for state in silent.states)))
    assert decide(WANTED, replace(seen, workers=workers), NOW).reason is Reason.COMPLETED


def test_a_completed_topology_finishes_when_every_task_has_done_the_last_epoch() -> None:
    decision = decide(WANTED, seeing(record=record(stopped=True), stop_epoch=100, completed=True), NOW)
    assert (decision.reason, decision.actions) == (Reason.COMPLETED, (Finish(failed=False),))


def test_a_topology_that_was_completed_before_is_not_begun_again() -> None:
    decision = decide(WANTED, Observation(nodes=HEALTHY.nodes, record=record(stopped=True), completed=True), NOW)
    assert (decision.reason, decision.actions) == (Reason.COMPLETED, (Finish(failed=False),))


def test_a_stop_that_was_ordered_is_none() -> None:
    assert decide(WANTED, seeing(record=record(stopped=True), stop_epoch=100), NOW).reason is Reason.STOPPED
