"""How long each step of a switch takes, from rates that ask for it to replicas that have caught up."""

from dataclasses import replace
from typing import Any

import pytest

from levee.control.actions import Decision, Reason, WriteRecord
from levee.control.decide import decide
from levee.control.names import Instant, ReplicaName
from levee.control.seen import Measured, Observation, Phase, Status
from levee.control.steps import Step
from levee.control.switching import Switching
from tests.control.stage import FULL, HEALTHY, HIGH, LOW, MARKET, NOW, PLACED, RECORD, WANTED, record, running, seeing, worker

DWELL = WANTED.patience.dwell_ms
IN_HIGH = record(tuple((name, rank) for name, rank in FULL if name in WANTED.active[HIGH]))
ON = (ReplicaName("vwap/0/1"), ReplicaName("index/0/1"))


def at(ms: int) -> Instant:
    return Instant(NOW + ms)


def known(since: Instant, **changes: Any) -> Observation:
    """Rates that nothing keeps from being followed, for as long."""
    seen = seeing(HEALTHY, **changes)
    return seen.with_history(Measured(seen.rates, "", since), seen.outages)


def told(switching: Switching) -> list[tuple[str, int]]:
    return [(one.step.value, one.ms) for one in switching.taken()]


def seen_after(decided: Decision, *, joining: frozenset[ReplicaName] = frozenset(), **state: object) -> Observation:
    """All replicas say the same of themselves."""
    [action] = [one for one in decided.actions if isinstance(one, WriteRecord)]
    workers = tuple(
        replace(worker(placed), states=tuple(running(one, record=action.record.number, **state) for one in placed.replicas))
        for placed in PLACED
    )
    return seeing(workers=workers, record=action.record, configuration=action.configuration, joining=joining)


def switched(switching: Switching, rate: float, configuration: str, decide_ms: int = 0, write_ms: int = 40) -> Decision:
    in_force = RECORD if configuration == LOW else IN_HIGH
    seen = known(at(decide_ms - DWELL), rates={MARKET: rate}, configuration=configuration, record=in_force)
    now = at(decide_ms)
    switching.look(WANTED, seen, now)
    decision = decide(WANTED, seen, now)
    switching.decided(seen, decision, now, Instant(now + write_ms))
    return decision


def test_a_switch_down_to_fewer_replicas_is_over_when_it_is_in_force() -> None:
    switching = Switching()
    decision = switched(switching, 150.0, LOW)
    assert decision.reason is Reason.RATES_CHANGED
    assert told(switching) == [("decide", 0), ("write", 40)]
    switching.look(WANTED, seen_after(decision, read_ago_ms=700), at(2_000))
    assert told(switching) == [("read", 1_260)]
    [event] = switching.heard()
    assert (event.subject, event.text) == ("Switched", "configuration high (record 8) in force after 1.3 s")
    assert switching.going is None


def test_a_switch_that_adds_replicas_is_over_when_they_have_caught_up() -> None:
    switching = Switching()
    asking = known(NOW, rates={MARKET: 90.0}, configuration=HIGH, record=IN_HIGH)
    switching.look(WANTED, asking, NOW)
    decision = switched(switching, 90.0, HIGH, decide_ms=60_000)
    assert told(switching) == [("decide", 60_000), ("write", 40)]
    switching.look(WANTED, seen_after(decision, read_ago_ms=900, forked_ago_ms=100, joining=frozenset(ON)), at(62_000))
    assert told(switching) == [("read", 1_060), ("fork", 800)]
    assert switching.heard() == []
    switching.look(WANTED, seen_after(decision, read_ago_ms=4_900, forked_ago_ms=4_100), at(66_000))
    assert told(switching) == [("catch_up", 4_100)]
    [event] = switching.heard()
    assert event.text == "configuration low (record 8) in force after 61.1 s; caught up after 66.0 s"


def test_who_has_not_read_the_record_is_waited_for_and_who_is_gone_is_not() -> None:
    switching = Switching()
    decision = switched(switching, 150.0, LOW)
    there = seen_after(decision, read_ago_ms=0)
    late = replace(there.workers[2], states=tuple(replace(one, record=7) for one in there.workers[2].states))
    switching.look(WANTED, replace(there, workers=(*there.workers[:2], late)), at(1_000))
    assert Step.READ.value not in dict(told(switching))
    switching.look(WANTED, replace(there, workers=(*there.workers[:2], replace(late, phase=Phase.ENDED))), at(2_000))
    assert told(switching) == [("read", 1_960)]


def test_a_state_that_was_taken_long_before_is_not_the_one_of_this_switch() -> None:
    switching = Switching()
    decision = switched(switching, 90.0, HIGH)
    told(switching)
    switching.look(WANTED, seen_after(decision, read_ago_ms=100, forked_ago_ms=50_000, joining=frozenset(ON)), at(1_000))
    assert told(switching) == [("read", 860)]
    idle = seen_after(decision, status=Status.IDLE, read_ago_ms=1_100, forked_ago_ms=500, joining=frozenset(ON))
    switching.look(WANTED, idle, at(2_000))
    assert told(switching) == [], "it has its state when it takes part"


@pytest.mark.parametrize("number", [8, 9])
def test_a_switch_that_another_one_replaces_is_told_as_far_as_it_came(number: int) -> None:
    switching = Switching()
    decision = switched(switching, 90.0, HIGH)
    switching.look(WANTED, seen_after(decision, read_ago_ms=0, joining=frozenset(ON)), at(1_000))
    switching.look(WANTED, seeing(record=replace(IN_HIGH, number=number), configuration=HIGH), at(2_000))
    [event] = switching.heard()
    assert event.text == "configuration low (record 8) in force after 1.0 s; another one came before all had caught up"
    assert switching.going is None


def test_rates_that_no_longer_ask_begin_anew() -> None:
    switching = Switching()
    low = known(NOW, rates={MARKET: 90.0}, configuration=HIGH, record=IN_HIGH)
    switching.look(WANTED, low, NOW)
    assert switching.asked == NOW
    switching.look(WANTED, replace(low, rates={MARKET: 150.0}), at(1_000))
    assert switching.asked is None
    switching.look(WANTED, replace(low, rates=None), at(2_000))
    assert switching.asked is None


def test_a_record_that_could_not_be_written_is_no_switch() -> None:
    switching = Switching()
    switching.decided(seeing(), Decision(Reason.RATES_CHANGED, "this waits: the store does not answer"), NOW, NOW)
    assert switching.going is None
    assert told(switching) == []
