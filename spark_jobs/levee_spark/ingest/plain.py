"""Rows in the types that Spark has: times in microseconds, and in UTC where they have a zone.

Why: a table of Arrow's may hold times to the nanosecond in any zone; Spark refuses the one when it reads a file and shows the other by
its session. One form for all means that nobody behind a source has to think of it.
Called by: `replay`, `streaming`.
"""

import pyarrow as pa


def plain(table: pa.Table) -> pa.Table:
    """The same rows; finer times are cut off. A table that is plain already is not copied."""
    schema = pa.schema([field.with_type(plain_type(field.type)) for field in table.schema])
    return table.replace_schema_metadata() if schema.equals(table.schema) else table.cast(schema, safe=False)


def plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", tz="UTC" if kind.tz else None)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(plain_type(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(plain_type(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(plain_type(kind.key_type), kind.item_field.with_type(plain_type(kind.item_type)))
    return kind
