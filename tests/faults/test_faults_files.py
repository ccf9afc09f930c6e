"""Files in, files out, as Spark's own reader and Levee's writer have them, with the source's leader killed in between."""

import csv
import json
from pathlib import Path

from tests.faults.commands import levee, running, until

RESOURCE = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: files}}
spec:
  store: {{uri: "file://{place}/store?durable=false"}}
  epoch: {{period: 500ms}}
  sources:
  - name: readings
    spark: {{format: json, options: {{path: "{place}/in", schema: "number BIGINT, sensor STRING", maxFilesPerTrigger: "2"}}}}
    configurations: [{{rate: 20}}]
  operators:
  - {{name: even, function: "mine.py:even", inputs: [{{from: readings, cost: 10us}}]}}
  sinks:
  - {{name: lines, from: even, spark: {{format: json, options: {{path: "{place}/lines"}}}}}}
  - {{name: table, from: even, spark: {{format: csv, options: {{path: "{place}/table", header: "true"}}}}}}
  faultTolerance: {{strategy: static}}
  placement: {{nodes: [{{name: node-1}}, {{name: node-2}}]}}
"""
MINE = """
def even(inputs):
    return inputs["readings"].where("number % 2 = 0").select("number", "sensor")
"""
FILES, ROWS = 12, 10


def test_every_row_of_every_file_comes_once_though_the_replica_that_reads_them_is_killed(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "in").mkdir()
    for file in range(FILES // 2):
        put(tmp_path, file)
    with running(tmp_path, RESOURCE.format(place=tmp_path)):
        until(lambda: len(lines(tmp_path)) > 0, "the first rows are delivered")
        levee(tmp_path, "kill", "replica", "readings/0")  # the primary of the task
        for file in range(FILES // 2, FILES):
            put(tmp_path, file)
        until(lambda: len(set(lines(tmp_path))) == FILES * ROWS // 2, "all rows are delivered")
        levee(tmp_path, "stop")
    wanted = [(number, f"s{number % 3}") for number in range(0, FILES * ROWS, 2)]
    assert sorted(lines(tmp_path)) == wanted
    assert sorted(table(tmp_path)) == wanted


def put(place: Path, file: int) -> None:
    """Whole, under its name."""
    rows = [{"number": number, "sensor": f"s{number % 3}"} for number in range(file * ROWS, (file + 1) * ROWS)]
    begun = place / f"{file}.begun"
    begun.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    begun.rename(place / "in" / f"{file}.json")


def lines(place: Path) -> list[tuple[int, str]]:
    read = [json.loads(line) for file in (place / "lines").glob("part-*.json") for line in file.read_text().splitlines()]
    return [(row["number"], row["sensor"]) for row in read]


def table(place: Path) -> list[tuple[int, str]]:
    read = [row for file in (place / "table").glob("part-*.csv") for row in csv.DictReader(file.read_text().splitlines())]
    return [(int(row["number"]), row["sensor"]) for row in read]
