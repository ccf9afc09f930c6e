"""The write side: each batch of somebody's query becomes an epoch of a stream, once.

Why: put-if-absent is the whole protocol. Every partition puts its rows as a segment, named by what is in it; one manifest names the
segments, and with it the batch is committed. A batch that is run again finds its manifest, whatever it has computed this time, and changes
nothing; one that was cut off before leaves segments that nobody names, and those are swept.
Called by: Spark, in Python processes of its own: many write, one commits.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from levee.topology.names import TaskId
from levee_spark.ingest.plain import plain
from levee_spark.lane.rows import EPOCH, EPOCH_TIME, encode
from levee_spark.log import commit, segments
from levee_spark.log.codec import checksum
from levee_spark.log.digest import lineage, short_hash
from levee_spark.log.values import GENESIS, EpochObject, Kind, Manifest
from levee_spark.notebook.asked import Asked
from levee_spark.notebook.going_on import Batch, Place, place_of
from levee_spark.notebook.look import Look

QUERY, BATCH = "sql.streaming.queryId", "streaming.sql.batchId"  # Spark's names of what a task may ask
SWEEP_EVERY = 50  # epochs


@dataclass(frozen=True)
class Part(WriterCommitMessage):
    query: str
    epoch: int
    key: str | None  # None: no rows
    digest: str
    rows: int


@dataclass
class StreamWriter(DataSourceStreamArrowWriter):
    asked: Asked
    schema: StructType

    @property
    def task(self) -> TaskId:
        return TaskId(f"{self.asked.stream}/0")

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Part:
        context = TaskContext.get()
        assert context is not None
        batch = Batch(context.getLocalProperty(QUERY) or "", int(context.getLocalProperty(BATCH) or 0))
        table = self.table(list(iterator))
        look = Look.at(self.asked, writes=True)
        place = place_of(look, self.task, batch)
        if place.is_done or table.num_rows == 0:
            return Part(batch.query, place.epoch, None, "", 0)
        payload = encode(table)
        digest = checksum(payload)
        key = look.layout.segment(self.task, place.epoch, digest)
        look.carry_out(segments.write(((key, payload),)))
        return Part(batch.query, place.epoch, key, digest, table.num_rows)

    def table(self, batches: list[pa.RecordBatch]) -> pa.Table:
        """Rows that were read from another stream have its epochs; here they get this one's."""
        given = pa.Table.from_batches(batches, batches[0].schema if batches else to_arrow_schema(self.schema, timezone="UTC"))
        return plain(given.drop_columns([name for name in (EPOCH, EPOCH_TIME) if name in given.column_names]))

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        parts = [one for one in messages if isinstance(one, Part)]
        batch = Batch(next((part.query for part in parts if part.query), ""), batchId)
        look = Look.at(self.asked, writes=True)
        place = place_of(look, self.task, batch)
        if not place.is_done:
            self.put(look, place, batch, parts)
        if place.is_done or place.epoch % SWEEP_EVERY == 0:
            self.sweep(look, place.epoch)

    def put(self, look: Look, place: Place, batch: Batch, parts: list[Part]) -> None:
        if any(part.epoch != place.epoch for part in parts):
            raise look.tell("somebody else has written to it meanwhile", "let one query at a time write to a stream")
        mine = self.epoch(place, batch, [part for part in parts if part.key])
        found = look.carry_out(commit.commit(look.layout.epoch(self.task, place.epoch), mine)).manifest
        if Batch.of(found) != batch:
            raise look.tell(f"epoch {place.epoch} was written by another query", "let one query at a time write to a stream")

    def epoch(self, place: Place, batch: Batch, parts: list[Part]) -> EpochObject:
        before, offsets = place.before, batch.text()
        digest = short_hash("written", *sorted(part.digest for part in parts), f"offsets {offsets}")
        manifest = Manifest(
            place.epoch,
            Kind.FINAL,
            sum(part.rows for part in parts),
            digest,
            lineage(before.lineage if before else GENESIS, digest),
            position=0,
            writer=f"query {batch.query}",
            time_ms=max(before.time_ms if before else 0, int(time.time() * 1_000)),  # noqa: TID251  (nobody else writes: no clock to agree on)
            offsets=offsets,
            segments=tuple(part.key for part in parts if part.key),
        )
        return EpochObject(manifest, None if parts else encode(self.table([])))

    def sweep(self, look: Look, epoch: int) -> None:
        """Segments of batches that were run again, and did not give the same."""
        after = look.layout.segment(self.task, max(0, epoch - 2 * SWEEP_EVERY), "")
        while (reached := look.carry_out(segments.sweep(look.layout, self.task, after))) > after:
            after = reached

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """Nothing is committed. The batch will be run again, and may well want the same segments."""
