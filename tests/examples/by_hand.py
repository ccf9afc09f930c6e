"""What the operators of Bargain Discovery make of the market, by plain loops over its events.

Why: whatever runs them, on this machine or on a cluster, disturbed or not, is held to the same rows, found without Spark and without Levee.
Called by: tests of the examples, of the demo, and of topologies on a cluster.
"""

from typing import Any, TypeAlias

from tests.examples.epochs import Epochs

Row: TypeAlias = tuple[Any, ...]

SUMS = ("key", "symbol", "total_cents", "total_volume")
BARGAINS = ("key", "symbol", "ask_cents", "ask_size", "vwap_cents", "gain_cents")


def sums_by_hand(market_data: Epochs) -> list[list[Row]]:
    """After each trade, in the columns SUMS."""
    last: dict[str, list[tuple[int, int]]] = {}
    return [
        [
            (row["key"], row["symbol"], *traded(last.setdefault(row["symbol"], []), row))
            for row in rows.to_pylist()
            if row["type"] == "trade"
        ]
        for rows in market_data
    ]


def traded(last: list[tuple[int, int]], row: dict[str, Any]) -> tuple[int, int]:
    """Cents and shares of the last five, this one among them."""
    last.append((row["price_cents"] * row["volume"], row["volume"]))
    return sum(cents for cents, _ in last[-5:]), sum(volume for _, volume in last[-5:])


def bargains_by_hand(market_data: Epochs) -> list[list[Row]]:
    """One event after the other, in the columns BARGAINS."""
    last: dict[str, list[tuple[int, int]]] = {}
    average: dict[str, float] = {}
    found: list[list[Row]] = [[] for _ in market_data]
    for epoch, rows in zip(found, market_data, strict=True):
        for row in rows.to_pylist():
            symbol = row["symbol"]
            if row["type"] == "trade":
                cents, volume = traded(last.setdefault(symbol, []), row)
                average[symbol] = cents / volume
            elif symbol in average and row["ask_cents"] < average[symbol]:
                gain = row["ask_size"] * (average[symbol] - row["ask_cents"])
                epoch.append((row["key"], symbol, row["ask_cents"], row["ask_size"], average[symbol], gain))
    return found
