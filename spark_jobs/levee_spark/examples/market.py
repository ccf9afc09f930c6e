"""Trades and quotes of a stock market, with the shape of the data that Bargain Discovery was tried on.

Why: the real trades and quotes of December 2005 are nobody's to give away. Known of them (Jacques-Silva et al., Fault Injection-based
Assessment of Partial Fault Tolerance, 6.2): 500 events a second on average with peaks of 2200, 80 % quotes; a key that rises with
every entry. Guessed: that a tenth of the time is peak, in bursts of two seconds; how prices move; that one quote in ten is a bargain.
Called by: the `replay` source, as `levee_spark.examples.market:rows`; options: seed, ratePerS (average), periodMs, symbols.
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from levee_spark.examples.draws import Numbers, Pace, Shares, bell, below, names, numbered, times_us, timestamps, uniform, wave, zipf

OPENING_US = 1_133_447_400_000_000  # 2005-12-01, half past nine in New York
QUOTES = 0.8
AVERAGE_PER_S, CALM_PER_S, PEAK_PER_S = 500, 311, 2200  # 0.9 x 311 + 0.1 x 2200 = 499.9
BURST_MS, ROUND_MS = 2_000, 20_000  # one burst in every round, anywhere in it
ROUND_LOTS = 100
SPREAD, SCATTER = 0.019, 0.01  # of the ask above the price; what they are makes a tenth of the quotes bargains


def rows(epoch: int, options: Mapping[str, str], task: int, tasks: int) -> pa.Table:
    """One epoch of the market: what is due in it, in the order of its key."""
    pace = Pace.of(options, rate_per_s=AVERAGE_PER_S)
    first, end = rows_before(epoch, pace), rows_before(epoch + 1, pace)
    keys = numbered(first, end, task, tasks)
    happened_us = times_us(keys, first, end, pace.start_us(epoch), pace.period_ms * 1000)
    return table(pace.seed, int(options.get("symbols", "100")), keys, happened_us)


def rows_before(epoch: int, pace: Pace) -> int:
    """How many rows the epochs before this one have, without going through them."""
    rounds, place = divmod(epoch - 1, epochs_in(ROUND_MS, pace))
    burst = epochs_in(BURST_MS, pace)
    start = int(below(pace.seed, "burst", np.array([rounds]), epochs_in(ROUND_MS, pace) - burst + 1)[0])
    at_peak = rounds * burst + min(max(place - start, 0), burst)
    rate = PEAK_PER_S * at_peak + CALM_PER_S * (epoch - 1 - at_peak)
    return rate * pace.rate_per_s * pace.period_ms // (AVERAGE_PER_S * 1000)


def epochs_in(ms: int, pace: Pace) -> int:
    return max(1, ms // pace.period_ms)


def table(seed: int, symbols: int, keys: Numbers, happened_us: Numbers) -> pa.Table:
    """The columns of a trade are empty in a quote, and the other way round."""
    symbol = zipf(seed, "symbol", keys, symbols, 0.8)
    is_quote = uniform(seed, "type", keys) < QUOTES
    price = prices_cents(seed, symbol, happened_us)
    asked = np.rint(price * (1 + SPREAD + SCATTER * bell(seed, "price", keys))).astype(np.int64)
    traded = np.rint(price * (1 + 0.002 * bell(seed, "price", keys))).astype(np.int64)
    shares = ROUND_LOTS * (1 + below(seed, "shares", keys, 20))
    return pa.table(
        {
            "key": keys,
            "time": timestamps(OPENING_US + happened_us),
            "symbol": names("S{:03}", symbols).take(pa.array(symbol)),
            "type": pa.array(["trade", "quote"]).take(pa.array(is_quote.astype(np.int8))),
            "price_cents": pa.array(traded, mask=is_quote),
            "volume": pa.array(shares, mask=is_quote),
            "ask_cents": pa.array(asked, mask=~is_quote),
            "ask_size": pa.array(shares, mask=~is_quote),
        }
    )


def prices_cents(seed: int, symbol: Numbers, happened_us: Numbers) -> Shares:
    """Each symbol swings about its own price, slowly by a twentieth and quickly by a hundredth."""
    base = 1_000 + 9_000 * uniform(seed, "base", symbol)
    slow = wave(happened_us / 90e6 + uniform(seed, "slow", symbol))
    quick = wave(happened_us / 11e6 + uniform(seed, "quick", symbol))
    price: Shares = base * (1 + 0.05 * slow + 0.01 * quick)
    return price
