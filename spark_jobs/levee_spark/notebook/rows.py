"""The rows of an epoch in the columns that Spark was promised.

Called by: `reading`, `source` (for the columns).
"""

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from levee.topology.names import TaskId
from levee_spark.lane import rows
from levee_spark.log.values import EpochObject, Kind
from levee_spark.notebook.look import Look

BATCH_ROWS = 1 << 15


def schema_of(look: Look, tasks: tuple[TaskId, ...]) -> StructType:
    """Of the newest epoch that bears one: skipped and failed epochs do not."""
    for task in tasks:
        oldest = look.oldest(task)
        for number in range(look.head(task, oldest - 1), oldest - 1, -1):
            found = look.epoch(task, number)
            if found is not None and found.manifest.kind is Kind.FINAL:
                stamped = rows.stamped(table_of(found).schema.empty_table(), 0, 0)
                return from_arrow_schema(stamped.schema, prefer_timestamp_ntz=False)
    raise look.tell("no epoch has been computed yet, so its columns are not known", "wait for the first, or give them: .schema(…)")


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
    try:
        fitting = table.select(schema.fieldNames()).cast(to_arrow_schema(schema, timezone="UTC"))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, KeyError, ValueError) as error:
        wrong = f"epoch {manifest.epoch} of task {task} has other columns than this query began with: {error}"
        raise look.tell(wrong, "end this query at the epoch before, and start another with a new checkpoint") from error
    yield from fitting.to_batches(max_chunksize=BATCH_ROWS)
