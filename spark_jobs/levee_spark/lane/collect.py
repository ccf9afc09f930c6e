"""The rows of a batch, from the JVM to Arrow, with as few calls between Python and Java as there can be.

Why: `foreachBatch` and `DataFrame.toArrow` make 30 calls an epoch, most of them to ask again what never changes in a query: its session,
its settings, its schema. Nine are left. Each wakes a thread on either side, which is dear where many replicas share a machine.
It leans on what PySpark does inside, so the version is pinned and tests/lane hold it to what `toArrow` gives.
Called by: query.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.errors.exceptions.captured import unwrap_spark_exception
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import DataFrame
from pyspark.sql.pandas.serializers import ArrowCollectSerializer
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.util import _load_from_socket

Rows = Callable[[], pa.Table]


@dataclass
class EachBatch:
    """What the JVM calls."""

    take: Callable[[Rows, int], None]
    schema: pa.Schema

    def call(self, frame: Any, batch: int) -> None:
        self.take(lambda: collected(frame, self.schema), batch)

    class Java:
        implements = ("org.apache.spark.sql.execution.streaming.sources.PythonForeachBatchFunction",)


def each_batch(frame: DataFrame, take: Callable[[Rows, int], None]) -> DataStreamWriter:
    """A writer that hands every batch to `take`, which must ask for the rows exactly once."""
    writer = frame.writeStream
    gateway = frame.sparkSession.sparkContext._gateway  # noqa: SLF001
    assert gateway is not None
    schema = to_arrow_schema(frame.schema, error_on_duplicated_field_names_in_struct=True, timezone="UTC")
    helper = gateway.jvm.org.apache.spark.sql.execution.streaming.sources.PythonForeachBatchHelper
    helper.callForeachBatch(writer._jwrite, EachBatch(take, schema))  # noqa: SLF001
    ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]
    return writer


def collected(frame: Any, schema: pa.Schema) -> pa.Table:
    port, secret, server = frame.collectAsArrowToPython()
    try:
        with _load_from_socket((port, secret), ArrowCollectSerializer()) as stream:
            batches = list(stream)
    finally:
        with unwrap_spark_exception():
            server.getResult()  # raises whatever went wrong
    return pa.Table.from_batches(batches).cast(schema) if batches else schema.empty_table()
