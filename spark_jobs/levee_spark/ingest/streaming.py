"""Any streaming source of Spark, epoch by epoch, from wherever the last committed epoch ended.

Why: rows that were read but lost the race are no epoch, so what the query remembers counts only while its own epochs are the committed
ones. Else the query is made anew from the offsets in the manifest; that takes a moment, and loses and doubles nothing.
Called by: `opening`.
"""

import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import SparkSession

from levee_spark.ingest import checkpoint
from levee_spark.ingest.backlog import Backlog
from levee_spark.ingest.ingestion import Counters
from levee_spark.ingest.notes import COMPACT_EVERY, Notes
from levee_spark.ingest.plain import plain
from levee_spark.ingest.position import Position
from levee_spark.ingest.query import Ended, Frame, Query
from levee_spark.lane.rows import digested, encode
from levee_spark.log.digest import short_hash
from levee_spark.log.requests import Computed, Raised
from levee_spark.store.driver import monotonic_ms

SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.queryEvolution.enableSourceEvolution": "true",  # offsets are written by name; see `checkpoint`
    "spark.sql.streaming.fileSource.log.compactInterval": str(COMPACT_EVERY),
}


@dataclass(slots=True)
class Streaming:
    spark: SparkSession  # of its own: see `own_session`
    source: Frame
    folder: Path  # on this machine; disposable
    notes: Notes
    remembers: bool = True  # False: a source that cannot go back (a socket) begins anew instead of going on
    backlog: Backlog | None = None
    counters: Counters = field(default_factory=Counters)
    stopping: threading.Event = field(default_factory=threading.Event)
    query: Query | None = None
    at: str | None = None  # the offsets of the query's last epoch
    folders: Iterator[int] = field(default_factory=itertools.count)

    def ingest(self, epoch: int, offsets: str | None) -> Computed | Raised:
        began_ms = monotonic_ms()
        try:
            return self.next_epoch(self.query_after(offsets), epoch, began_ms)
        except Exception as error:  # noqa: BLE001  (sources fail in as many ways as there are sources: it is told, and asked again)
            self.abandon()
            return Raised(f"epoch {epoch}: {error}", began_ms, monotonic_ms())
        finally:
            if self.stopping.is_set():
                self.abandon()  # it may have been begun after `stop` looked

    def next_epoch(self, query: Query, epoch: int, began_ms: int) -> Computed:
        batch = query.next_batch()
        self.at = self.notes.position(query.folder, checkpoint.offset_of(query.folder, batch.number), epoch).text()
        rows, digest = digested(batch.rows)
        self.count(query, rows.num_rows)
        digest = short_hash("source", digest, self.at)
        return Computed(encode(plain(rows)), rows.num_rows, digest, began_ms, monotonic_ms(), self.at)

    def query_after(self, offsets: str | None) -> Query:
        """The one that runs, if its last epoch is the committed one."""
        if self.query is not None and offsets == self.at:
            return self.query
        self.abandon()
        if self.stopping.is_set():
            raise Ended("stopped")
        query = Query(self.folder / str(next(self.folders)), self.stopping)
        self.query = query  # before it is begun, so that it is ended in any case
        self.begin(query, offsets)
        return query

    def begin(self, query: Query, offsets: str | None) -> None:
        position = Position.of(offsets) if offsets and self.remembers else None
        notes = self.notes.restored(position)
        if position is not None:
            checkpoint.make(query.folder, position.offset, notes)
        query.start(self.spark, self.source)
        self.at = offsets

    def count(self, query: Query, rows: int) -> None:
        grown = self.backlog.growth(query.running) if self.backlog and query.running else 0
        self.counters.ingested_rows += rows
        self.counters.offered_rows += rows + grown

    def abandon(self) -> None:
        query, self.query = self.query, None
        if query is not None:
            query.stop()

    def ended(self, epoch: int) -> bool:
        """Nobody knows of a streaming source that nothing will come."""
        return False

    def stop(self) -> None:
        self.stopping.set()
        self.abandon()


def own_session(spark: SparkSession) -> SparkSession:
    """The same Spark with settings of its own: what is assumed here must hold whatever the others in the worker have set."""
    session = spark.newSession()
    for name, value in SETTINGS.items():
        session.conf.set(name, value)
    return session
