"""The rows of an epoch in the columns that Spark was promised.

Called by: `reading`, `source` (for the columns).
"""

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StringType, StructField, StructType

from levee.topology.names import TaskId
from levee_spark.lane import rows
from levee_spark.log.values import EpochObject, Kind
from levee_spark.notebook.look import Look
from levee_spark.notebook.tasks import operator_of
from levee_spark.notebook.trouble import CannotUse

BATCH_ROWS = 1 << 15
STREAM = "_stream"  # which one a row is of, where several are read together


def schema_of(look: Look, tasks: tuple[TaskId, ...]) -> StructType:
    """Of several streams: the columns of all of them."""
    streams = look.asked.streams
    schemas = [columns_of(look, stream, [task for task in tasks if operator_of(task) == stream]) for stream in streams]
    if len(streams) == 1:
        return schemas[0]
    found: dict[str, tuple[str, StructField]] = {}
    for stream, schema in zip(streams, schemas, strict=True):
        for field in schema:
            first, other = found.setdefault(field.name, (stream, field))
            if field.name == STREAM or other.dataType != field.dataType:
                raise cannot_unite(look, field.name, first, stream)
    stamps = [found.pop(name)[1] for name in (rows.EPOCH, rows.EPOCH_TIME)]
    return StructType([*(field for _, field in found.values()), *stamps, StructField(STREAM, StringType())])


def cannot_unite(look: Look, name: str, first: str, second: str) -> CannotUse:
    wrong = f"{first} has a column {name}" if name == STREAM else f"column {name} of {first} and of {second} differ in type"
    return look.tell(f"they cannot be read together: {wrong}", "read each of them by itself, or emit it under another name")


def columns_of(look: Look, stream: str, tasks: Sequence[TaskId]) -> StructType:
    """Of the newest epoch that bears some: skipped and failed epochs do not."""
    for task in tasks:
        oldest = look.oldest(task)
        for number in range(look.head(task, oldest - 1), oldest - 1, -1):
            found = look.epoch(task, number)
            if found is not None and found.manifest.kind is Kind.FINAL:
                stamped = rows.stamped(table_of(found).schema.empty_table(), 0, 0)
                return from_arrow_schema(stamped.schema, prefer_timestamp_ntz=False)
    raise look.tell(
        f"no epoch of {stream} has been computed yet, so its columns are not known", "wait for the first, or give them: .schema(…)"
    )


def table_of(epoch: EpochObject) -> pa.Table:
    payload = epoch.payload
    parts = payload if isinstance(payload, tuple) else (payload,)
    return rows.united(rows.decode(part) for part in parts)


def batches_of(look: Look, task: TaskId, epoch: EpochObject, schema: StructType) -> Iterator[pa.RecordBatch]:
    """Every row with its epoch and the epoch's time."""
    if epoch.manifest.kind is not Kind.FINAL or epoch.manifest.rows == 0:
        return
    manifest = epoch.manifest
    table = rows.stamped(table_of(epoch), manifest.epoch, manifest.time_ms)
    if len(look.asked.streams) > 1:
        table = among_others(table, operator_of(task), schema)
    try:
        fitting = table.select(schema.fieldNames()).cast(to_arrow_schema(schema, timezone="UTC"))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, KeyError, ValueError) as error:
        wrong = f"epoch {manifest.epoch} of task {task} has other columns than this query began with: {error}"
        raise look.tell(wrong, "end this query at the epoch before, and start another with a new checkpoint") from error
    yield from fitting.to_batches(max_chunksize=BATCH_ROWS)


def among_others(table: pa.Table, stream: str, schema: StructType) -> pa.Table:
    """With the columns that only the other streams have."""
    table = table.append_column(STREAM, pa.repeat(stream, table.num_rows))
    for field in to_arrow_schema(schema, timezone="UTC"):
        if field.name not in table.column_names:
            table = table.append_column(field.name, pa.nulls(table.num_rows, field.type))
    return table
