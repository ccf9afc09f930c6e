"""Spark's batch writers as sinks."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from levee_spark.deliver import batch, delivery
from levee_spark.deliver.delivery import CannotDeliver, Delivery, Stopped
from levee_spark.deliver.opening import open_delivery
from levee_spark.log.values import Kind
from tests.deliver.epochs import OWNER, delivered, show

TABLE = pa.table({"n": [1, 2], "at": pa.array([5, None], pa.timestamp("us", "UTC"))})


def sink(spark: SparkSession, form: str, heard: list[str] | None = None, **options: str) -> Delivery:
    return open_delivery(OWNER, form, options, spark=lambda: spark, tell=(heard if heard is not None else []).append, show=show)


def test_every_epoch_is_written_with_its_number(spark: SparkSession, tmp_path: Path) -> None:
    orc = sink(spark, "orc", path=str(tmp_path / "out"))
    orc.deliver(delivered(7, TABLE))
    orc.deliver(delivered(8, TABLE.slice(0, 0)))
    orc.deliver(delivered(9, TABLE, kind=Kind.SKIPPED))
    orc.deliver(delivered(10, TABLE.slice(0, 1)))
    found = spark.read.orc(str(tmp_path / "out")).orderBy("_epoch", "n").toArrow()
    assert found.to_pylist() == [
        {**row, "_epoch": epoch} for epoch, row in zip([7, 7, 10], [*TABLE.to_pylist(), TABLE.to_pylist()[0]], strict=True)
    ]
    assert (orc.counters.delivered_epochs, orc.counters.delivered_rows) == (2, 3)


def test_a_format_that_spark_does_not_know_is_told_at_once(spark: SparkSession) -> None:
    with pytest.raises(CannotDeliver, match="no-such-format") as refused:
        sink(spark, "no-such-format").deliver(delivered(1, TABLE))
    assert "\n" not in refused.value.complaint.wrong


def test_a_target_that_cannot_be_reached_is_told_and_tried_again(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(delivery, "PAUSE_S", 0.0)
    heard: list[str] = []
    (tmp_path / "file").touch()
    orc = sink(spark, "orc", heard, path=str(tmp_path / "file" / "out"))
    orc.stop()
    with pytest.raises(Stopped):
        orc.deliver(delivered(1, TABLE))
    assert "Parent path is not a directory" in heard[0]
    (tmp_path / "file").unlink()
    again = sink(spark, "orc", heard, path=str(tmp_path / "file" / "out"))
    again.deliver(delivered(1, TABLE))
    assert (len(heard), orc.counters.tried_again, again.counters.delivered_rows) == (1, 1, 2)


def test_rows_without_a_value_are_sent_to_kafka_as_json_with_their_epoch(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 'a' AS key, 1 AS n, 7L AS _epoch")
    assert batch.messages(frame).toArrow().to_pylist() == [{"key": "a", "value": '{"key":"a","n":1,"_epoch":7}'}]


def test_rows_with_a_value_are_sent_to_kafka_as_they_are(spark: SparkSession) -> None:
    frame = spark.sql("SELECT 'a' AS value, 1 AS n, 7L AS _epoch")
    assert batch.messages(frame) is frame
