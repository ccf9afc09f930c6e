"""One Spark session for the tests of the examples, and how they run an operator over epochs.

Why: a session takes seconds to start; and an operator is tried as a lane runs it: a streaming query, one micro-batch per epoch.
Called by: pytest.
"""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Operator: TypeAlias = "Callable[[dict[str, DataFrame]], DataFrame]"
Epochs: TypeAlias = list[pa.Table]
Run: TypeAlias = "Callable[[Operator, dict[str, Epochs]], Epochs]"

START_US = 1_700_000_000_000_000
SETTINGS: dict[str, bool | float | int | str | None] = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "700m",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.stateStore.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dlog4j2.level=ERROR",
}


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[SparkSession]":
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[1]").appName("examples").config(map=SETTINGS)
    session = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse"))).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def run(spark: "SparkSession", tmp_path: Path) -> Run:
    """Runs an operator over some epochs of its inputs and gives its output, epoch by epoch."""

    def over(operator: Operator, streams: dict[str, Epochs]) -> Epochs:
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        inputs = {name: stream(spark, folder / name, epochs) for name, epochs in streams.items()}
        output: dict[int, pa.Table] = {}

        def keep(frame: "DataFrame", batch: int) -> None:
            output[batch] = frame.toArrow()

        writer = operator(inputs).writeStream.foreachBatch(keep).option("checkpointLocation", str(folder / "checkpoint"))
        query = writer.outputMode("append").trigger(availableNow=True).start()
        query.awaitTermination()
        return [output[epoch] for epoch in range(max(len(epochs) for epochs in streams.values()))]

    return over


def stream(spark: "SparkSession", folder: Path, epochs: Epochs) -> "DataFrame":
    """One file per epoch, read one per micro-batch in the order of their times."""
    folder.mkdir(parents=True)
    for number, rows in enumerate(epochs):
        path = folder / f"{number:06}.parquet"
        pq.write_table(with_epoch(rows, number), path)
        os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
    schema = spark.read.parquet(str(folder / "000000.parquet")).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


def with_epoch(rows: pa.Table, number: int) -> pa.Table:
    """What a lane adds to every row: the epoch, and when it is due."""
    due = pa.scalar(START_US + number * 250_000, type=pa.timestamp("us", tz="UTC"))
    columns: dict[str, Any] = {"_epoch": pa.scalar(number, type=pa.int64()), "_epoch_time": due}
    for name, value in columns.items():
        rows = rows.append_column(name, pa.array([value.as_py()] * rows.num_rows, type=value.type))
    return rows
