"""Budgets, pauses, timeouts, and what is done when they are spent."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee.lifecycle import failures
from levee.lifecycle.documents import NAMES, machine
from levee.lifecycle.failures import Terms
from levee.lifecycle.handlers import Context, GoesOn
from levee.lifecycle.machine import Budget
from levee.lifecycle.names import ERROR, GIVE_UP, RETRY, EventName, Instant, MethodName, OnFailure, StateName
from levee.lifecycle.position import Position, Record, beginning
from levee.lifecycle.step import Unexpected, choose, step
from levee.topology.status import HISTORY_MAX
from tests.lifecycle.fake import Hopeless, Operator, World, run, runner

JOB = machine("job")
TERMS = Terms(Budget(attempts=3, backoff_ms=1000, backoff_ms_max=5000, jitter=0.5))
CANCELS = replace(TERMS, on_failure=OnFailure.CANCEL)


def at(state: str, since: int = 0, **remembered: object) -> Position:
    record = Record(StateName(state), Instant(since))
    return replace(Position(record, record, Instant(since)), **remembered)  # type: ignore[arg-type]


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_a_pause_doubles_never_passes_its_cap_and_is_never_gone(count: int, chance: float) -> None:
    pause_ms = failures.pause_ms(TERMS.budget, count, chance)
    longest = min(1000 * 2 ** (count - 1), 5000)
    assert longest * 0.5 <= pause_ms <= longest


def test_failures_in_a_row_spend_the_budget_and_then_there_is_no_other_try() -> None:
    position = at("dispatching")
    for count in (1, 2, 3):
        position = failures.failed(JOB, position, "no", Instant(0), TERMS, 0.0)
        assert position.record.failures == count
        assert failures.due(JOB, position, Instant(10_000), TERMS) == RETRY
    position = failures.failed(JOB, position, "no", Instant(0), TERMS, 0.0)
    assert failures.due(JOB, position, Instant(0), TERMS) == ERROR


def test_it_is_not_tried_again_before_the_pause_is_over() -> None:
    position = failures.failed(JOB, at("dispatching"), "no", Instant(100), TERMS, 0.0)
    assert failures.due(JOB, position, Instant(1099), TERMS) is None
    assert failures.due(JOB, position, Instant(1100), TERMS) == RETRY
    assert failures.wake_at(JOB, position) == 1100


def test_a_stable_run_forgets_earlier_failures() -> None:
    stable_ms = JOB.states[StateName("running")].stable_ms or 0
    worn = replace(at("running"), record=Record(StateName("running"), Instant(0), failures=3, failed_at=Instant(500)))
    assert failures.failed(JOB, worn, "lost", Instant(499 + stable_ms), TERMS, 0.0).record.failures == 4
    assert failures.failed(JOB, worn, "lost", Instant(500 + stable_ms), TERMS, 0.0).record.failures == 1


def test_what_takes_too_long_has_failed_and_an_outage_of_the_operator_does_not_count() -> None:
    timeout_ms = JOB.states[StateName("dispatching")].timeout_ms or 0
    late = Instant(timeout_ms)
    assert failures.observed(JOB, at("dispatching"), (), late, TERMS, 0.0).failing is not None
    recovered = step(JOB, at("dispatching"), EventName("recover"), Instant(timeout_ms - 1)).position
    assert failures.observed(JOB, recovered, (), late, TERMS, 0.0).failing is None
    assert recovered.record.since == 0  # people still see since when it has been there


def test_a_failure_that_is_being_answered_is_not_counted_again() -> None:
    late = Instant(JOB.states[StateName("updating")].timeout_ms or 0)
    once = failures.observed(JOB, at("updating"), (), late, TERMS, 0.0)
    assert once.record.failures == 1
    assert failures.observed(JOB, once, (), Instant(late + 1), TERMS, 0.0) == once


def test_lost_is_a_failure_in_running_only() -> None:
    assert failures.observed(JOB, at("suspended"), (EventName("lost"),), Instant(1), TERMS, 0.0).failing is None


def test_cancel_on_failure_tries_nothing_again() -> None:
    given_up = failures.observed(JOB, at("running"), (EventName("lost"),), Instant(1), CANCELS, 0.0)
    assert failures.due(JOB, given_up, Instant(1), CANCELS) == GIVE_UP
    late = Instant(JOB.states[StateName("dispatching")].timeout_ms or 0)
    assert failures.due(JOB, failures.observed(JOB, at("dispatching"), (), late, CANCELS, 0.0), late, CANCELS) == ERROR


def test_who_waits_for_a_replacement_has_not_failed() -> None:
    assert failures.observed(JOB, at("running"), (EventName("lost"),), Instant(1), TERMS, 0.0) == at("running")


@pytest.mark.parametrize("state", ["running", "reverting"])
def test_what_runs_is_tried_again_without_end(state: str) -> None:
    position = at(state)
    for count in range(1, 50):
        position = failures.failed(JOB, position, "no", Instant(0), TERMS, 0.0)
        assert position.record.failures == count
        assert failures.due(JOB, position, Instant(5000), TERMS) == RETRY
    given_up = failures.hopeless(JOB, position, "no", Instant(0), TERMS, 0.0)
    assert (failures.due(JOB, given_up, Instant(0), TERMS), failures.due(JOB, given_up, Instant(5000), TERMS)) == (None, RETRY)


def test_who_wants_no_other_try_after_all_gets_none() -> None:
    given_up = failures.hopeless(JOB, at("running"), "no", Instant(0), CANCELS, 0.0)
    assert failures.due(JOB, given_up, Instant(0), TERMS) == RETRY, "onFailure has been changed to restart"


@pytest.mark.parametrize("name", NAMES)
def test_no_error_ends_a_topology_that_runs(name: str) -> None:
    """By their leave alone: `onFailure: cancel`, or their user."""
    document = machine(name)
    living = {state for state in ("running", "updating", "reshaping", "reverting", "completing") if state in document.states}
    for one in (each for each in document.transitions if each.origin in living and each.to not in living):
        assert one.when in {"give_up", "cancel", "suspend", "restart", "ended"}, one


def test_after_a_method_failed_halfway_only_the_user_is_heard() -> None:
    halfway = failures.waiting(at("updating"), "the store is silent", Instant(0), TERMS, 0.0)
    assert failures.audible(JOB, halfway, [EventName("all_ready"), EventName("cancel")]) == {"cancel"}
    assert failures.audible(JOB, at("updating"), [EventName("all_ready"), EventName("cancel")]) == {"all_ready", "cancel"}


def test_history_is_bounded_and_tells_why() -> None:
    position = beginning(JOB, Instant(0))
    for turn in range(2 * HISTORY_MAX):
        event = "admit" if position.state == "submitted" else "refused" if position.state == "parsing" else None
        event = event or {"cleanup": "cleaned", "failed": "restart"}[position.state]
        position = step(JOB, position, EventName(event), Instant(turn)).position
    history = position.record.history
    assert len(history) == HISTORY_MAX
    assert (history[-1].state, history[-1].since) == (position.state, 2 * HISTORY_MAX - 1)
    assert {(one.state, one.why) for one in history} >= {("cleanup", "refused"), ("failed", "cleaned")}


def test_a_state_refuses_events_it_does_not_know() -> None:
    with pytest.raises(Unexpected, match="state submitted knows no event all_ready"):
        step(JOB, beginning(JOB, Instant(0)), EventName("all_ready"), Instant(1))


def test_the_first_transition_of_the_document_is_taken() -> None:
    assert choose(JOB, StateName("running"), [EventName("edit"), EventName("cancel")]) == "cancel"
    assert choose(JOB, StateName("running"), [EventName("admit")]) is None


def test_a_state_that_is_stored_already_is_not_stored_again() -> None:
    assert not step(JOB, at("running"), EventName("recover"), Instant(1)).persist
    assert step(JOB, at("running"), EventName("suspend"), Instant(1)).persist
    failing = failures.failed(JOB, at("running"), "lost", Instant(1), TERMS, 0.0)
    retried = step(JOB, failing, RETRY, Instant(1))
    assert retried.persist
    assert retried.position.record.attempts == 1
    patient = step(JOB, failures.waiting(at("running"), "silent", Instant(1), TERMS, 0.0), RETRY, Instant(1))
    assert not patient.persist


# ---- whole lives


def test_pods_that_never_become_ready_are_tried_as_often_as_the_budget_says_and_then_given_up() -> None:
    operator = Operator(JOB, World(stuck={1}))
    operator.settle()
    assert operator.world.loaded is not None
    record = operator.world.loaded.record
    assert (record.state, record.attempts, operator.world.pods, operator.world.plan) == ("failed", 2, {}, None)


def test_a_method_that_has_no_hope_is_not_tried_again() -> None:
    operator = Operator(JOB, World(fails={"map_streams": Hopeless("the store lies")}))
    operator.settle()
    assert (operator.state, operator.world.passed.count("before map_streams")) == ("failed", 1)


def test_a_mistake_in_a_handler_is_tried_again_then_given_up_and_told() -> None:
    operator = Operator(JOB, World(fails={"start_replicas": ValueError("no such node")}))
    told = set()
    for _ in range(200):
        operator.turn()
        operator.world.tick()
        if operator.at_work and operator.at_work.position and operator.at_work.position.failing:
            told.add(operator.at_work.position.failing.why)
    assert operator.state == "failed"
    assert told == {"start_replicas: no such node"}


def test_a_missing_exporter_is_waited_for_without_end_and_costs_nothing() -> None:
    operator = Operator(JOB, World(exporter_missing=True))
    for _ in range(100):
        operator.turn()
        operator.world.tick(60_000)
    assert operator.state == "mapping"
    operator.world.exporter_missing = False
    operator.settle()
    assert operator.world.loaded is not None
    assert (operator.state, operator.world.loaded.record.attempts) == ("running", 0)


def test_before_anything_is_taken_back_whoever_else_acts_is_overtaken() -> None:
    assert step(JOB, at("mapping"), EventName("recover"), Instant(1)).persist
    assert step(JOB, at("suspended"), EventName("recover"), Instant(1)).position.record.claims == 1
    assert not step(JOB, at("dispatching"), EventName("recover"), Instant(1)).persist


def test_a_change_whose_pods_never_become_ready_is_reverted() -> None:
    operator = Operator(JOB, World(stuck={2}))
    operator.settle()
    operator.world.generation = 2
    operator.settle()
    assert (operator.state, operator.world.plan, operator.world.refused) == ("running", 1, 2)


def test_a_cancellation_whose_last_epoch_never_comes_gives_up_at_the_heads() -> None:
    operator = Operator(JOB, World(stop_hangs=True))
    operator.settle()
    operator.world.deleted = True
    operator.settle()
    assert (operator.state, operator.world.pods) == ("canceled", {})


def test_a_cleanup_that_fails_does_not_keep_the_resource() -> None:
    operator = Operator(JOB, World(fails={"settle_data": OSError("denied")}))
    operator.settle()
    operator.world.deleted = True
    operator.settle()
    assert operator.state == "canceled"


def test_a_failed_topology_lives_again_when_its_resource_is_mended() -> None:
    operator = Operator(JOB, World(broken={1}))
    operator.settle()
    assert operator.state == "failed"
    operator.world.generation = 2
    operator.settle()
    assert operator.state == "running"
    assert operator.world.loaded is not None
    assert operator.world.loaded.record.ending is None


def test_what_a_method_must_not_say_is_a_failure_of_that_method() -> None:
    world = World()
    one = runner(JOB, world)

    async def odd(context: Context) -> EventName | None:
        return EventName("ended") if context.method == "read_spec" else None

    one.handlers = {**one.handlers, MethodName("read_spec"): odd}
    run(one.turn(()))
    turn = run(one.turn({EventName("admit")}))
    assert turn.position is not None
    assert turn.position.failing is not None
    assert "said ended" in turn.position.failing.why
    assert turn.wake_at == turn.position.failing.until


def test_a_method_that_waits_is_asked_again_later_and_later() -> None:
    position = at("mapping")
    pauses = []
    for _ in range(4):
        position = failures.waiting(position, "no", Instant(0), TERMS, 0.0)
        assert position.failing is not None
        pauses.append(position.failing.until)
        position = step(JOB, position, RETRY, Instant(0)).position
    assert pauses == [1000, 2000, 4000, 5000]


def test_a_method_that_gets_on_is_asked_again_soon_each_time() -> None:
    world = World()
    one = runner(JOB, world)

    async def gets_on(context: Context) -> EventName | None:
        raise GoesOn(f"part of {context.method} is done")

    one.handlers = {**one.handlers, MethodName("read_spec"): gets_on}
    run(one.turn(()))
    for _ in range(5):
        turn = run(one.turn({EventName("admit")}))
        assert turn.wake_at is not None
        assert turn.wake_at - world.now <= JOB.budget.backoff_ms
        world.tick(JOB.budget.backoff_ms)
