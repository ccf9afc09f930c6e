"""The demo's arithmetic, and what it refuses; tests/e2e runs it."""

import errno
import socket
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

from levee.cli.demo import check as demo_check
from levee.cli.demo.findings import Compared, compare, delivered
from levee.cli.demo.page import write_page
from levee.cli.demo.plan import OUTPUT, Place, document, faults
from levee.cli.demo.recovery import Pause, Struck, Timeline, recoveries
from levee.cli.demo.run import EXAMPLE
from levee.cli.demo.telling import promise, report
from levee.control.names import Instant, ReplicaName, WorkerName
from levee.control.wanted import Patience, Placed, Wanted
from levee.topology.graph import Configuration
from levee.topology.load import load
from levee.topology.names import ConfigurationName, NodeName, TaskId
from levee.worlds.local.faults import Fault, Hit, Kind
from levee.worlds.local.script import Inflicted
from levee_spark.log.values import Shape
from levee_spark.spark import java
from tests.cli.stage import levee

GOLDEN = {1: Counter(a=1, b=2), 2: Counter(c=1)}


@pytest.mark.parametrize(
    ("there", "lost", "doubled"),
    [
        (GOLDEN, 0, 0),
        ({1: Counter(a=1, b=1), 2: Counter(c=1)}, 1, 0),
        ({1: Counter(a=1, b=3), 2: Counter(c=1)}, 0, 1),
        ({1: Counter(a=1, b=2)}, 1, 0),
        ({1: Counter(a=1, b=2), 2: Counter(d=1)}, 1, 1),
        (GOLDEN | {3: Counter(e=1)}, 0, 0),  # beyond the epochs that are compared
    ],
)
def test_outputs_are_compared_row_by_row(there: dict[int, Counter[str]], lost: int, doubled: int) -> None:
    assert compare(GOLDEN, there, epochs=2) == Compared(4, 2, lost, doubled)


WANTED = Wanted(
    shape=Shape((), "graph"),
    sources=(),
    workers=(
        Placed(WorkerName("node-1-0"), NodeName("node-1"), (ReplicaName("filter/0/0"), ReplicaName("sum/0/0"))),
        Placed(WorkerName("node-2-0"), NodeName("node-2"), (ReplicaName("filter/0/1"), ReplicaName("sum/0/1"))),
    ),
    configurations=(Configuration(ConfigurationName("calm"), 1.0, {}),),
    active={ConfigurationName("calm"): frozenset(map(ReplicaName, ("filter/0/0", "filter/0/1", "sum/0/0")))},
    patience=Patience(5_000),
)
FILTER, SUM = TaskId("filter/0"), TaskId("sum/0")


def test_the_worker_that_is_missed_least_is_killed_first_and_then_the_node_that_is_missed_most() -> None:
    assert faults(WANTED, 30) == (
        Fault(Kind.KILL_REPLICA, "filter/0/1", at_epoch=10),
        Fault(Kind.KILL_NODE, "node-1", at_epoch=20),
    )


def test_the_promise_names_the_tasks_with_another_active_copy_and_those_without() -> None:
    _, covered, alone = promise(WANTED, 0.5)
    assert covered.endswith(": filter/0")
    assert alone.endswith(": sum/0")


def struck(at_ms: int, *replicas: str) -> Struck:
    hit = Hit("worker w", tuple(map(ReplicaName, replicas)), ())
    return Struck(Inflicted(Fault(Kind.KILL_NODE, "node-1"), Instant(0), at_ms, 3, hit), WANTED.active[ConfigurationName("calm")])


def times(filters: dict[int, int], sums: dict[int, int]) -> Timeline:
    due = {epoch: 1_000 * epoch for epoch in filters}
    return Timeline(due, {FILTER: filters, SUM: sums}, {FILTER: (), SUM: (FILTER,)}, (SUM,), 1_000)


