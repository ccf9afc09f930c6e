"""The format `levee` in a notebook, with a real Spark: it reads, writes, starts again and is cut off."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark import cloudpickle
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from levee.topology.names import TaskId
from levee_spark.notebook import register
from levee_spark.notebook.source import use_this_python
from tests.notebook import cut
from tests.notebook.streams import UID, Streams

Collected = dict[int, list[int]]  # numbers by batch


@pytest.fixture(autouse=True)
def _no_query_left(notebook: SparkSession) -> Iterator[None]:
    yield
    for query in notebook.streams.active:
        query.stop()


def read(notebook: SparkSession, streams: Streams, stream: str, **options: str) -> DataFrame:
    return notebook.readStream.format("levee").options(**streams.options(stream, **options)).load()


def into(found: Collected) -> Callable[[DataFrame, int], None]:
    def take(frame: DataFrame, batch: int) -> None:
        found[batch] = sorted(row.n for row in frame.collect() if row.n > 0)

    return take


def run(frame: DataFrame, folder: Path) -> Collected:
    """All that is there, in as many batches as it takes."""
    found: Collected = {}
    frame.writeStream.foreachBatch(into(found)).option("checkpointLocation", str(folder)).trigger(
        availableNow=True
    ).start().awaitTermination()
    return found


def test_a_stream_is_read_once_across_restarts(notebook: SparkSession, streams: Streams, tmp_path: Path) -> None:
    streams.epochs("prices/0", 1, 5)
    streams.epochs("prices/1", 1, 5)
    frame = read(notebook, streams, "prices", maxEpochsPerTrigger="3")
    assert frame.columns == ["n", "task", "_epoch", "_epoch_time"]
    first = run(frame, tmp_path / "query")
    assert [sorted(set(numbers)) for numbers in first.values()] == [[1, 2, 3], [4, 5]]
    streams.epochs("prices/0", 6, 8)
    streams.epochs("prices/1", 6, 7)
    second = run(read(notebook, streams, "prices"), tmp_path / "query")
    assert sorted(n for numbers in second.values() for n in numbers) == [6, 6, 7, 7]


def test_a_batch_that_spark_does_again_holds_the_same_epochs(notebook: SparkSession, streams: Streams, tmp_path: Path) -> None:
    streams.epochs("prices/0", 1, 4)
    run(read(notebook, streams, "prices", maxEpochsPerTrigger="2"), tmp_path / "query")
    for name in ("1", ".1.crc"):
        (tmp_path / "query" / "commits" / name).unlink(missing_ok=True)
    streams.epochs("prices/0", 5, 6)
    assert run(read(notebook, streams, "prices"), tmp_path / "query") == {1: [3, 4], 2: [5, 6]}


def test_two_streams_are_joined_epoch_by_epoch(notebook: SparkSession, streams: Streams, tmp_path: Path) -> None:
    """Every batch has the same epochs of both, so whatever belongs together is joined within one."""
    streams.epochs("prices/0", 1, 5)
    streams.epochs("market/0", 1, 3)
    found: Collected = {}

    def join(frame: DataFrame, batch: int) -> None:
        prices, market = (frame.where(f"_stream = '{name}'").select("n", "_epoch") for name in ("prices", "market"))
        into(found)(prices.join(market, ["n", "_epoch"]), batch)

    def run_it() -> None:
        frame = read(notebook, streams, "prices,market", maxEpochsPerTrigger="2")
        options = {"checkpointLocation": str(tmp_path / "query")}
        frame.writeStream.foreachBatch(join).options(**options).trigger(availableNow=True).start().awaitTermination()

    run_it()
    assert found == {0: [1, 2], 1: [3]}
    streams.epochs("market/0", 4, 6)
    run_it()
    assert found == {0: [1, 2], 1: [3], 2: [4, 5]}


def test_epochs_are_read_as_a_batch_with_their_time(notebook: SparkSession, streams: Streams) -> None:
    streams.epochs("prices/0", 1, 9)
    frame = notebook.read.format("levee").options(**streams.options("prices", startingEpoch="2", endingEpoch="4")).load()
    found = frame.where("n > 0").selectExpr("n", "_epoch", "cast(_epoch_time as long) as t").collect()
    assert sorted(tuple(row) for row in found) == [(n, n, 1_700_000_000 + n) for n in (2, 3, 4)]


@pytest.mark.parametrize("options", [{"startingEpoch": "10"}, {"startingEpoch": "latest"}, {"startingEpoch": "50", "endingEpoch": "60"}])
def test_epochs_that_have_yet_to_come_are_an_empty_batch(notebook: SparkSession, streams: Streams, options: dict[str, str]) -> None:
    streams.epochs("prices/0", 1, 9)
    frame = notebook.read.format("levee").options(**streams.options("prices", **options)).load()
    assert (frame.count(), frame.columns) == (0, ["n", "task", "_epoch", "_epoch_time"])


def test_a_batch_that_would_end_before_it_begins_is_refused(notebook: SparkSession, streams: Streams) -> None:
    streams.epochs("prices/0", 1, 9)
    with pytest.raises(Exception, match="startingEpoch is 50, and endingEpoch 40"):
        notebook.read.format("levee").options(**streams.options("prices", startingEpoch="50", endingEpoch="40")).load()


def test_an_unknown_stream_is_told_where_one_types(notebook: SparkSession, streams: Streams) -> None:
    streams.epochs("prices/0", 1, 1)
    with pytest.raises(Exception, match="there is no stream 'nothing'"):
        read(notebook, streams, "nothing")


def files(notebook: SparkSession, folder: Path) -> DataFrame:
    folder.mkdir(exist_ok=True)
    return notebook.readStream.schema("n BIGINT").option("maxFilesPerTrigger", "1").json(str(folder))


def file(folder: Path, name: str, *numbers: int) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(json.dumps({"n": n}) + "\n" for n in numbers))


def write(frame: DataFrame, streams: Streams, folder: Path, form: str = "levee") -> None:
    options = {name: value for name, value in streams.options("mine", uid=UID).items() if name != "pollMs"}
    writer = frame.writeStream.format(form).options(**options).option("checkpointLocation", str(folder))
    writer.trigger(availableNow=True).start().awaitTermination()


def test_what_a_query_writes_is_read_again_batch_by_batch(notebook: SparkSession, streams: Streams, tmp_path: Path) -> None:
    for name, numbers in {"a": (1, 2), "b": (3,)}.items():
        file(tmp_path / "in", name, *numbers)
        write(files(notebook, tmp_path / "in"), streams, tmp_path / "query")
    assert run(read(notebook, streams, "mine", uid=UID, maxEpochsPerTrigger="1"), tmp_path / "reader") == {0: [1, 2], 1: [3]}


def test_a_query_killed_between_segment_and_manifest_writes_every_row_once(
    notebook: SparkSession, streams: Streams, tmp_path: Path
) -> None:
    cloudpickle.register_pickle_by_value(cut)  # type: ignore[no-untyped-call]
    notebook.dataSource.register(cut.CutOffStreams)
    file(tmp_path / "in", "a", 1, 2)
    write(files(notebook, tmp_path / "in"), streams, tmp_path / "query", "levee-cut-off")
    file(tmp_path / "in", "b", 3)
    asked = streams.root / "cut-off"
    asked.touch()
    with pytest.raises(StreamingQueryException):
        write(files(notebook, tmp_path / "in"), streams, tmp_path / "query", "levee-cut-off")
    assert not asked.exists()
    assert len(list(streams.path(streams.layout.segments(TaskId("mine/0"))).iterdir())) == 2
    assert len(list(streams.path(streams.layout.epochs(TaskId("mine/0"))).iterdir())) == 1
    for _ in range(2):  # the second time there is nothing more to do
        write(files(notebook, tmp_path / "in"), streams, tmp_path / "query", "levee-cut-off")
    assert run(read(notebook, streams, "mine", uid=UID, maxEpochsPerTrigger="1"), tmp_path / "reader") == {0: [1, 2], 1: [3]}


def test_a_batch_whose_end_spark_did_not_log_is_not_written_twice(notebook: SparkSession, streams: Streams, tmp_path: Path) -> None:
    file(tmp_path / "in", "a", 1, 2)
    write(files(notebook, tmp_path / "in"), streams, tmp_path / "query")
    for name in ("0", ".0.crc"):
        (tmp_path / "query" / "commits" / name).unlink(missing_ok=True)
    file(tmp_path / "in", "b", 3)
    write(files(notebook, tmp_path / "in"), streams, tmp_path / "query")
    assert run(read(notebook, streams, "mine", uid=UID, maxEpochsPerTrigger="1"), tmp_path / "reader") == {0: [1, 2], 1: [3]}


@pytest.fixture
def nobodys_python(notebook: SparkSession, monkeypatch: pytest.MonkeyPatch) -> SparkSession:
    """As of a session that was begun without the variable, where no python3 on the PATH has Levee."""
    monkeypatch.setenv("PYSPARK_PYTHON", "to be put back")
    monkeypatch.delenv("PYSPARK_PYTHON")
    monkeypatch.setattr(notebook.sparkContext, "pythonExec", "/nowhere/python3")
    return notebook


def test_where_no_python_is_named_spark_uses_that_of_the_notebook(nobodys_python: SparkSession, streams: Streams) -> None:
    streams.epochs("prices/0", 1, 5)
    register(nobodys_python)
    frame = nobodys_python.read.format("levee").options(**streams.options("prices")).load()
    assert frame.select("_epoch").distinct().count() == 5
    assert os.environ["PYSPARK_PYTHON"] == sys.executable


def test_a_python_that_somebody_has_named_is_left_alone(nobodys_python: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "/mine/python3")
    use_this_python(nobodys_python)
    assert (os.environ["PYSPARK_PYTHON"], nobodys_python.sparkContext.pythonExec) == ("/mine/python3", "/nowhere/python3")


def test_executors_on_other_machines_have_a_python_of_their_own(nobodys_python: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nobodys_python.sparkContext, "master", "k8s://https://cluster")
    use_this_python(nobodys_python)
    assert "PYSPARK_PYTHON" not in os.environ
    assert nobodys_python.sparkContext.pythonExec == "/nowhere/python3"
