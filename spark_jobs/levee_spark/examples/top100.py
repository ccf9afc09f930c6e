"""The 100 hottest pages of a web site: a tree of aggregations.

Why: query 1 of Su and Zhou, Tolerating Correlated Failures in Massively Parallel Stream Processing Engines, VI-B. The lower levels keep
nothing between epochs, so they group with Arrow, without a shuffle or a state store; only the root has a sliding window.
Called by: the workers of the topology `top-100`; its source gives the columns of levee_spark.examples.weblog.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from levee_spark.examples.carry import Rows, carry

SLICE = 100  # records
HOTTEST = 100
WINDOW_S, SLIDE_S = 60, 10

COUNTS = pa.schema([("slide", pa.int64()), ("page", pa.string()), ("hits", pa.int64())])


def slices(inputs: dict[str, DataFrame]) -> DataFrame:
    """How often each page occurs in every 100 records; an epoch ends its last slice."""
    return inputs["access-log"].select("key", "page").coalesce(1).mapInArrow(count_slices, "slice long, page string, hits long")


def count_slices(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    records = pa.Table.from_batches(batches, pa.schema([("key", pa.int64()), ("page", pa.string())])).sort_by("key")
    numbers = pa.array(np.arange(records.num_rows) // SLICE)
    counts = records.append_column("slice", numbers).group_by(["slice", "page"], use_threads=False).aggregate([("key", "count")])
    yield from counts.select(["slice", "page", "key_count"]).rename_columns(["slice", "page", "hits"]).to_batches()


def merge(inputs: dict[str, DataFrame]) -> DataFrame:
    """How often each page occurs in an epoch, in the slices of all the tasks that this one reads."""
    return inputs["slices"].select("page", "hits").coalesce(1).mapInArrow(add_up, "page string, hits long")


def add_up(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    counts = pa.Table.from_batches(batches, pa.schema([("page", pa.string()), ("hits", pa.int64())]))
    yield from summed(counts, ["page"]).to_batches()


def summed(counts: pa.Table, by: list[str]) -> pa.Table:
    return counts.group_by(by, use_threads=False).aggregate([("hits", "sum")]).rename_columns([*by, "hits"])


def top(inputs: dict[str, DataFrame]) -> DataFrame:
    """Once a second, the 100 hottest pages of the last minute."""
    counts = inputs["merge"].select(f.col("_epoch_time").cast("long").alias("second"), "page", "hits")
    return carry(counts, rank, "rank long, page string, hits long")


def rank(kept: bytes, counted: Rows) -> tuple[bytes, Rows]:
    """What is kept: hits per slide of 10 s and page, and the second of the last ranking."""
    second = counted[-1][0]
    slide = second // SLIDE_S
    before, ranked_at = unpacked(kept)
    arrived = pa.table([[slide] * len(counted), [page for _, page, _ in counted], [hits for _, _, hits in counted]], schema=COUNTS)
    together = pa.concat_tables([before.filter(pc.field("slide") > slide - WINDOW_S // SLIDE_S), arrived])
    window = summed(together, ["slide", "page"])
    due = second > ranked_at
    return packed(window, second if due else ranked_at), hottest(window) if due else []


def hottest(window: pa.Table) -> Rows:
    """Of pages with the same hits, the first by name."""
    best = summed(window, ["page"]).sort_by([("hits", "descending"), ("page", "ascending")]).slice(0, HOTTEST)
    return list(zip(range(1, HOTTEST + 1), best["page"].to_pylist(), best["hits"].to_pylist(), strict=False))


def packed(window: pa.Table, ranked_at: int) -> bytes:
    buffer = pa.BufferOutputStream()
    with pa.ipc.new_stream(buffer, COUNTS.with_metadata({"ranked_at": str(ranked_at)})) as stream:
        stream.write_table(window.cast(COUNTS))
    return bytes(buffer.getvalue())


def unpacked(kept: bytes) -> tuple[pa.Table, int]:
    if not kept:
        return COUNTS.empty_table(), -1
    window = pa.ipc.open_stream(kept).read_all()
    return window.replace_schema_metadata(None), int(window.schema.metadata[b"ranked_at"])
