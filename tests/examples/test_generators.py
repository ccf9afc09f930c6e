"""Made-up data: the same everywhere, and with the shape that is known of the real one."""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from levee_spark.examples import market, roads, weblog
from levee_spark.examples.draws import bell, uniform, wave, zipf
from levee_spark.examples.options import OF_GENERATOR
from tests.examples.epochs import rows_of

GENERATORS = [market.rows, weblog.rows, roads.locations, roads.reports]
RECORDED = ["af3213be5f23893b", "2029d0386e6d5cba", "25fc09d615562c01", "99a72fcf0944608d"]
Generator = Callable[..., pa.Table]


def together(generator: Generator, epochs: range, options: dict[str, str]) -> pa.Table:
    return pa.concat_tables([generator(epoch, options, 0, 1) for epoch in epochs])


class Asked(dict[str, str]):
    """No options, and which of them somebody has looked for."""

    def __init__(self) -> None:
        super().__init__()
        self.names = set[str]()

    def get(self, key: str, default: Any = None) -> Any:
        self.names.add(key)
        return default


def test_all_of_our_generators_are_known_by_their_options() -> None:
    assert set(OF_GENERATOR) == {f"{one.__module__}:{one.__name__}" for one in GENERATORS}


def digest(rows: pa.Table) -> str:
    numbered = rows.set_column(1, "time", rows["time"].cast(pa.int64()))
    return hashlib.sha256(repr(rows_of(numbered)).encode()).hexdigest()[:16]


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda generator: f"{generator.__module__.split('.')[-1]}-{generator.__name__}")
class TestEveryGenerator:
    def test_gives_the_same_rows_again_and_others_under_another_seed(self, generator: Generator) -> None:
        assert generator(40, {}, 1, 4).equals(generator(40, {"seed": "1"}, 1, 4))
        assert not generator(40, {}, 0, 1).equals(generator(40, {"seed": "2"}, 0, 1))

    def test_asks_for_the_options_that_it_is_said_to_take(self, generator: Generator) -> None:
        asked = Asked()
        generator(40, asked, 0, 1)
        assert asked.names == set(OF_GENERATOR[f"{generator.__module__}:{generator.__name__}"])

    def test_shares_its_rows_out_among_tasks(self, generator: Generator) -> None:
        whole = generator(40, {}, 0, 1).sort_by("key")
        parts = pa.concat_tables([generator(40, {}, task, 4) for task in range(4)]).sort_by("key")
        same = [
            name for name in whole.column_names if name != "server"
        ]  # a server belongs to one task, so it depends on how many there are
        assert parts.select(same).equals(whole.select(same))

    def test_has_a_schema_that_never_changes_and_no_key_twice(self, generator: Generator) -> None:
        rows = [generator(epoch, {"ratePerS": "40"}, 0, 1) for epoch in range(1, 30)]
        assert len({epoch.schema for epoch in rows}) == 1
        keys = pa.concat_tables(rows)["key"].to_numpy()
        assert len(set(keys)) == len(keys) > 0

    def test_has_times_within_the_epoch(self, generator: Generator) -> None:
        faster = weblog.FASTER if generator is weblog.rows else 1
        starts = {market.rows: market.OPENING_US, weblog.rows: weblog.DAY_US}.get(generator, roads.YEAR_US)
        times = generator(41, {}, 0, 1)["time"].cast(pa.int64()).to_numpy() - starts
        assert times.min() >= faster * 40 * 250_000
        assert times.max() < faster * 41 * 250_000
        assert (np.diff(times) >= 0).all()


def test_the_market_has_500_events_a_second_on_average_and_bursts_of_2200() -> None:
    rows = [market.rows(epoch, {}, 0, 1).num_rows for epoch in range(1, 4 * 600 + 1)]  # ten minutes
    assert sum(rows) / 600 == pytest.approx(499.9, abs=0.1)
    peaks = [count == 550 for count in rows]
    assert set(rows) == {77, 78, 550}
    assert sum(peaks) / len(peaks) == pytest.approx(0.1)
    bursts = [i for i in range(1, len(peaks)) if peaks[i] and not peaks[i - 1]]
    assert len(bursts) in {29, 30}
    assert len({start % 80 for start in bursts}) > 15


def test_the_market_s_key_counts_its_events_from_the_first_and_time_rises_with_it() -> None:
    rows = together(market.rows, range(1, 101), {})
    assert rows["key"].to_pylist() == list(range(rows.num_rows))
    assert (np.diff(rows["time"].cast(pa.int64()).to_numpy()) >= 0).all()


def test_four_fifths_of_the_market_s_events_are_quotes_and_each_kind_has_its_own_columns() -> None:
    rows = together(market.rows, range(1, 101), {})
    quotes = pc.equal(rows["type"], "quote")
    assert pc.sum(quotes).as_py() / rows.num_rows == pytest.approx(0.8, abs=0.01)
    assert rows["price_cents"].is_null().equals(quotes)
    assert rows["ask_cents"].is_valid().equals(quotes)


def test_the_market_scales_down_with_its_shape() -> None:
    rows = [market.rows(epoch, {"ratePerS": "50"}, 0, 1).num_rows for epoch in range(1, 4 * 60 + 1)]
    assert sum(rows) / 60 == pytest.approx(50, abs=0.1)
    assert max(rows) == 55


