"""Traffic incidents on Spark: averages per second, distinct incidents, and the jams they cause."""

from collections import defaultdict
from typing import Any

import pyarrow as pa
import pytest

from levee_spark.examples import roads, traffic
from tests.examples.epochs import Epochs, Run, rows_of, shuffled

SMALL = {"users": "3000", "ratePerS": "600"}


def test_speeds_are_averages_of_the_seconds_that_are_over(run: Run) -> None:
    epochs = [roads.locations(epoch, SMALL, 0, 1) for epoch in range(1, 8)]
    found = run(traffic.speeds, {"locations": shuffled(epochs)})
    assert [rows.num_rows > 0 for rows in found] == [False] * 5 + [True, False]  # the fifth epoch is the first that is later
    assert rows_of(found[5]) == averages_by_hand(epochs[:4])


def averages_by_hand(epochs: Epochs) -> list[tuple[Any, ...]]:
    seen: defaultdict[tuple[Any, int], list[int]] = defaultdict(list)
    for row in (row for rows in epochs for row in rows.to_pylist()):
        seen[row["time"].replace(microsecond=0), row["segment"]].append(row["speed_kmh"])
    return sorted((second, segment, sum(speeds) / len(speeds), len(speeds)) for (second, segment), speeds in seen.items())


def test_an_incident_is_told_once_however_many_report_it(run: Run) -> None:
    epochs = [roads.reports(epoch, SMALL | {"periodMs": "1500"}, 0, 1) for epoch in range(1, 5)]
    found = run(traffic.incidents, {"reports": shuffled(epochs)})
    told = [set(zip(rows["incident"].to_pylist(), rows["segment"].to_pylist(), strict=True)) for rows in epochs]
    expected = [sorted(some.difference(*told[:epoch])) for epoch, some in enumerate(told)]
    assert [rows_of(rows) for rows in found] == expected
    assert sum(rows.num_rows for rows in epochs) > sum(map(len, expected)) > 1


def reported(*incidents: tuple[int, int]) -> pa.Table:
    return table(("incident", "segment"), (pa.int64(), pa.int64()), incidents)


def measured(*speeds: tuple[int, float]) -> pa.Table:
    return table(("segment", "speed_kmh"), (pa.int64(), pa.float64()), speeds)


def table(names: tuple[str, ...], kinds: tuple[pa.DataType, ...], rows: tuple[tuple[Any, ...], ...]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [() for _ in names]
    return pa.table([pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)], names=list(names))


def test_a_jam_is_found_once_whichever_is_seen_first(run: Run) -> None:
    incidents = [reported((1, 10), (2, 20)), reported(), reported((3, 30)), reported()]
    speeds = [measured((10, 80.0), (30, 12.0)), measured((10, 9.5), (20, 26.0)), measured((10, 8.0)), measured((20, 60.0))]
    found = run(traffic.jams, {"incidents": incidents, "speeds": speeds})
    assert [rows_of(rows) for rows in found] == [[], [(1, 10, 9.5)], [(3, 30, 12.0)], []]
    assert [rows_of(rows) for rows in run(traffic.overview, {"jams": found[1:3]})] == [[(1, 10, 9.5)], [(3, 30, 12.0)]]


def test_an_incident_of_five_minutes_ago_causes_no_jam() -> None:
    kept, _ = traffic.match_jams(b"", [(1_000, 1, 10, 0.0), (2_000, 2, 10, 0.0)])
    assert traffic.match_jams(kept, [(301_000, -1, 10, 5.0)])[1] == [(2, 10, 5.0)]


def test_a_jam_that_was_over_before_is_no_matter_of_an_incident() -> None:
    kept, _ = traffic.match_jams(b"", [(1_000, -1, 10, 5.0), (2_000, -1, 20, 6.0)])
    assert traffic.match_jams(kept, [(11_000, 1, 10, 0.0), (11_000, 2, 20, 0.0)])[1] == [(2, 20, 6.0)]


def test_the_jams_are_the_incidents_that_block_the_road() -> None:
    """From one end to the other, without Spark: a minute, an epoch a second."""
    options = {"users": "10000", "ratePerS": "2000", "periodMs": "1000"}
    kept = b""
    found: list[tuple[Any, ...]] = []
    known: set[int] = set()
    for epoch in range(1, 61):
        new = {(row["incident"], row["segment"]) for row in roads.reports(epoch, options, 0, 1).to_pylist()}
        events: list[tuple[Any, ...]] = [(epoch * 1000, number, segment, 0.0) for number, segment in new if number not in known]
        known |= {number for number, _ in new}
        averages = averages_by_hand([roads.locations(epoch, options, 0, 1)])
        events += [(epoch * 1000, -1, segment, speed) for _, segment, speed, _ in averages if speed < traffic.SLOW_KMH]
        if events:
            kept, some = traffic.match_jams(kept, sorted(events))
            found += some
    happened = roads.incidents(1, 10_000, 0, 56_000_000)
    blocking = set(happened.number[happened.blocked_us > 0].tolist())
    jammed = [number for number, _, _ in found]
    assert len(jammed) == len(set(jammed))
    assert blocking <= set(jammed)
    assert len(jammed) / len(known) == pytest.approx(0.4, abs=0.15)
