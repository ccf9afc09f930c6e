"""The shortest way into Levee, as its page says: a job made active-active by ten lines, whose leading replica is killed meanwhile."""

import json
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pyarrow import parquet

from tests.faults.commands import levee, running, until

EXAMPLE = Path(__file__).parents[2] / "examples" / "one-job"
WINDOW_S, SENSORS = 10, 20


def test_each_window_is_delivered_once_and_right_though_the_replica_that_leads_is_killed(tmp_path: Path) -> None:
    text = (EXAMPLE / "levee.yaml").read_text(encoding="utf-8")
    (tmp_path / "job.py").write_bytes((EXAMPLE / "job.py").read_bytes())
    with running(tmp_path, text.replace("/tmp/levee/one-job", str(tmp_path / "data"))):  # noqa: S108  (what the example names)
        until(lambda: len(windows(tmp_path)) >= 1, "a window is delivered")
        levee(tmp_path, "kill", "replica", "averages/0")  # the primary of the task
        before = len(windows(tmp_path))
        until(lambda: len(windows(tmp_path)) >= before + 2, "further windows are delivered")
        levee(tmp_path, "stop")
    found = [(row["since"].timestamp(), row["sensor"]) for row in delivered(tmp_path)]
    assert len(found) == len(set(found)), "none twice"
    wanted = averages(tmp_path)
    assert {key: wanted[key] for key in found} == {(row["since"].timestamp(), row["sensor"]): row["celsius"] for row in delivered(tmp_path)}
    assert set(found) == {key for key in wanted if key[0] in windows(tmp_path)}, "none of a window is missing"
    assert sorted(windows(tmp_path)) == [min(windows(tmp_path)) + WINDOW_S * n for n in range(len(windows(tmp_path)))]


def delivered(place: Path) -> list[dict[str, Any]]:
    return [row for file in sorted((place / "data" / "averages").glob("*.parquet")) for row in parquet.read_table(file).to_pylist()]


def windows(place: Path) -> set[float]:
    return {row["since"].timestamp() for row in delivered(place)}


def averages(place: Path) -> dict[tuple[float, int], float]:
    """From the rows that were taken in, without Spark."""
    tenths: dict[tuple[float, int], list[int]] = defaultdict(list)
    for line in levee(place, "tail", "ticks", "--from", "1").splitlines():
        row = json.loads(line)
        at = datetime.fromisoformat(row["timestamp"])
        since = at - timedelta(seconds=at.timestamp() % WINDOW_S)
        tenths[round(since.timestamp(), 3), row["value"] % SENSORS].append(row["value"] % 400)
    return {key: sum(values) / len(values) / 10 for key, values in tenths.items()}
