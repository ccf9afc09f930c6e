"""Bargain Discovery on Spark gives what a plain loop over its events gives, in whatever order the rows of an epoch come."""

import pyarrow as pa
import pytest

from levee_spark.examples import bargains, market
from tests.examples.by_hand import bargains_by_hand, sums_by_hand
from tests.examples.epochs import Epochs, Run, rows_of, shuffled

SOME = {"ratePerS": "1000", "symbols": "7"}


@pytest.fixture(scope="module")
def market_data() -> Epochs:
    return [market.rows(epoch, SOME, 0, 1) for epoch in range(1, 5)]


def test_the_topology_finds_the_bargains_that_a_loop_over_the_events_finds(run: Run, market_data: Epochs) -> None:
    sums = run(
        lambda inputs: bargains.aggregator({"trade-filter": bargains.trade_filter(inputs)}), {"market": shuffled(market_data)}
    )  # in one query, as the filters keep nothing
    assert [rows_of(epoch) for epoch in sums] == sums_by_hand(market_data)

    found = run(
        lambda inputs: bargains.bargain_index({"vwap": bargains.vwap(inputs), "quote-filter": bargains.quote_filter(inputs)}),
        {"aggregator": shuffled(sums), "market": shuffled(market_data)},
    )
    expected = bargains_by_hand(market_data)
    assert [rows_of(epoch) for epoch in found] == expected
    assert min(len(epoch) for epoch in expected) > 0


def test_a_quote_meets_the_average_of_the_last_trade_before_it() -> None:
    events = [(1, "A", 0, 100.0), (2, "A", 10, 99.0), (3, "A", 0, 90.0), (4, "A", 10, 89.0), (5, "A", 10, 90.0), (6, "B", 10, 1.0)]
    kept, found = bargains.find_bargains(b"", events)
    assert found == [(2, "A", 99, 10, 100.0, 10.0), (4, "A", 89, 10, 90.0, 10.0)]
    assert bargains.find_bargains(kept, [(7, "A", 1, 80.0)])[1] == [(7, "A", 80, 1, 90.0, 10.0)]


def test_five_trades_make_an_average_and_the_sixth_takes_the_place_of_the_first() -> None:
    trades = [(key, "A", 10**key, 1) for key in range(7)]
    _, together = bargains.sum_recent(b"", trades)
    kept, before = bargains.sum_recent(b"", trades[:3])
    assert before + bargains.sum_recent(kept, trades[3:])[1] == together
    assert together[-1] == (6, "A", 1_111_100, 5)


def test_about_a_tenth_of_the_quotes_are_bargains() -> None:
    """As the topology declares by its selectivities."""
    averages = newest = b""
    quotes = found = 0
    for epoch in range(1, 601):
        rows = market.rows(epoch, {}, 0, 1).to_pylist()
        averages, sums = bargains.sum_recent(
            averages, [(row["key"], row["symbol"], row["price_cents"], row["volume"]) for row in rows if row["type"] == "trade"]
        )
        asked = [(row["key"], row["symbol"], row["ask_size"], float(row["ask_cents"])) for row in rows if row["type"] == "quote"]
        newest, some = bargains.find_bargains(
            newest, sorted(asked + [(key, symbol, 0, cents / volume) for key, symbol, cents, volume in sums])
        )
        quotes, found = quotes + len(asked), found + len(some)
    assert found / quotes == pytest.approx(0.1, abs=0.03)


def test_the_filters_share_the_events(run: Run, market_data: Epochs) -> None:
    kept = [run(operator, {"market": market_data[:1]})[0] for operator in (bargains.trade_filter, bargains.quote_filter)]
    keys = pa.concat_arrays([rows["key"].combine_chunks() for rows in kept]).to_pylist()
    assert sorted(keys) == market_data[0]["key"].to_pylist()
    assert [rows.column(3).null_count for rows in kept] == [0, 0]
