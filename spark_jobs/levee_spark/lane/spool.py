"""Rows between Python and Spark's JVM: Arrow streams in files, in memory where the machine has that.

Why: a file costs neither side a copy that it would not make anyway, and nobody a connection.
Called by: query; what is written here is read by jvm/SpooledReader.java, and what is read by jvm/RowsWriter.java written.
"""

from pathlib import Path

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

BATCH_ROWS = 1 << 15


def spool(path: Path, table: pa.Table) -> None:
    """Under another name first: a reader that has the old file open keeps it."""
    partial = path.with_suffix(".partial")
    known = as_spark_has_it(table)
    with pa.OSFile(str(partial), "wb") as file, pa.ipc.new_stream(file, known.schema) as writer:
        writer.write_table(known, max_chunksize=BATCH_ROWS)
    partial.rename(path)


def spool_parts(path: Path, table: pa.Table, parts: int) -> None:
    """A file for each part, so that an executor asks for its own rows only."""
    for part in range(parts):
        first, after = part * table.num_rows // parts, (part + 1) * table.num_rows // parts
        spool(path.with_name(f"{path.name}.{part}"), table.slice(first, after - first))


def as_spark_has_it(table: pa.Table) -> pa.Table:
    """Of the many ways in which Arrow holds a value, Spark's JVM reads one each."""
    kinds = from_arrow_schema(table.schema, prefer_timestamp_ntz=False)
    return table.cast(to_arrow_schema(kinds, timezone="UTC"))


def read_output(path: Path, schema: pa.Schema) -> pa.Table:
    """The streams of the partitions, one after the other. The file goes at once, its content with the table."""
    with pa.memory_map(str(path)) as file:
        path.unlink()
        parts = []
        while file.tell() < file.size():
            parts.append(pa.ipc.open_stream(file).read_all())
    return pa.concat_tables(parts).cast(schema) if parts else schema.empty_table()
