"""Incidents that cause traffic jams: the speed on each road segment, joined with what users report.

Why: query 2 of Su and Zhou, Tolerating Correlated Failures in Massively Parallel Stream Processing Engines, VI-B. The averages and the
distinct incidents are Spark's own windowed aggregation and deduplication; the join keeps what a segment still waits for.
Called by: the workers of the topology `traffic-incidents`; its sources give the columns of levee_spark.examples.roads.
"""

import json
from typing import TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from levee_spark.examples.carry import Rows, carry

SLOW_KMH = 25
OPEN_MS = 300_000  # for so long an incident may still cause a jam
BEFORE_MS = 10_000  # a jam may be seen before it is reported

Kept: TypeAlias = tuple[dict[str, list[tuple[int, int]]], dict[str, tuple[int, float]]]  # segment -> open incidents; segment -> last slow


def speeds(inputs: dict[str, DataFrame]) -> DataFrame:
    """The average speed on each segment in each second, once the second is over; locations come in the order of their time."""
    seconds = inputs["locations"].withWatermark("time", "0 seconds").groupBy(f.window("time", "1 second"), "segment")
    averages = seconds.agg(f.avg("speed_kmh").alias("speed_kmh"), f.count("*").alias("locations"))
    return averages.select(f.col("window.start").alias("second"), "segment", "speed_kmh", "locations")


def incidents(inputs: dict[str, DataFrame]) -> DataFrame:
    """Each incident once, however many report it. Whose report is the first depends on the order of rows, so nothing of it is kept."""
    reported = inputs["reports"].select("_epoch_time", "incident", "segment").withWatermark("_epoch_time", "10 seconds")
    return reported.dropDuplicatesWithinWatermark(["incident"]).select("incident", "segment")


def jams(inputs: dict[str, DataFrame]) -> DataFrame:
    """Incidents on segments that have become slow, each once."""
    at = f.unix_millis("_epoch_time").alias("at_ms")
    none, still = f.lit(-1).cast("long").alias("incident"), f.lit(0.0).alias("speed_kmh")
    reported = inputs["incidents"].select(at, "incident", "segment", still)
    slow = inputs["speeds"].where(f.col("speed_kmh") < SLOW_KMH).select(at, none, "segment", "speed_kmh")
    return carry(reported.unionByName(slow), match_jams, "incident long, segment long, speed_kmh double")


def match_jams(kept: bytes, events: Rows) -> tuple[bytes, Rows]:
    waiting, slow = recalled(kept, events[-1][0])
    found: Rows = []
    for at_ms, incident, segment, speed_kmh in events:
        place = str(segment)
        if incident < 0:
            slow[place] = (at_ms, speed_kmh)
            found += [(number, segment, speed_kmh) for number, _ in waiting.pop(place, [])]
        elif place in slow:
            found.append((incident, segment, slow[place][1]))
        else:
            waiting.setdefault(place, []).append((incident, at_ms))
    return json.dumps([waiting, slow]).encode(), found


def recalled(kept: bytes, now_ms: int) -> Kept:
    """What was kept, without what is too old to matter."""
    waiting, slow = json.loads(kept or "[{}, {}]")
    still = {place: [(number, at_ms) for number, at_ms in some if at_ms > now_ms - OPEN_MS] for place, some in waiting.items()}
    return {place: some for place, some in still.items() if some}, {
        place: seen for place, seen in slow.items() if seen[0] > now_ms - BEFORE_MS
    }


def overview(inputs: dict[str, DataFrame]) -> DataFrame:
    """The jams of all regions."""
    return inputs["jams"].select("incident", "segment", "speed_kmh")
