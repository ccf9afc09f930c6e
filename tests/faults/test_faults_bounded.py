"""A topology whose sources end, with real Spark: every window comes out, once, and the run ends by itself."""

import json
from pathlib import Path

import pytest

from levee.cli.main import run as levee
from levee.plans.ending import Exit

EPOCHS = {"left": 8, "right": 14}  # they end at different times
PERIOD_MS = 300
ROWS = 3
MINE = """
import pyarrow as pa
from pyspark.sql import functions as f

def rows(epoch, options, task, tasks):
    at = pa.array([1_000_000_000_000 + 1_000_000 * epoch] * 3, pa.timestamp("us", "UTC"))
    return pa.table({"name": [options["name"]] * 3, "at": at})

def counted(inputs):
    both = inputs["left"].select("name", "at").union(inputs["right"].select("name", "at"))
    windows = both.withWatermark("at", "1 hour").groupBy(f.window("at", "5 seconds"), "name").agg(f.count("*").alias("rows"))
    return windows.select("name", f.col("window.start").cast("long").alias("since"), "rows")
"""
TOPOLOGY = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: bounded, namespace: tests}}
spec:
  store: {{uri: "{store}?durable=false"}}
  epoch: {{period: {period}ms, hold: 100ms}}
  sources:
  - name: left
    spark: {{format: replay, options: {{generator: "mine:rows", name: left, epochs: "{left}"}}}}
    configurations: [{{name: calm, rate: 10, probability: 1}}]
  - name: right
    spark: {{format: replay, options: {{generator: "mine:rows", name: right, epochs: "{right}"}}}}
    configurations: [{{name: calm, rate: 10, probability: 1}}]
  operators:
  - {{name: counted, function: "mine:counted", inputs: [{{from: left, cost: 1us}}, {{from: right, cost: 1us}}]}}
  sinks: [{{name: out, from: counted, spark: {{format: json, options: {{path: "{out}"}}}}}}]
  faultTolerance: {{strategy: static, replicas: 2, failureTimeout: 4s}}
  placement: {{nodes: [{{name: node-1}}, {{name: node-2}}]}}
"""


def delivered(place: Path) -> dict[str, list[dict[str, object]]]:
    return {file.name: [json.loads(line) for line in file.read_text().splitlines()] for file in sorted((place / "out").glob("part-*"))}


def windows() -> dict[tuple[str, int], int]:
    found: dict[tuple[str, int], int] = {}
    for name, epochs in EPOCHS.items():
        for epoch in range(1, epochs + 1):
            since = (1_000_000 + epoch) // 5 * 5
            found[name, since] = found.get((name, since), 0) + ROWS
    return found


def test_every_window_comes_out_once_and_the_run_completes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    told = TOPOLOGY.format(store=(tmp_path / "store").as_uri(), out=tmp_path / "out", period=PERIOD_MS, **EPOCHS)
    (tmp_path / "topology.yaml").write_text(told)
    place = ("--directory", str(tmp_path / "run"))
    command = ["run", "-f", str(tmp_path / "topology.yaml"), *place, "--plain"]
    assert levee(command) == Exit.OK
    assert "Completed: all rows of all sources have been computed" in capsys.readouterr().out
    files = delivered(tmp_path)
    rows = [row for of in files.values() for row in of]
    assert {(row["name"], row["since"]): row["rows"] for row in rows} == windows()
    assert len(rows) == len(windows())
    assert list(files) == [f"part-00000-{max(EPOCHS.values()) + 1:012}.json"]  # the closing epoch has them all
    assert levee(command) == Exit.OK
    assert "there is nothing left to do" in capsys.readouterr().out
    assert delivered(tmp_path) == files
    levee(["status", *place])
    assert "Completed" in capsys.readouterr().out
