"""The one-job example: a job that runs by itself, and the ten lines that give it a second replica."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pyarrow as pa

from levee.topology.load import load_bytes
from tests.examples.epochs import START_MS, Epochs, Run, rows_of, shuffled

FOLDER = Path(__file__).parents[2] / "examples" / "one-job"


def job() -> ModuleType:
    found = importlib.util.spec_from_file_location("job", FOLDER / "job.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def ticks(seconds: int) -> Epochs:
    """As the rate source gives them, at 100 a second: an epoch a second."""
    start_us = START_MS * 1000
    return [
        pa.table(
            {
                "timestamp": pa.array([start_us + n * 10_000 for n in range(100 * second, 100 * second + 100)], pa.timestamp("us", "UTC")),
                "value": pa.array(range(100 * second, 100 * second + 100), pa.int64()),
            }
        )
        for second in range(seconds)
    ]


def test_the_job_averages_each_sensor_over_ten_seconds_that_are_over(run: Run) -> None:
    found = run(job().transform, {"ticks": shuffled(ticks(17))})
    assert [rows.num_rows for rows in found] == [0] * 16 + [20]
    assert [row[1:] for row in rows_of(found[16])] == [
        (sensor, sum(n % 400 for n in range(sensor, 1000, 20)) / 50 / 10) for sensor in range(20)
    ]


def test_ten_lines_give_it_a_replica_on_each_of_two_nodes() -> None:
    text = (FOLDER / "levee.yaml").read_bytes()
    (one,) = load_bytes(text, origin="levee.yaml")
    assert one.topology is not None, one.complaints
    assert len(text.splitlines()) == 10
    assert b"function: job.py:transform" in text
    assert callable(job().transform)
    assert len(one.topology.nodes) == 2


def test_levee_reads_what_the_job_reads() -> None:
    source, text = (FOLDER / "job.py").read_text(), (FOLDER / "levee.yaml").read_text()
    assert 'format("rate").option("rowsPerSecond", 100)' in source
    assert '{format: rate, options: {rowsPerSecond: "100"}}' in text
