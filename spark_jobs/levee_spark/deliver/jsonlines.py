"""Rows as lines of JSON, the way Spark writes them, but with all six digits of a second.

Why: Arrow reads JSON and does not write it.
Called by: `formats`, `console`.
"""

import base64
import json
import math
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from levee_spark.deliver.times import iso


def json_lines(table: pa.Table, *, skip_nulls: bool) -> bytes:
    """One object a row."""
    rows = json_rows(table)
    if skip_nulls:
        rows = ({name: one for name, one in row.items() if one is not None} for row in rows)
    return "".join(ENCODER.encode(row) + "\n" for row in rows).encode()


def json_rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Of values that JSON has. A column of plain numbers or texts is taken as it is; only the others are looked at value by value."""
    names = table.column_names
    columns = [values(column) for column in table.columns]
    return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def values(column: pa.ChunkedArray) -> list[Any]:
    column = iso(column) if pa.types.is_timestamp(column.type) else column
    plain: list[Any] = column.to_pylist(maps_as_pydicts="lossy")
    return plain if is_simple(column) else [value(one) for one in plain]


ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def is_simple(column: pa.ChunkedArray) -> bool:
    """JSON has all of its values."""
    kind = column.type
    if pa.types.is_floating(kind):
        return pc.all(pc.is_finite(column)).as_py() is not False  # None: there are none but nulls
    return bool(pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_string(kind))


def value(one: Any) -> Any:
    match one:
        case float() if not math.isfinite(one):
            return "NaN" if math.isnan(one) else "Infinity" if one > 0 else "-Infinity"
        case datetime():
            return one.replace(tzinfo=None).isoformat(timespec="microseconds") + ("Z" if one.tzinfo else "")
        case date():
            return one.isoformat()
        case bytes():
            return base64.b64encode(one).decode()
        case Decimal():
            return str(one)
        case timedelta():
            return one.total_seconds()
        case dict():
            return {name: value(inner) for name, inner in one.items() if inner is not None}
        case list():
            return [value(inner) for inner in one]
        case _:
            return one
