"""The access log of a web site on a busy day, replayed 48 times as fast.

Why: the log of the World Cup site of 30 June 1998, which the top-100 query was tried on, need not be fetched for a test. Known of it
(Su and Zhou, Tolerating Correlated Failures in Massively Parallel Stream Processing Engines, VI-B): 73,291,868 records in the day, so
40,718 a second at 48 times its speed, and that the records come by server. Guessed: 5,000 pages with Zipf's s = 1.4, which turns
out hotter and cooler over the minutes, sizes, clients, 32 servers.
Called by: the `replay` source, as `levee_spark.examples.weblog:rows`; options: seed, ratePerS, periodMs, pages.
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from levee_spark.examples.draws import Numbers, Pace, below, names, numbered, times_us, timestamps, zipf

DAY_US = 899_164_800_000_000  # 1998-06-30
FASTER = 48
RATE_PER_S = 40_718
SERVERS, CLIENTS = 32, 2_770_000
PAGES, SKEW = "5000", 1.4
TURN_US = 3_600_000_000  # every hour of the log other pages are hot


def rows(epoch: int, options: Mapping[str, str], task: int, tasks: int) -> pa.Table:
    """One epoch of the log: of each task, the records of its own servers."""
    pace = Pace.of(options, rate_per_s=RATE_PER_S)
    first, end = pace.rows_before(epoch), pace.rows_before(epoch + 1)
    keys = numbered(first, end, task, tasks)
    happened_us = FASTER * times_us(keys, first, end, pace.start_us(epoch), pace.period_ms * 1000)
    page = hot_pages(pace.seed, int(options.get("pages", PAGES)), keys, happened_us)
    return pa.table(
        {
            "key": keys,
            "time": timestamps(DAY_US + happened_us),
            "server": servers(pace.seed, keys, task, tasks),
            "client": below(pace.seed, "client", keys, CLIENTS),
            "page": names("/page/{}", int(options.get("pages", PAGES))).take(pa.array(page)),
            "bytes": 200 + below(pace.seed, "bytes", keys, 16_000),
        }
    )


def servers(seed: int, keys: Numbers, task: int, tasks: int) -> Numbers:
    """A server's records come through one task only: those of task 3 of 8 are 3, 11, 19 and 27."""
    return task + tasks * below(seed, "server", keys, max(1, SERVERS // tasks))


def hot_pages(seed: int, pages: int, keys: Numbers, happened_us: Numbers) -> Numbers:
    """By the hour the ranking moves on by a few pages, so that the 100 hottest do not stay the same."""
    rank = zipf(seed, "page", keys, pages, SKEW)
    return np.asarray((rank + 7 * (happened_us // TURN_US)) % pages)
