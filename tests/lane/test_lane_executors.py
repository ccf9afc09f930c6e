"""Executors compute what a worker alone computes, and what they keep is found again wherever a lane goes on."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.lane.cases import CASES, FORKED, FORKED_AT, LAST, rows
from tests.lane.lanes import Lanes, digests, drive

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def on_executors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    place = tmp_path_factory.mktemp("executors")
    paths = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, "-m", "tests.lane.on_executors", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
    log = place / "spark.log"
    assert done.returncode == 0, f"{done.stderr}\n{log.read_text()[-4000:] if log.exists() else ''}"
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("name", CASES)
def test_executors_compute_what_a_worker_computes(name: str, lanes: Lanes, on_executors: dict[str, Any]) -> None:
    assert on_executors[name] == digests(drive(lanes(CASES[name]), range(1, LAST + 1), rows))


def test_a_fork_on_executors_goes_on_as_if_nothing_had_happened(on_executors: dict[str, Any]) -> None:
    assert on_executors["fork"] == on_executors[FORKED][FORKED_AT:]


def test_each_executor_computes_its_part(on_executors: dict[str, Any]) -> None:
    assert on_executors["daemons"] == 2


def test_a_function_that_never_returns_in_an_executor_says_where_it_was(on_executors: dict[str, Any]) -> None:
    words, *lines = on_executors["hangs"].splitlines()
    assert words.startswith("the function has not returned within 10 s")
    assert " in search: " in lines[-1] and all("on_executors.py:" in line for line in lines)


def test_executors_leave_snapshots_of_their_state_with_the_worker(on_executors: dict[str, Any]) -> None:
    assert on_executors["snapshots"] > 0


def test_the_local_file_system_copies_the_files_of_a_snapshot(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.sst").write_text("state")
    jvm: Any = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path
    files = path(f"file:{tmp_path}").getFileSystem(spark._jsc.hadoopConfiguration())
    files.copyFromLocalFile(path(f"file:{tmp_path}/a.sst"), path(f"file:{tmp_path}/state/a.sst"))
    files.copyToLocalFile(path(f"file:{tmp_path}/state/a.sst"), path(f"file:{tmp_path}/b.sst"))
    assert (tmp_path / "b.sst").read_text() == "state"
