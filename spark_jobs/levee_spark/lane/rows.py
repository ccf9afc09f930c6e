"""Rows of an epoch: as Arrow, as bytes, and their digest.

Why: whatever computes rows must encode and hash them alike. The hashes are columns of the query's own plan, so that Spark computes them
while it computes the rows; here they are only added up. Order does not count, multiplicity does.
Called by: query (operators), ingest (sources), deliver, `levee tail`.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from pyarrow import compute, ipc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from levee_spark.log.digest import short_hash

EPOCH, EPOCH_TIME = "_epoch", "_epoch_time"  # given to every row that is read, taken from every row that is emitted
HASHES = ("_levee_hash_0", "_levee_hash_1")  # two of 64 bits: no two of 2^64 rows meet
PLAIN = ipc.IpcWriteOptions()
PACKED = ipc.IpcWriteOptions(compression="zstd")
PACK_BYTES = 16 << 10  # smaller tables are not worth it


def emitted(frame: DataFrame) -> DataFrame:
    """What an operator emits of its function's result, with hashes."""
    mine = own(frame)
    return mine.withColumns({name: row_hash(mine, salt) for salt, name in enumerate(HASHES)})


def own(frame: DataFrame) -> DataFrame:
    return frame.drop(EPOCH, EPOCH_TIME)


def row_hash(frame: DataFrame, salt: int) -> Column:
    """Nulls leave xxhash64 as it is, so where they stand is hashed, too."""
    values = [hashable(f.col(f"`{field.name}`"), field.dataType) for field in frame.schema]
    nulls = [f.col(f"`{field.name}`").isNull() for field in frame.schema if field.nullable]
    return f.xxhash64(f.lit(salt), *values, *nulls)


def hashable(column: Column, kind: DataType) -> Column:
    """Values within values are hashed one after the other, and nulls not at all: so it is said how many there are and where nulls stand.

    A map has no order: its entries get one.
    """
    match kind:
        case MapType(keyType=key, valueType=value):
            entries = f.transform(f.map_entries(column), lambda entry: f.struct(*flat(entry["key"], key), *flat(entry["value"], value)))
            return f.struct(f.size(column), f.array_sort(entries))
        case ArrayType(elementType=element):
            return f.struct(f.size(column), f.transform(column, lambda one: f.struct(*flat(one, element))))
        case StructType(fields=fields):
            return f.struct(*(part for field in fields for part in flat(column[field.name], field.dataType)))
        case _:
            return column


def flat(column: Column, kind: DataType) -> tuple[Column, Column]:
    return hashable(column, kind), column.isNull()


def digested(table: pa.Table) -> tuple[pa.Table, str]:
    """The rows without their hashes, and the digest of all of them."""
    sums = [str(wrapped_sum(table.column(name))) for name in HASHES]
    return table.drop_columns(list(HASHES)), short_hash("rows", *sums, str(table.num_rows))


def wrapped_sum(column: pa.ChunkedArray) -> int:
    """Modulo 2^64."""
    return int(sum(int(chunk.to_numpy(zero_copy_only=False).view(np.uint64).sum(dtype=np.uint64)) for chunk in column.chunks)) % (1 << 64)


def encode(table: pa.Table) -> bytes:
    """An Arrow stream; it bears the schema even where there are no rows."""
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table.schema, options=PACKED if table.nbytes > PACK_BYTES else PLAIN) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def decode(data: bytes | memoryview) -> pa.Table:
    return ipc.open_stream(pa.py_buffer(data)).read_all()


def united(tables: Iterable[pa.Table]) -> pa.Table:
    """Streams merged from several tasks are read task by task."""
    return pa.concat_tables(tables)


def stamped(table: pa.Table, epoch: int, time_ms: int) -> pa.Table:
    """Every row with its epoch and the epoch's time, so that no function needs a clock."""
    count = table.num_rows
    time = compute.cast(pa.array([time_ms], pa.int64()), pa.timestamp("ms", "UTC")).cast(pa.timestamp("us", "UTC"))
    return table.append_column(EPOCH, pa.repeat(pa.scalar(epoch, pa.int64()), count)).append_column(EPOCH_TIME, pa.repeat(time[0], count))
