"""Queries of a source beside the one that goes on: one that warms what the first epoch needs, and one that reads an epoch again.

Why: neither may change where the source is, so each has a checkpoint of its own, which goes with it.
Called by: `streaming`.
"""

from contextlib import suppress

import pyarrow as pa
from pyspark.sql import SparkSession

from levee_spark.ingest import checkpoint
from levee_spark.ingest.notes import Notes
from levee_spark.ingest.position import Position
from levee_spark.ingest.query import Frame, Query
from levee_spark.lane.rows import digested

WARM_LOOKS = 10  # seconds; a source that cannot be reached must not keep its ingestor from saying so


def warm(query: Query, spark: SparkSession, source: Frame) -> None:
    """One batch that is thrown away loads the source's classes and compiles its plan. What is wrong is told when an epoch is due."""
    with suppress(Exception):
        try:
            query.start(spark, source, goes_on=False)
            query.next_batch(WARM_LOOKS)
        finally:
            query.stop()


def between(query: Query, spark: SparkSession, source: Frame, notes: Notes, offsets: str | None, until: str) -> tuple[pa.Table, str]:
    """The rows and their digest; the query's only batch is planned by hand, from the one position to the other."""
    before, after = Position.of(offsets) if offsets else None, Position.of(until)
    try:
        checkpoint.make(query.folder, before.offset if before else None, notes.restored(after))
        checkpoint.plan(query.folder, after.offset)
        query.start(spark, source, goes_on=True)
        rows = query.next_batch().rows
        return digested(rows.slice(0, 0) if before and before.ended else rows)
    finally:
        query.stop()
