"""The rates of a topology's sources, from what its replicas say."""

from dataclasses import replace

import pytest

from levee.control.names import Instant
from levee.control.seen import Measured, Observation, ReplicaSeen, Status
from levee.topology.names import TaskId
from levee.worlds.local.asking import replica_in
from levee.worlds.measuring import KNOWN_AFTER_MS, Measuring, Workers
from tests.control.stage import HEALTHY, HIGH, LOW, MARKET, running

SOURCES = (TaskId("market/0"),)


def saying(*states: ReplicaSeen) -> Observation:
    """What the first worker says; the second has yet to do an epoch."""
    mute = tuple(running(name, epoch=0) for name in HEALTHY.workers[1].replicas)
    first, second, third = HEALTHY.workers
    return replace(HEALTHY, workers=(replace(first, states=states), replace(second, states=mute), third))


def market(rate: float, offer: float | None = None) -> ReplicaSeen:
    return running(HEALTHY.workers[0].replicas[0], rows_per_s=rate, offered_per_s=offer)


def of_market(seen: Observation) -> float:
    return Workers().told(SOURCES, seen).rates[SOURCES[0]]


def measured(measuring: Measuring, seen: Observation, *seconds: int) -> Measured:
    found = Measured(None)
    for second in seconds:
        found = measuring.measured(SOURCES, seen, Instant(1_000 * second))
    return found


def test_what_is_offered_counts_and_not_what_is_taken_in() -> None:
    assert of_market(saying(market(100.0, 300.0))) == 300.0
    assert of_market(saying(market(300.0, 100.0))) == 100.0  # it catches up


def test_where_the_offer_is_unknown_what_is_taken_in_counts() -> None:
    assert of_market(saying(market(100.0))) == 100.0


def test_who_follows_has_no_rate_whatever_it_was_when_it_led() -> None:
    former = replace(market(200.0, 200.0), last="lost")
    later = running(HEALTHY.workers[1].replicas[0], rows_per_s=40.0, offered_per_s=40.0)
    seen = saying(former)
    first, second, third = seen.workers
    assert of_market(replace(seen, workers=(first, replace(second, states=(later,)), third))) == 40.0
    assert Workers().told(SOURCES, saying(former)).missing == "no replica of market/0 has said one"


def test_who_has_only_begun_to_lead_has_measured_nothing_and_that_is_no_zero() -> None:
    told = {"replica": "market/0/0", "status": "running", "epoch": 7, "last": "won", "rows_per_s": None, "offered_per_s": None}
    assert Workers().told(SOURCES, saying(replica_in(told))).missing == "no replica of market/0 has said one"
    assert of_market(saying(replica_in({**told, "rows_per_s": 0.0}))) == 0.0


def test_the_rate_is_known_when_it_was_watched_for_a_while() -> None:
    measuring, seen = Measuring(), saying(market(100.0, 300.0))
    early = measured(measuring, seen, *range(1, 6))
    assert early.rates is None
    assert early.missing
    assert measured(measuring, seen, 6) == Measured({MARKET: 300.0}, "", Instant(1_000), ((Instant(1_000), LOW),))
    assert KNOWN_AFTER_MS == 5_000


def test_a_source_that_says_nothing_is_named_and_no_zero() -> None:
    found = measured(Measuring(), saying(), *range(1, 20))
    assert (found.rates, found.missing, found.known_since) == (None, "no replica of market/0 has said one", None)


def test_after_a_gap_rates_are_known_anew() -> None:
    measuring, seen = Measuring(), saying(market(100.0))
    measured(measuring, seen, *range(1, 10))
    measured(measuring, saying(), 10)
    assert measured(measuring, seen, 11, 12).known_since == 11_000


def test_which_configurations_were_in_force_is_noted_also_while_rates_are_unknown() -> None:
    measuring, seen = Measuring(), saying(market(100.0))
    measured(measuring, seen, 1, 2)
    measured(measuring, replace(saying(), configuration=HIGH), 3, 4)
    assert measured(measuring, seen, 5, 6).course == ((1_000, LOW), (3_000, HIGH), (5_000, LOW))
    assert measured(measuring, seen, 2_000).course == ((1_000, LOW), (3_000, HIGH), (5_000, LOW))
    long_after = measured(measuring, replace(seen, configuration=HIGH), 2_001)
    assert long_after.course == ((5_000, LOW), (2_001_000, HIGH))


def test_a_source_that_was_taken_away_by_an_edit_has_no_rate_any_more() -> None:
    measuring = Measuring()
    both = saying(market(100.0), replace(market(50.0), replica=HEALTHY.workers[0].replicas[1]))
    for second in range(1, 8):
        measuring.measured((*SOURCES, TaskId("vwap/0")), both, Instant(1_000 * second))
    assert measured(measuring, both, 8).rates == {MARKET: 100.0}


@pytest.mark.parametrize(
    ("told", "found"), [({}, None), ({"offered_per_s": None}, None), ({"offered_per_s": 3}, 3.0), ({"offered_per_s": float("nan")}, None)]
)
def test_workers_of_an_earlier_version_say_no_offer(told: dict[str, object], found: float | None) -> None:
    seen = replica_in({"replica": "market/0/0", "status": "running", **told})
    assert (seen.offered_per_s, seen.status) == (found, Status.RUNNING)
