"""Rule 7: there is one clock, the store's.

Why: nodes disagree about the time; the store stamps every object with the same clock. A stamp, its resolution and the time the request
took bound what time it is; one's own monotonic clock carries the bounds on, and they widen by as much as such clocks may run apart.
A new stamp is intersected with what was known, so that the time neither jumps back nor forgets a good measurement.
Called by: ingestors (what is due), trimmers (what is old enough), pins (what has run out).
"""

from dataclasses import dataclass

from levee_spark.log import ask
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Found, Script
from levee_spark.log.values import Probe

DRIFT_PPM = 500  # two quartz clocks of one second differ by less than this many microseconds


@dataclass(frozen=True, slots=True)
class StoreClock:
    """At the monotonic reading `at_ms` the store's time was between `low_ms` and `high_ms`."""

    at_ms: int
    low_ms: int
    high_ms: int
    resolution_ms: int = 1

    def earliest(self, now_ms: int) -> int:
        passed = now_ms - self.at_ms
        return self.low_ms + passed - passed * DRIFT_PPM // 1_000_000

    def latest(self, now_ms: int) -> int:
        passed = now_ms - self.at_ms
        return self.high_ms + passed + passed * DRIFT_PPM // 1_000_000 + 1


def stamped(written_ms: int, began_ms: int, ended_ms: int, resolution_ms: int) -> StoreClock:
    """What one stamp says: it was made somewhere between asking and being told, and its last digits are missing."""
    return StoreClock(ended_ms, written_ms, written_ms + resolution_ms + ended_ms - began_ms, resolution_ms)


def was_set(known: StoreClock | None, news: StoreClock) -> bool:
    """Whether the store's clock was set meanwhile: what was known and what is told cannot both hold."""
    return known is not None and (known.earliest(news.at_ms) > news.high_ms or known.latest(news.at_ms) < news.low_ms)


def corrected(known: StoreClock | None, news: StoreClock) -> StoreClock:
    """Both hold, so their intersection does; where they contradict each other, the store's clock was set: the newer holds."""
    if known is None:
        return news
    low, high = max(known.earliest(news.at_ms), news.low_ms), min(known.latest(news.at_ms), news.high_ms)
    return StoreClock(news.at_ms, low, high, news.resolution_ms) if low <= high else news


def ask_time(layout: Layout, holder: str, known: StoreClock | None, resolution_ms: int) -> Script[StoreClock]:
    key = layout.probe(holder, "clock")
    while True:
        done = yield from ask.overwrite(key, Probe(holder))
        found = yield from ask.look(key)
        if isinstance(found, Found):
            return corrected(known, stamped(found.written_ms, done.began_ms, done.ended_ms, resolution_ms))
