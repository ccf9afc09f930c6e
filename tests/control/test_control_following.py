"""The configuration follows the rates: up at once, down slowly, and never to and fro."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from levee.control.actions import Decision, Reason, WriteRecord
from levee.control.decide import decide
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.control.wanted import Wanted
from levee.topology.graph import Configuration
from levee.topology.names import ConfigurationName
from levee.worlds.measuring import Measuring
from tests.control.stage import FULL, HEALTHY, HIGH, LOW, MARKET, NOW, RECORD, WANTED, record, running, seeing

DWELL = WANTED.patience.dwell_ms
IN_HIGH = record(tuple((name, rank) for name, rank in FULL if name in WANTED.active[HIGH]))
LONG_AGO = Instant(NOW - DWELL)


def chosen(rate: float, configuration: ConfigurationName = LOW, steady_since: Instant | None = LONG_AGO) -> ConfigurationName | None:
    """None: the one in force stays."""
    decision = decided(rate, configuration, steady_since)
    return next((one.configuration for one in decision.actions if isinstance(one, WriteRecord)), None)


def decided(rate: float, configuration: ConfigurationName = LOW, steady_since: Instant | None = LONG_AGO) -> Decision:
    now_in_force = RECORD if configuration == LOW else IN_HIGH
    return decide(WANTED, seeing(rates={MARKET: rate}, configuration=configuration, record=now_in_force, steady_since=steady_since), NOW)


def test_a_rate_within_the_slack_changes_nothing() -> None:
    assert chosen(110.0) is None


def test_a_rate_above_what_is_declared_is_followed_at_once() -> None:
    assert chosen(110.1, steady_since=None) == HIGH
    assert chosen(110.1, steady_since=NOW) == HIGH


def test_a_lower_configuration_holds_when_nothing_has_changed_for_a_while() -> None:
    assert chosen(90.0, HIGH) == LOW
    assert chosen(90.0, HIGH, Instant(LONG_AGO + 1)) is None
    assert chosen(90.0, HIGH, None) is None


def test_on_the_way_down_there_is_half_the_slack() -> None:
    """A source that keeps to what is declared is measured around it; between the two nothing changes, whatever is in force."""
    assert chosen(104.9, HIGH) == LOW
    assert chosen(105.1, HIGH) is None
    assert chosen(109.9, LOW) is None
    assert chosen(100.0, HIGH) == LOW


def test_the_record_says_from_what_it_follows() -> None:
    [action] = decided(150.0).actions
    assert isinstance(action, WriteRecord)
    assert action.record.reason == "RatesChanged: market 150/s -> configuration high (200/s), 2 replicas off, record 8"
    assert decided(0.4, HIGH).text == "market 0.4/s -> configuration low (100/s), 2 replicas on, record 8"


def test_input_above_the_contract_is_told_and_the_highest_configuration_holds() -> None:
    assert chosen(500.0) == HIGH
    decision = decided(500.0, HIGH)
    assert (decision.reason, decision.actions) == (Reason.INPUT_ABOVE_CONTRACT, ())
    assert decision.text == (
        "market offers 500/s, and the highest rate declared beside the others' is 200/s: configuration high is in force, "
        "and what it promises is not"
    )
    assert decided(220.0, HIGH).reason is not Reason.INPUT_ABOVE_CONTRACT  # within the slack


def test_why_rates_are_unknown_is_said() -> None:
    assert decide(WANTED, seeing(rates=None, rates_missing="Prometheus does not answer"), NOW).text.endswith("(Prometheus does not answer)")


# ---- over time

FLAT = Wanted(
    WANTED.shape,
    WANTED.sources,
    WANTED.workers,
    tuple(Configuration(ConfigurationName(f"{rate}"), 0.25, {MARKET: float(rate)}) for rate in (100, 200, 400, 800)),
    {ConfigurationName(f"{rate}"): WANTED.active[LOW] for rate in (100, 200, 400, 800)},
    WANTED.patience,
)


def played(rates: Sequence[float | None]) -> list[tuple[int, ConfigurationName]]:
    """A second each; None: the source's worker is silent. The records that were written, and when."""
    measuring, found = Measuring(), [(0, ConfigurationName("100"))]
    for second, rate in enumerate(rates):
        now = Instant(1_000_000 + 1_000 * second)
        seen = measured(measuring, replace(HEALTHY, configuration=found[-1][1]), rate, now)
        found += [(second, one.configuration) for one in decide(FLAT, seen, now).actions if isinstance(one, WriteRecord)]
    return found[1:]


def measured(measuring: Measuring, seen: Observation, rate: float | None, now: Instant) -> Observation:
    """One of the source's replicas tells it, the other has yet to begin."""
    told = tuple(running(name, rows_per_s=rate or 0.0, epoch=0 if rate is None else 9) for name in seen.workers[0].replicas)
    mute = tuple(running(name, epoch=0) for name in seen.workers[1].replicas)
    workers = (replace(seen.workers[0], states=told), replace(seen.workers[1], states=mute), seen.workers[2])
    return seen.with_history(measuring.measured(WANTED.sources, replace(seen, workers=workers), now), ())


def test_a_burst_is_followed_within_the_window_and_left_after_the_dwell() -> None:
    rates = [90.0] * 100 + [390.0] * 10 + [90.0] * 200
    (first, _), *_, (last_up, top), (down, lowest) = played(rates)
    assert 100 <= first <= last_up <= 105
    assert (top, lowest) == ("400", "100")
    assert down >= last_up + DWELL // 1000


def test_rates_that_flap_each_second_flap_no_records() -> None:
    assert [name for _, name in played([90.0, 700.0] * 300)] == ["400"]  # their average


def test_rates_that_were_unknown_meanwhile_are_waited_for_anew_before_going_down() -> None:
    gap = [390.0] * 20 + [90.0] * 30 + [None] + [90.0] * 100
    downs = [second for second, name in played(gap) if name == "100"]
    assert downs == [51 + DWELL // 1000]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from((None, 0.0, 50.0, 105.0, 150.0, 300.0, 390.0, 700.0, 5_000.0)), min_size=1, max_size=20), st.integers(1, 7))
def test_whatever_the_rates_do_a_lower_configuration_comes_a_dwell_after_the_one_before(drawn: list[float | None], each_s: int) -> None:
    rates = [rate for rate in drawn for _ in range(each_s)] * 4
    records = [(0, ConfigurationName("100")), *played(rates)]
    for (before, was), (after, name) in pairwise(records):
        assert float(name) > float(was) or after - before >= DWELL // 1000
    downs = sum(float(name) < float(was) for (_, was), (_, name) in pairwise(records))
    assert len(records) - 1 <= 3 * (downs + 1) + downs


@settings(max_examples=25, deadline=None)
@given(st.floats(0, 2_000))
def test_a_rate_that_stays_is_followed_once_and_for_all(rate: float) -> None:
    records = played([rate] * 200)
    assert len(records) <= 1
    assert all(second <= 6 for second, _ in records)
