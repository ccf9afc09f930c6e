"""The rates of a topology's sources, from what its replicas say."""

from dataclasses import replace

import pytest

from levee.control.names import Instant
from levee.control.seen import Measured, Observation, ReplicaSeen, Status
from levee.topology.names import TaskId
from levee.worlds.local.asking import replica_in
from levee.worlds.measuring import KNOWN_AFTER_MS, Measuring, Workers
from tests.control.stage import HEALTHY, HIGH, MARKET, running

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


def test_the_rate_is_known_when_it_was_watched_for_a_while() -> None:
    measuring, seen = Measuring(), saying(market(100.0, 300.0))
    early = measured(measuring, seen, *range(1, 6))
    assert early.rates is None
    assert early.missing
    assert measured(measuring, seen, 6) == Measured({MARKET: 300.0}, "", Instant(1_000))
    assert KNOWN_AFTER_MS == 5_000


def test_a_source_that_says_nothing_is_named_and_no_zero() -> None:
    found = measured(Measuring(), saying(), *range(1, 20))
    assert found == Measured(None, "no replica of market/0 has said one")


def test_a_gap_and_another_configuration_begin_the_steady_time_anew() -> None:
    measuring, seen = Measuring(), saying(market(100.0))
    measured(measuring, seen, *range(1, 10))
    measured(measuring, saying(), 10)
    assert measured(measuring, seen, 11, 12).steady_since == 11_000
    assert measured(measuring, replace(seen, configuration=HIGH), 13, 14).steady_since == 13_000


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
