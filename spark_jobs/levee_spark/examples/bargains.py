"""The operators of Bargain Discovery: where a quote asks less than recent trades of its symbol have shown, there is a bargain.

Why: the application of Jacques-Silva et al., Fault Injection-based Assessment of Partial Fault Tolerance, 6.1. Where theirs depends on
which of two streams is faster, this one does not: a quote meets the average that holds at its own key, so every run gives the same.
Called by: the workers of the topology `bargain-discovery`; its source gives the columns of levee_spark.examples.market.
"""

import json

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from levee_spark.examples.carry import Rows, carry

RECENT = 5  # trades that make an average


def trade_filter(inputs: dict[str, DataFrame]) -> DataFrame:
    return inputs["market"].where("type = 'trade'").select("key", "symbol", "price_cents", "volume")


def quote_filter(inputs: dict[str, DataFrame]) -> DataFrame:
    return inputs["market"].where("type = 'quote'").select("key", "symbol", "ask_cents", "ask_size")


def aggregator(inputs: dict[str, DataFrame]) -> DataFrame:
    """After each trade: what the last 5 of its symbol cost together, and how many shares they moved."""
    trades = inputs["trade-filter"].select("key", "symbol", "price_cents", "volume")
    return carry(trades, sum_recent, "key long, symbol string, total_cents long, total_volume long")


def sum_recent(kept: bytes, trades: Rows) -> tuple[bytes, Rows]:
    recent: dict[str, list[tuple[int, int]]] = json.loads(kept or "{}")
    sums: Rows = []
    for key, symbol, price_cents, volume in trades:
        last = recent[symbol] = [*recent.get(symbol, [])[1 - RECENT :], (price_cents * volume, volume)]
        sums.append((key, symbol, sum(cents for cents, _ in last), sum(moved for _, moved in last)))
    return json.dumps(recent).encode(), sums


def vwap(inputs: dict[str, DataFrame]) -> DataFrame:
    """The moving average price, weighted by volume."""
    return inputs["aggregator"].select("key", "symbol", (f.col("total_cents") / f.col("total_volume")).alias("vwap_cents"))


def bargain_index(inputs: dict[str, DataFrame]) -> DataFrame:
    """Quotes below the newest average of their symbol, with what buying all that is offered would gain."""
    averages = inputs["vwap"].select("key", "symbol", f.lit(0).cast("long").alias("ask_size"), f.col("vwap_cents").alias("cents"))
    quotes = inputs["quote-filter"].select("key", "symbol", "ask_size", f.col("ask_cents").cast("double").alias("cents"))
    schema = "key long, symbol string, ask_cents long, ask_size long, vwap_cents double, gain_cents double"
    return carry(averages.unionByName(quotes), find_bargains, schema)


def find_bargains(kept: bytes, events: Rows) -> tuple[bytes, Rows]:
    """An event that offers nothing is an average."""
    newest: dict[str, float] = json.loads(kept or "{}")
    bargains: Rows = []
    for key, symbol, ask_size, cents in events:
        if ask_size == 0:
            newest[symbol] = cents
        elif cents < newest.get(symbol, 0):
            bargains.append((key, symbol, int(cents), ask_size, newest[symbol], ask_size * (newest[symbol] - cents)))
    return json.dumps(newest).encode(), bargains
