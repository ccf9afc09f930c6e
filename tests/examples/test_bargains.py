"""Bargain Discovery on Spark gives what a plain loop over its events gives."""

import random
from typing import Any

import pyarrow as pa

from levee_spark.examples import bargains, market
from tests.examples.conftest import Epochs, Run

SOME = {"ratePerS": "1000", "symbols": "7"}
EPOCHS = 6


def some_epochs() -> Epochs:
    return [market.rows(epoch, SOME, 0, 1) for epoch in range(EPOCHS)]


def shuffled(epochs: Epochs) -> Epochs:
    order = random.Random(7)
    return [rows.take(pa.array(order.sample(range(rows.num_rows), rows.num_rows))) for rows in epochs]


def sorted_rows(epochs: Epochs) -> list[list[tuple[Any, ...]]]:
    return [sorted(tuple(row.values()) for row in rows.to_pylist()) for rows in epochs]


def discover(run: Run, market_data: Epochs) -> dict[str, Epochs]:
    """The whole topology, operator by operator."""
    trades = run(bargains.trade_filter, {"market": market_data})
    quotes = run(bargains.quote_filter, {"market": market_data})
    sums = run(bargains.aggregator, {"trade-filter": trades})
    averages = run(bargains.vwap, {"aggregator": sums})
    found = run(bargains.bargain_index, {"vwap": averages, "quote-filter": quotes})
    return {"trades": trades, "quotes": quotes, "sums": sums, "averages": averages, "found": found}


def by_hand(market_data: Epochs) -> list[list[tuple[Any, ...]]]:
    """One event after the other."""
    last: dict[str, list[tuple[int, int]]] = {}
    found = []
    for rows in market_data:
        epoch = []
        for row in rows.to_pylist():
            recent = last.setdefault(row["symbol"], [])
            if row["type"] == "trade":
                recent.append((row["price_cents"] * row["volume"], row["volume"]))
            elif recent:
                cents, volume = (sum(column) for column in zip(*recent[-5:], strict=True))
                gain = row["ask_size"] * (cents / volume - row["ask_cents"])
                if gain > 0:
                    epoch.append((row["key"], row["symbol"], row["ask_cents"], row["ask_size"], cents / volume, gain))
        found.append(epoch)
    return found


def test_the_topology_finds_the_bargains_that_a_loop_over_the_events_finds(run: Run) -> None:
    market_data = some_epochs()
    streams = discover(run, market_data)
    expected = by_hand(market_data)
    assert sorted_rows(streams["found"]) == expected
    assert sum(len(epoch) for epoch in expected) > 10
    assert sum(rows.num_rows for rows in streams["sums"]) == sum(rows.num_rows for rows in streams["trades"])
