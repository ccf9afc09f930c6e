"""One Spark session for the tests of the examples, and how they run an operator over epochs.

Why: a session takes seconds to start; and an operator is tried as a lane runs it: a streaming query, one micro-batch per epoch.
Called by: pytest.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from levee_spark.lane.rows import EPOCH, EPOCH_TIME, stamped
from tests.examples.epochs import PERIOD_MS, START_MS, Epochs, Operator, Run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[SparkSession]":
    """A worker's own session."""
    from levee_spark.spark.session import open_session
    from levee_spark.spark.settings import Size

    folder = tmp_path_factory.mktemp("spark")
    session, jvm = open_session(Size(cores=1), {"spark.sql.warehouse.dir": str(folder), "spark.log.level": "OFF"}, folder / "jvm.log")
    yield session
    session.stop()
    jvm.stop()


@pytest.fixture
def run(spark: "SparkSession", tmp_path: Path) -> Run:
    """Runs an operator over some epochs of its inputs and gives its output, epoch by epoch."""

    def over(operator: Operator, streams: dict[str, Epochs]) -> Epochs:
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        inputs = {name: stream(spark, folder / name, epochs) for name, epochs in streams.items()}
        output: dict[int, pa.Table] = {}

        def keep(frame: "DataFrame", batch: int) -> None:
            output[batch] = frame.drop(EPOCH, EPOCH_TIME).toArrow()

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
        pq.write_table(stamped(rows, number, START_MS + number * PERIOD_MS), path)
        os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
    schema = spark.read.parquet(str(folder / "000000.parquet")).schema
    return spark.readStream.name(folder.name.replace("-", "_")).schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))
