"""The configuration follows the rates, up and down at once, and never to and fro."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from levee.control.actions import Decision, Reason, WriteRecord
from levee.control.decide import decide
from levee.control.following import next_one
from levee.control.names import Instant
from levee.control.rates import Window
from levee.control.seen import Course, Observation
from levee.control.wanted import Wanted
from levee.topology.graph import Configuration
from levee.topology.names import ConfigurationName
from levee.worlds.measuring import Measuring
from tests.control.stage import FULL, HEALTHY, HIGH, LOW, MARKET, NOW, RECORD, WANTED, record, running, seeing

DWELL = WANTED.patience.dwell_ms
WINDOW = Window().average_over_ms // 1000 + 1
IN_HIGH = record(tuple((name, rank) for name, rank in FULL if name in WANTED.active[HIGH]))
LONG_AGO = Instant(NOW - DWELL)


def chosen(
    rate: float, configuration: ConfigurationName = LOW, known_since: Instant | None = LONG_AGO, course: Course = ()
) -> ConfigurationName | None:
    """None: the one in force stays."""
    decision = decided(rate, configuration, known_since, course)
    return next((one.configuration for one in decision.actions if isinstance(one, WriteRecord)), None)


def decided(rate: float, configuration: ConfigurationName = LOW, known_since: Instant | None = LONG_AGO, course: Course = ()) -> Decision:
    in_force = RECORD if configuration == LOW else IN_HIGH
    seen = seeing(rates={MARKET: rate}, configuration=configuration, record=in_force, known_since=known_since, course=course)
    return decide(WANTED, seen, NOW)


def test_a_rate_within_the_slack_changes_nothing() -> None:
    assert chosen(110.0) is None


def test_a_rate_above_what_is_declared_is_followed_at_once() -> None:
    assert chosen(110.1, known_since=None) == HIGH
    assert chosen(110.1, known_since=NOW) == HIGH


def test_a_lower_configuration_is_taken_at_once_when_rates_have_been_known_for_a_while() -> None:
    assert chosen(90.0, HIGH) == LOW
    assert chosen(90.0, HIGH, Instant(LONG_AGO + 1)) is None
    assert chosen(90.0, HIGH, None) is None


def test_who_has_taken_a_step_down_back_waits_before_the_next_one() -> None:
    began = (Instant(0), HIGH)
    assert chosen(90.0, HIGH, course=(began, (Instant(LONG_AGO + 1), LOW), (Instant(NOW - 9), HIGH))) is None
    assert chosen(90.0, HIGH, course=(began, (LONG_AGO, LOW), (Instant(NOW - 9), HIGH))) == LOW
    assert chosen(90.0, HIGH, course=(began, (Instant(NOW - 9), LOW))) == LOW  # not yet taken back


def test_what_an_edit_took_away_was_no_step() -> None:
    gone = ConfigurationName("gone")
    assert chosen(90.0, HIGH, course=((Instant(NOW - 9), gone), (Instant(NOW - 6), LOW), (Instant(NOW - 3), HIGH))) == LOW


def test_on_the_way_down_there_is_half_the_slack() -> None:
    """A source that keeps to what is declared is measured around it; between the two nothing changes, whatever is in force."""
    assert chosen(104.9, HIGH) == LOW
    assert chosen(105.1, HIGH) is None
    assert chosen(109.9, LOW) is None
    assert chosen(100.0, HIGH) == LOW


def test_of_two_configurations_that_are_nearly_the_same_the_one_in_force_stays() -> None:
    close, apart = (
        Wanted(WANTED.shape, WANTED.sources, WANTED.workers, two(rate), WANTED.active, WANTED.patience) for rate in (104.0, 106.0)
    )
    for rate, in_force in ((104.0, LOW), (100.0, HIGH)):
        seen = seeing(rates={MARKET: rate}, configuration=in_force, record=RECORD if in_force == LOW else IN_HIGH, known_since=LONG_AGO)
        assert next_one(close, seen, {MARKET: rate}, NOW).name == in_force
        assert next_one(apart, seen, {MARKET: rate}, NOW).name != in_force


def two(rate: float) -> tuple[Configuration, ...]:
    return Configuration(LOW, 0.8, {MARKET: 100.0}), Configuration(HIGH, 0.2, {MARKET: rate})


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
        "market offers 500/s, and configuration high declares 200/s: no configuration covers that, and high, which is in force, cannot "
        "keep its promise. Declare what comes as another configuration (levee profile measures it), or let the source send less"
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


def test_a_burst_is_followed_and_left_within_the_window() -> None:
    records = played([90.0] * 100 + [390.0] * 10 + [90.0] * 200)
    ups = [second for second, name in records if second < 110]
    assert 100 <= ups[0] <= ups[-1] <= 105
    assert dict(records)[ups[-1]] == "400"
    assert 110 < records[-1][0] <= 110 + WINDOW
    assert records[-1][1] == "100"


def test_a_burst_soon_after_another_is_left_a_dwell_after_that_was() -> None:
    records = played([90.0] * 100 + ([390.0] * 10 + [90.0] * 10) * 2 + [90.0] * 100)
    first, second = (at for at, name in records if name == "100")
    assert first <= 110 + WINDOW
    assert DWELL // 1000 <= second - first <= DWELL // 1000 + WINDOW


def test_rates_that_flap_each_second_flap_no_records() -> None:
    assert [name for _, name in played([90.0, 700.0] * 300)] == ["400"]  # their average


def test_rates_that_were_unknown_meanwhile_are_waited_for_anew_before_going_down() -> None:
    gap = [390.0] * 20 + [90.0] * 30 + [None] + [90.0] * 100
    downs = [second for second, name in played(gap) if name == "100"]
    assert downs == [51 + DWELL // 1000]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from((None, 0.0, 50.0, 105.0, 150.0, 300.0, 390.0, 700.0, 5_000.0)), min_size=1, max_size=20), st.integers(1, 7))
def test_whatever_the_rates_do_a_step_down_comes_a_dwell_after_one_that_was_taken_back(drawn: list[float | None], each_s: int) -> None:
    rates = [rate for rate in drawn for _ in range(each_s)] * 4
    records = [(0, ConfigurationName("100")), *played(rates)]
    down, taken_back = None, None
    for (_, was), (at, name) in pairwise(records):
        if float(name) > float(was):
            taken_back = down
        else:
            assert taken_back is None or at - taken_back >= DWELL // 1000
            down = at
    steps = len(FLAT.configurations) - 1
    assert len(records) - 1 <= 2 * steps * (len(rates) * 1000 // DWELL + 2)


@settings(max_examples=25, deadline=None)
@given(st.floats(0, 2_000))
def test_a_rate_that_stays_is_followed_once_and_for_all(rate: float) -> None:
    records = played([rate] * 200)
    assert len(records) <= 1
    assert all(second <= 6 for second, _ in records)