def test_a_price_moves_by_less_than_a_hundredth_a_second() -> None:
    seconds = np.arange(0, 600) * 1_000_000
    prices = market.prices_cents(1, np.zeros(600, dtype=np.int64), seconds)
    assert np.abs(np.diff(prices) / prices[1:]).max() < 0.01
    assert prices.max() / prices.min() > 1.09


def test_the_access_log_has_the_rate_of_the_paper_and_zipf_s_pages() -> None:
    log = together(weblog.rows, range(1, 41), {})
    assert log.num_rows == 407_180
    hits = np.sort(np.unique(log["page"].to_numpy(), return_counts=True)[1])[::-1][:50]
    slope = np.polyfit(np.log(np.arange(1, 51)), np.log(hits), 1)[0]
    assert slope == pytest.approx(-1.4, abs=0.05)


def test_the_hot_pages_are_others_after_some_hours_of_the_log() -> None:
    def hottest(epoch: int) -> str:
        pages, hits = np.unique(weblog.rows(epoch, {}, 0, 1)["page"].to_numpy(), return_counts=True)
        return str(pages[hits.argmax()])

    assert hottest(1) == hottest(40) == "/page/0"
    assert hottest(4 * 75 + 1) == "/page/7"


def test_a_server_s_records_come_through_one_task() -> None:
    seen = [set(weblog.rows(1, {}, task, 8)["server"].to_pylist()) for task in range(8)]
    assert set.union(*seen) == set(range(32))
    assert sum(map(len, seen)) == 32


def test_every_user_tells_its_place_every_five_seconds() -> None:
    places = together(roads.locations, range(1, 21), {})
    assert places.num_rows == 100_000
    assert np.array_equal(np.sort(places["user"].to_numpy()), np.arange(100_000))
    users = np.unique(places["segment"].to_numpy(), return_counts=True)[1]
    assert len(users) == 1_000
    slope = np.polyfit(np.log(np.arange(1, 1001)), np.log(np.sort(users)[::-1]), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.01)


def test_an_incident_happens_every_two_seconds_and_all_196_users_on_its_segment_report_it() -> None:
    happened = roads.incidents(1, 100_000, 0, 8_000_000_000)
    assert np.array_equal(happened.start_us, np.arange(4_000) * 2_000_000)
    on_segment = np.bincount(roads.segments_of(100_000))
    assert on_segment[happened.segment].mean() == pytest.approx(196, rel=0.05)
    assert (happened.blocked_us > 0).mean() == pytest.approx(0.4, abs=0.03)

    told = together(roads.reports, range(1, 81), {})
    numbers, reports = np.unique(told["incident"].to_numpy(), return_counts=True)
    over = numbers < 8  # the later ones are still being reported
    assert np.array_equal(reports[over], on_segment[happened.segment[:8]])


def test_an_incident_s_segment_is_slow_while_it_is_blocked() -> None:
    happened = roads.incidents(1, 100_000, 0, 200_000_000)
    first = int(np.flatnonzero(happened.blocked_us)[0])
    segment, start_us, length_us = happened.segment[first], happened.start_us[first], happened.blocked_us[first]

    def blocked(at_us: int) -> bool:
        return bool(roads.is_blocked(1, 100_000, np.array([segment]), np.array([at_us]))[0])

    assert [blocked(start_us - 1), blocked(start_us), blocked(start_us + length_us - 1)] == [False, True, True]
    free = np.flatnonzero(np.bincount(happened.segment, minlength=1_000) == 0)[:1]
    assert not roads.is_blocked(1, 100_000, free, np.array([start_us])).any()


def test_two_neighbouring_tasks_of_eight_have_the_segments_of_one_task_of_four() -> None:
    segments = np.arange(1_000)
    assert np.array_equal(roads.tasks_of(segments, 8) // 2, roads.tasks_of(segments, 4))
    assert np.bincount(roads.tasks_of(segments, 8)).min() >= 120


def test_draws_are_what_their_names_say() -> None:
    numbers = np.arange(200_000, dtype=np.int64)
    even = uniform(3, "a", numbers)
    assert even.mean() == pytest.approx(0.5, abs=0.003)
    assert np.histogram(even, bins=20, range=(0, 1))[0] == pytest.approx(10_000, rel=0.05)
    assert abs(np.corrcoef(even, uniform(3, "b", numbers))[0, 1]) < 0.01
    assert abs(np.corrcoef(even[:-1], even[1:])[0, 1]) < 0.01
    normal = bell(3, "a", numbers)
    assert (normal.mean(), normal.std()) == (pytest.approx(0, abs=0.01), pytest.approx(1, abs=0.01))
    ranks = np.bincount(zipf(3, "a", numbers, 4, 1.0)) / len(numbers)
    assert ranks == pytest.approx(np.array([12, 6, 4, 3]) / 25, abs=0.005)
    assert wave(np.array([0.0, 0.25, 0.5, 0.75, 1.0])).tolist() == [-1, 0, 1, 0, -1]


def test_a_rate_or_a_period_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        market.rows(1, {"ratePerS": "0"}, 0, 1)


@pytest.mark.parametrize(("generator", "expected"), list(zip(GENERATORS, RECORDED, strict=True)))
def test_the_rows_are_those_of_every_other_machine(generator: Generator, expected: str) -> None:
    """Recorded once: a change here makes new runs incomparable with old ones."""
    assert digest(generator(1_000, {}, 0, 1)) == expected