def test_a_pause_is_counted_without_the_time_in_which_there_was_nothing_to_do() -> None:
    filters = {1: 1_010, 2: 2_010, 3: 3_400, 4: 4_010, 5: 5_010}
    sums = {1: 1_040, 2: 2_030, 3: 3_420, 4: 7_010, 5: 7_100}
    [first, second] = recoveries(times(filters, sums), [struck(2_500, "filter/0/1"), struck(3_800, "filter/0/0", "sum/0/0")])
    assert (first.covered, first.restarted) == ((Pause(FILTER, 400),), ())
    assert (second.covered, second.restarted) == ((Pause(FILTER, 10),), (Pause(SUM, 3_000),))
    assert (first.output_ms, second.output_ms) == (1_390, 3_590)


def test_who_was_late_already_answers_for_the_time_since_the_failure_only() -> None:
    there = times({1: 1_010, 2: 2_010}, {1: 1_040, 2: 9_010})
    assert recoveries(there, [struck(8_000, "sum/0/0")])[0].restarted == (Pause(SUM, 1_010),)


@pytest.mark.parametrize("narrow", [False, True])
def test_what_the_demo_runs_is_a_valid_topology(narrow: bool, tmp_path: Path) -> None:
    example = yaml.safe_load(EXAMPLE.read_text())
    for run in ("undisturbed", "disturbed"):
        [loaded] = load(yaml.safe_dump(document(example, Place(tmp_path), run, "1s", 30, narrow=narrow)), origin="demo")
        assert loaded.complaints == ()
        assert loaded.resource is not None
        assert OUTPUT in {one.name for one in loaded.resource.spec.operators}


def test_the_report_says_what_was_lost(tmp_path: Path) -> None:
    bad = Compared(10, 2, 1, 0)
    assert "NOT what the undisturbed run delivered: 10 rows in 2 epochs" in report(bad, ["much"], [], 1_000)
    page = tmp_path / "report.html"
    stream = {1: 1_040, 2: 2_040}
    there, failures = times(stream, stream), [struck(1_500, "sum/0/0")]
    write_page(page, bad, ["much"], recoveries(there, failures), there, failures)
    assert "The outputs differ." in page.read_text()
    assert "<svg" in page.read_text()
    assert "longest gap in the output" in page.read_text()


def test_a_folder_that_is_not_the_demos_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.tex").touch()
    ended = levee(capsys, "demo", "--directory", str(tmp_path))
    assert ended.code == 1
    assert "holds something that is not a demo's. Name another --directory." in ended.err
    assert (tmp_path / "thesis.tex").exists()


def no_java() -> Path:
    raise java.NoJava("no Java from 17 on was found")


def no_port(*_: object) -> socket.socket:
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize(
    ("place", "name", "value", "where"),
    [
        (demo_check, "MEMORY_MIB", 10**9, "memory"),
        (demo_check, "DISK_MIB", 10**9, "disk"),
        (java, "find", no_java, "Java"),
        (socket, "create_server", no_port, "network"),
    ],
)
def test_what_is_missing_or_too_small_is_said_first(
    place: object, name: str, value: object, where: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(place, name, value)
    [found] = demo_check.complaints(tmp_path / "not" / "there")
    assert found.where == where
    assert found.fix


def test_a_file_is_no_directory_for_a_demo(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    [found] = demo_check.complaints(tmp_path / "file" / "demo")
    assert (found.where, found.wrong) == ("--directory", f"{tmp_path / 'file'} is not a directory")


def test_rows_are_read_from_the_files_as_they_are_named(tmp_path: Path) -> None:
    for task, epoch in ((0, 7), (1, 7), (0, 12)):
        parquet.write_table(pa.table({"n": [epoch]}), tmp_path / f"part-{task:05d}-{epoch:012d}.snappy.parquet")
    assert {epoch: rows.total() for epoch, rows in delivered(tmp_path).items()} == {7: 2, 12: 1}
