"""A lane answers with the epochs that its function makes of the inputs' epochs, whatever Spark calls its batches."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from levee_spark.lane.query import Keyed, Lane
from levee_spark.lane.trouble import Failed
from tests.lane.lanes import Inputs, Lanes, drive, table, values

TASKS = 3


def doubled(inputs: Inputs) -> DataFrame:
    return inputs["rows"].where("value % 3 != 0").select((f.col("value") * 2).alias("twice"))


def numbers(epoch: int) -> list[pa.Table]:
    return [table(value=list(range(10 * epoch, 10 * epoch + 5 * (epoch % 3))))]  # none in every third


def committed(lane: Lane) -> list[int]:
    lane.wait_for_commit()
    return sorted(int(file.name) for file in (lane.folder.path / "commits").iterdir() if file.name.isdecimal())


def test_an_operators_epochs_equal_the_plain_computation(lanes: Lanes) -> None:
    outputs = drive(lanes(doubled), range(1, 7), numbers)
    for epoch, output in enumerate(outputs, start=1):
        expected = [(2 * value,) for value in numbers(epoch)[0]["value"].to_pylist() if value % 3]
        assert values(output) == sorted(expected, key=repr)
    assert [one.table.schema.names for one in outputs] == [["twice"]] * 6  # also where there are no rows


def test_a_batch_has_the_same_epoch_of_all_inputs(lanes: Lanes) -> None:
    def both(inputs: Inputs) -> DataFrame:
        parts = [inputs[name].select("value", f.lit(name).alias("of"), f.col("_epoch").alias("read_in")) for name in ("left", "right")]
        return parts[0].unionByName(parts[1])

    outputs = drive(lanes(both, "left", "right"), range(1, 6), lambda epoch: [table(value=[epoch]), table(value=[-epoch])])
    assert [values(one) for one in outputs] == [[(-e, "right", e), (e, "left", e)] for e in range(1, 6)]


def test_rows_carry_their_epoch_and_its_time_and_emit_neither(lanes: Lanes) -> None:
    def times(inputs: Inputs) -> DataFrame:
        return inputs["rows"].withColumns({"epoch": f.col("_epoch"), "time": f.col("_epoch_time")})

    [output] = drive(lanes(times), [1], lambda _: [table(value=[7])])
    assert output.table.to_pylist() == [{"value": 7, "epoch": 1, "time": datetime.fromtimestamp(1, UTC)}]


@pytest.mark.parametrize("columns", [("name",), ("number", "name")], ids=str)
def test_every_row_falls_to_exactly_one_of_the_tasks(lanes: Lanes, columns: tuple[str, ...]) -> None:
    """And rows of equal keys to the same, in every epoch."""
    names = [None, "a", "b", "c", "d", "e", "f"]
    rows = table(name=[names[n % 7] for n in range(60)], number=[n % 4 for n in range(60)], at=list(range(60)))
    tasks = [lanes(lambda inputs: inputs["rows"], keyed=Keyed(columns, index, TASKS)) for index in range(TASKS)]
    outputs = [drive(lane, [1, 2], lambda _: [rows]) for lane in tasks]
    firsts, seconds = ([row for output in of_epoch for row in values(output)] for of_epoch in zip(*outputs, strict=True))
    assert sorted(int(str(row[2])) for row in firsts) == list(range(60))
    assert firsts == seconds
    keys = [{tuple(row[name] for name in columns) for row in output.table.to_pylist()} for output, _ in outputs]
    assert sum(map(len, keys)) == len(set().union(*keys))
    assert all(keys)


def test_epochs_are_counted_from_the_base_of_a_fork_not_from_spark_s_batches(lanes: Lanes) -> None:
    first = lanes(doubled)
    first.restore(41, ())
    assert values(drive(first, [42], numbers)[0]) == values(drive(lanes(doubled), [1], lambda _: numbers(42))[0])
    assert committed(first) == [0]
    second = lanes(doubled)
    second.restore(42, [data for _, data in first.snapshot()])
    drive(second, [43, 44], numbers)
    assert committed(second) == [0, 1]  # it has no state, so a fork begins anew
    assert second.epoch == 44


def test_a_state_goes_on_with_the_batches_that_made_it(lanes: Lanes) -> None:
    def count(inputs: Inputs) -> DataFrame:
        return inputs["rows"].groupBy(f.lit(1).alias("all")).count()

    first = lanes(count)
    first.restore(10, ())
    drive(first, [11, 12], numbers)
    files = dict(first.snapshot())
    assert json.loads(files["lane"])["base"] == 10
    second = lanes(count)
    second.restore(12, tuple(files.values()))
    assert values(drive(second, [13], numbers)[0]) == [(1, sum(5 * (epoch % 3) for epoch in (11, 12, 13)))]
    assert max(committed(second)) == 2
    assert second.base == 10


def test_an_epoch_is_not_computed_out_of_order(lanes: Lanes) -> None:
    with pytest.raises(AssertionError, match="asked for epoch 3 with the state of 0"):
        lanes(doubled).compute(3, 0, numbers(3))


def test_a_lane_that_is_closed_makes_room_for_another_of_its_name(lanes: Lanes) -> None:
    """As when a function has changed."""
    first, second = lanes(doubled), lanes(lambda inputs: inputs["rows"].select((f.col("value") * 3).alias("thrice")))
    second.name = first.name
    drive(first, [1, 2], numbers)
    files = [data for _, data in first.snapshot()]
    first.close()
    second.restore(2, files)
    assert values(drive(second, [3, 4], numbers)[1]) == [(3 * value,) for value in range(40, 45)]


def test_a_batch_whose_epoch_is_gone_is_refused(lanes: Lanes) -> None:
    """Spark does a batch again that it has not committed; a lane never lets it come to that."""
    lane = lanes(doubled)
    drive(lane, [1, 2], numbers)
    assert committed(lane) == [0, 1]
    lane.stop()
    (lane.folder.path / "commits" / "1").unlink()
    with pytest.raises(Failed, match="epoch 2 is no longer spooled"):
        drive(lane, [3], numbers)


def test_a_new_file_gets_its_permissions_without_a_process(spark: SparkSession, tmp_path: Path) -> None:
    """Hadoop forks `chmod` for each, unless it has a native library that no package brings."""
    jvm = spark._jvm
    assert jvm is not None
    path = jvm.org.apache.hadoop.fs.Path(str(tmp_path / "new"))
    files = path.getFileSystem(spark._jsc.hadoopConfiguration())
    assert files.getClass().getName() == "dev.levee.spark.LocalFiles"
    files.create(path, True).close()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o644
    files.setPermission(path, jvm.org.apache.hadoop.fs.permission.FsPermission("600"))
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
