"""Rule 10: a store that lies is refused before anything depends on it.

Why: some servers ignore the condition of a put and overwrite; then two replicas both win. And where a round trip takes a third of a
period, epochs cannot keep up.
Called by: workers, once, before any role starts.
"""

from dataclasses import dataclass

from levee_spark.log import ask
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Script
from levee_spark.log.values import Probe

ROUND_TRIPS = 3  # put, and what may have to be read back


@dataclass(frozen=True, slots=True)
class Honest:
    round_trip_ms: int


@dataclass(frozen=True, slots=True)
class Refused:
    why: str


def examine(layout: Layout, holder: str, attempt: int, period_ms: int) -> Script[Honest | Refused]:
    """Put twice on a key of one's own; the first must stand."""
    key = layout.probe(holder, f"probe-{attempt}")
    first = yield from ask.agree(key, Probe(f"{holder} first"), Probe)
    second = yield from ask.agree(key, Probe(f"{holder} second"), Probe)
    if second != first:
        return Refused(
            f"the store overwrote {key} although it was told to create it only if absent (If-None-Match: *); two replicas would both win. "
            f"Use a store with conditional writes: S3, MinIO, versitygw, Google Cloud Storage, Azure or a local directory."
        )
    found = yield from ask.look(key)
    round_trip_ms = found.ended_ms - found.began_ms
    yield from ask.delete(key)
    return pace(round_trip_ms, period_ms)


def pace(round_trip_ms: int, period_ms: int) -> Honest | Refused:
    if period_ms < ROUND_TRIPS * round_trip_ms:
        return Refused(
            f"epoch.period {period_ms} ms: the store takes {round_trip_ms} ms for a round trip, and an epoch needs {ROUND_TRIPS}. "
            f"Set a period of at least {ROUND_TRIPS * round_trip_ms} ms, or use a nearer store."
        )
    return Honest(round_trip_ms)
