"""Whatever state a function keeps, a fork of it goes on as if nothing had happened: the digests of all later epochs are the same."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from levee_spark.examples.carry import Rows, carry
from levee_spark.lane.folder import Folder, files_in, numbered
from levee_spark.lane.query import Function
from tests.lane.lanes import Inputs, Lanes, digests, drive

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
STATE = "org.apache.spark.sql.execution.streaming.state"
ROCKSDB, HDFS = f"{STATE}.RocksDBStateStoreProvider", f"{STATE}.HDFSBackedStateStoreProvider"
FORKED_AT, LAST = 3, 6


def updates(inputs: Inputs) -> DataFrame:
    return inputs["rows"].groupBy("key").agg(f.count("*").alias("rows"), f.max("value").alias("highest"))


def windows(inputs: Inputs) -> DataFrame:
    """Closed by the time of the epochs."""
    late = inputs["rows"].withWatermark("_epoch_time", "1 second")
    return (
        late.groupBy(f.window("_epoch_time", "2 seconds"), "key").agg(f.sum("value").alias("total")).select("window.start", "key", "total")
    )


def joined(inputs: Inputs) -> DataFrame:
    left = inputs["rows"].withWatermark("_epoch_time", "3 seconds").select("key", "value", f.col("_epoch_time").alias("at"))
    right = inputs["others"].withWatermark("_epoch_time", "3 seconds").select(f.col("key").alias("k"), f.col("_epoch_time").alias("t"))
    return left.join(right, f.expr("key = k and t between at - interval 2 seconds and at + interval 2 seconds")).select(
        "key", "value", "at", "t"
    )


def carried(inputs: Inputs) -> DataFrame:
    def step(kept: bytes, rows: Rows) -> tuple[bytes, Rows]:
        total = int(kept or b"0") + sum(value for _, value in rows)
        return str(total).encode(), [(len(rows), total)]

    return carry(inputs["rows"].select("key", "value"), step, "rows long, total long")


def rows(epoch: int) -> list[pa.Table]:
    some = [7 * epoch + n for n in range(6)] if epoch != 4 else []
    return [pa.table({"key": pa.array([f"k{value % 4}" for value in some], pa.string()), "value": pa.array(some, pa.int64())})]


def both(epoch: int) -> list[pa.Table]:
    return [*rows(epoch), *rows(epoch + 1)]


CASES = [
    pytest.param(updates, ("rows",), rows, ROCKSDB, id="updates, RocksDB"),
    pytest.param(updates, ("rows",), rows, HDFS, id="updates, HDFS"),
    pytest.param(windows, ("rows",), rows, ROCKSDB, id="windows, RocksDB"),
    pytest.param(windows, ("rows",), rows, HDFS, id="windows, HDFS"),
    pytest.param(joined, ("rows", "others"), both, ROCKSDB, id="join of streams"),
    pytest.param(carried, ("rows",), rows, ROCKSDB, id="Python with state"),
]


@pytest.fixture
def provider(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[None]:
    before = spark.conf.get(PROVIDER)
    spark.conf.set(PROVIDER, request.param)
    yield
    spark.conf.set(PROVIDER, str(before))


@pytest.mark.parametrize(("function", "streams", "inputs", "provider"), CASES, indirect=["provider"])
@pytest.mark.usefixtures("provider")
def test_a_fork_and_a_return_to_a_checkpoint_repeat_every_epoch(
    lanes: Lanes, function: Callable[[Inputs], DataFrame], streams: tuple[str, ...], inputs: Callable[[int], Sequence[pa.Table]]
) -> None:
    primary = lanes(function, *streams)
    expected = digests(drive(primary, range(1, FORKED_AT + 1), inputs))
    files = [data for _, data in primary.snapshot()]
    expected += digests(drive(primary, range(FORKED_AT + 1, LAST + 1), inputs))
    later = range(FORKED_AT + 1, LAST + 1)
    assert len(set(expected)) > 2  # else nothing would be shown
    fork = lanes(function, *streams)
    fork.restore(FORKED_AT, files)
    assert digests(drive(fork, later, inputs)) == expected[FORKED_AT:]
    primary.restore(FORKED_AT, files)
    assert digests(drive(primary, later, inputs)) == expected[FORKED_AT:]


def test_a_checkpoint_holds_no_state_of_later_epochs(lanes: Lanes, tmp_path: Path) -> None:
    """Left-over state of a later batch has corrupted results. The state after batch n has version n + 1."""
    lane = lanes(updates)
    expected = digests(drive(lane, range(1, 6), rows))
    lane.wait_for_commit()
    lane.stop()
    packed, cut = Folder(tmp_path / "packed"), Folder(tmp_path / "cut")
    packed.unpack(lane.folder.pack(2))
    shutil.copytree(lane.folder.path, cut.path)
    assert max(map(version, files_in(cut.path / "state"))) == 5
    cut.truncate(2)
    for folder in (packed, cut):
        assert folder.committed() == 2
        assert max(map(version, files_in(folder.path / "state"))) == 3
    lane.restore(3, (b'{"base": 0}', lane.folder.pack(2)))
    assert digests(drive(lane, range(4, 6), rows)) == expected[3:]


def version(file: Path) -> int:
    found = numbered(file)
    return -1 if found is None else found


@pytest.mark.parametrize("name", ["3.delta", "3.snapshot", "3.changelog", "3_1b2c.zip", "3.zip", "3"])
def test_state_files_above_an_epoch_go_and_those_below_stay(tmp_path: Path, name: str) -> None:
    folder = Folder(tmp_path)
    for state in ("state/0/0", "state/0/0/left-keyToNumValues"):
        (tmp_path / state).mkdir(parents=True, exist_ok=True)
        for file in (name, name.replace("3", "2"), "schema"):
            (tmp_path / state / file).touch()
    folder.truncate(1)
    assert not [file for file in files_in(tmp_path) if file.name == name]
    assert len(files_in(tmp_path)) == 4


def large(inputs: Inputs) -> DataFrame:
    return inputs["rows"].where("value > 1").select("key", "value")


@pytest.mark.parametrize(("function", "stateless"), [(large, True), (updates, False), (carried, False)])
def test_whether_a_function_keeps_anything_is_known_once_it_has_computed(lanes: Lanes, function: Function, *, stateless: bool) -> None:
    lane = lanes(function)
    assert not lane.is_stateless()
    drive(lane, (1, 2), lambda epoch: rows(epoch)[:1])
    assert lane.is_stateless() is stateless
