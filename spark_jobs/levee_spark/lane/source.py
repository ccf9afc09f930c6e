"""The Spark data source `levee`: epochs of streams, one a batch.

Why: to Spark, a lane's inputs are streaming sources like any others. `latestOffset` blocks until the next epoch of ALL inputs is there,
so that a join sees the same epochs of both sides in every replica.
Called by: Spark, in Python processes of its own; `register` by sessions. Nothing heavy is imported at the top: each of these processes
imports this module when it starts.
"""

import gc
import json
import socket
from collections.abc import Iterator, Mapping
from io import BufferedRWPair
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit
from pyspark.sql.types import StructType

if TYPE_CHECKING:
    import pyarrow as pa

gc.freeze()  # Spark collects garbage after each task; what was imported need not be looked at: 15 ms an epoch

NAME = "levee"


class File(InputPartition):
    """Every `step`-th batch of a spooled file, from the `first` on."""

    def __init__(self, path: str, first: int, step: int) -> None:
        super().__init__(None)
        self.path, self.first, self.step = path, first, step


class LeveeSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> StructType:
        raise ValueError("give the stream's schema: spark.readStream.format('levee').schema(...)")

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802  (Spark's word)
        return LaneReader(dict(self.options))


class LaneReader(DataSourceStreamReader):
    """One input of a lane. Options: feed, lane, input, base, partitions."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options = dict(options)
        self.wire: BufferedRWPair | None = None
        self.answered: dict[str, Any] = {}

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        return {"epoch": int(self.options["base"])}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        return ReadAllAvailable()

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:  # noqa: N802
        self.answered = self.ask({"lane": self.options["lane"], "input": self.options["input"], "after": start["epoch"]})
        return {"epoch": self.answered["epoch"]}

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        if self.wire is None:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(self.options["feed"])
            self.wire = connection.makefile("rwb")
        self.wire.write(json.dumps(question).encode() + b"\n")
        self.wire.flush()
        answer: dict[str, Any] = json.loads(self.wire.readline())
        return answer

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[File]:
        if self.answered.get("epoch") != end["epoch"]:
            raise ValueError(f"epoch {end['epoch']} is no longer spooled: lanes are restarted from checkpoints, never within a batch")
        step = int(self.options["partitions"]) if self.answered["large"] else 1
        return [File(self.answered["file"], first, step) for first in range(step)]

    def read(self, partition: InputPartition) -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa  # noqa: PLC0415  (only executors need it)

        assert isinstance(partition, File)
        with pa.memory_map(partition.path) as file:
            reader = pa.ipc.open_stream(file)
            for number, batch in enumerate(reader):
                if number % partition.step == partition.first:
                    yield batch

    def __getstate__(self) -> dict[str, Any]:
        return {"options": self.options, "wire": None, "answered": {}}


def register(session: SparkSession) -> None:
    session.dataSource.register(LeveeSource)
