"""A table as the bytes of a file: Parquet, JSON lines, CSV.

Why: what the writers of Arrow do not know or would do differently from Spark is said here once: options by Spark's names, times in UTC.
Called by: `opening`, which gives `files` one of these.
"""

import gzip
import io
from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from levee.topology.checks.files import FLAG, PARQUET_CODECS, TEXT_CODECS
from levee_spark.deliver.jsonlines import json_lines
from levee_spark.deliver.times import iso

Encode = Callable[[pa.Table], bytes]


def parquet(options: Mapping[str, str]) -> tuple[str, Encode]:
    codec = chosen(options, PARQUET_CODECS)

    def encode(table: pa.Table) -> bytes:
        out = io.BytesIO()
        pa.parquet.write_table(table, out, compression=codec)
        return out.getvalue()

    return f".{codec}.parquet" if codec != "none" else ".parquet", encode


def json(options: Mapping[str, str]) -> tuple[str, Encode]:
    skip_nulls = flag(options, "ignoreNullFields", "true")
    return packed(".json", options, lambda table: json_lines(table, skip_nulls=skip_nulls))


def csv(options: Mapping[str, str]) -> tuple[str, Encode]:
    how = pa.csv.WriteOptions(include_header=flag(options, "header", "false"), delimiter=options.get("sep", ","))

    def encode(table: pa.Table) -> bytes:
        out = io.BytesIO()
        pa.csv.write_csv(with_iso_times(table), out, how)
        return out.getvalue()

    return packed(".csv", options, encode)


FORMATS: Mapping[str, Callable[[Mapping[str, str]], tuple[str, Encode]]] = {"parquet": parquet, "json": json, "csv": csv}


def packed(suffix: str, options: Mapping[str, str], encode: Encode) -> tuple[str, Encode]:
    if chosen(options, TEXT_CODECS) == "none":
        return suffix, encode
    return f"{suffix}.gz", lambda table: gzip.compress(encode(table), compresslevel=6, mtime=0)


def chosen(options: Mapping[str, str], known: tuple[str, ...]) -> str:
    """Of the codecs the one that is wanted, or the first."""
    codec = options.get("compression", known[0]).lower()
    if codec not in known:
        raise ValueError(f"compression {codec!r} is none of {', '.join(known)}")
    return codec


def flag(options: Mapping[str, str], name: str, default: str) -> bool:
    value = options.get(name, default).lower()
    if value not in FLAG:
        raise ValueError(f"{name} is {value!r}, neither true nor false")
    return value == "true"


def with_iso_times(table: pa.Table) -> pa.Table:
    columns = [iso(column) if pa.types.is_timestamp(column.type) else column for column in table.columns]
    return pa.table(columns, names=table.column_names)
