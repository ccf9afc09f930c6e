"""Any streaming source of Spark, epoch by epoch, from wherever the last committed epoch ended.

Why: rows that were read but lost the race are no epoch, so what the query remembers counts only while its own epochs are the committed
ones. Else the query is made anew from the offsets in the manifest; that takes a moment, and loses and doubles nothing.
Called by: `opening`.
"""

import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyspark.sql import SparkSession

from levee_spark.ingest import aside, checkpoint
from levee_spark.ingest.backlog import Backlog
from levee_spark.ingest.ingestion import Counters
from levee_spark.ingest.notes import COMPACT_EVERY, Notes
from levee_spark.ingest.plain import plain
from levee_spark.ingest.position import Position
from levee_spark.ingest.query import Batch, Ended, Frame, Query, with_remedy
from levee_spark.ingest.silence import Silence
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
    warms: bool = False  # to read from it takes nothing away
    bounded: bool = False  # it ends with what there is
    silence: Silence = field(default_factory=Silence)
    counters: Counters = field(default_factory=Counters)
    stopping: threading.Event = field(default_factory=threading.Event)
    query: Query | None = None
    at: str | None = None  # the offsets of the query's last epoch
    offered_rows: int = 0  # less when an estimate was too high; a counter never falls
    folders: Iterator[int] = field(default_factory=itertools.count)

    def warm(self) -> None:
        if self.warms:
            aside.warm(Query(self.folder / "warm", self.stopping), self.spark, self.source)

    def ingest(self, epoch: int, offsets: str | None) -> Computed | Raised:
        began_ms = monotonic_ms()
        try:
            return self.next_epoch(self.query_after(offsets), epoch, began_ms)
        except Exception as error:  # noqa: BLE001  (sources fail in as many ways as there are sources: it is told, and asked again)
            self.abandon()
            return Raised(f"epoch {epoch}: {with_remedy(str(error))}", began_ms, monotonic_ms())
        finally:
            if self.stopping.is_set():
                self.abandon()  # it may have been begun after `stop` looked

    def next_epoch(self, query: Query, epoch: int, began_ms: int) -> Computed:
        reached = Position.of(self.at) if self.at else None
        batch = query.next_batch()
        over = reached is not None and reached.ended
        if not over:
            reached = self.position(query, batch, reached, epoch)
            self.at = reached.text()
        assert reached is not None and self.at is not None
        rows, digest = digested(batch.rows.slice(0, 0) if over else batch.rows)
        self.count(query, rows.num_rows)
        digest = short_hash("source", digest, self.at)
        return Computed(encode(plain(rows)), rows.num_rows, digest, began_ms, monotonic_ms(), self.at, ended=reached.ended)

    def again(self, epoch: int, offsets: str | None, until: str) -> Computed | Raised:
        began_ms = monotonic_ms()
        if not self.remembers:
            return Raised("this source cannot go back: what it gave is nowhere else", began_ms, began_ms)
        query = Query(self.folder / f"again-{next(self.folders)}", self.stopping)
        try:
            rows, digest = aside.between(query, self.spark, self.source, self.notes.copy(), offsets, until)
        except Exception as error:  # noqa: BLE001  (as above)
            return Raised(f"epoch {epoch}: {error}", began_ms, monotonic_ms())
        return Computed(encode(plain(rows)), rows.num_rows, short_hash("source", digest, until), began_ms, monotonic_ms(), until)

    def position(self, query: Query, batch: Batch, before: Position | None, epoch: int) -> Position:
        """A bounded source has ended with the first epoch that finds nothing new."""
        found = self.notes.position(query.folder, checkpoint.offset_of(query.folder, batch.number), epoch)
        nothing_new = found.offset == (before.offset if before else None)
        return replace(found, ended=self.bounded and nothing_new)

    def query_after(self, offsets: str | None) -> Query:
        """The one that runs, if its last epoch is the committed one."""
        if self.query is not None and offsets == self.at:
            return self.query
        self.abandon()
        if self.stopping.is_set():
            raise Ended("stopped")
        query = Query(self.folder / str(next(self.folders)), self.stopping, silence=self.silence)
        self.query = query  # before it is begun, so that it is ended in any case
        self.begin(query, offsets)
        return query

    def begin(self, query: Query, offsets: str | None) -> None:
        position = Position.of(offsets) if offsets and self.remembers else None
        notes = self.notes.restored(position)
        if position is not None:
            checkpoint.make(query.folder, position.offset, notes)
        query.start(self.spark, self.source, goes_on=position is not None)
        self.at = offsets

    def count(self, query: Query, rows: int) -> None:
        grown = self.backlog.growth(query.running, rows) if self.backlog and query.running else 0
        self.counters.ingested_rows += rows
        self.offered_rows += rows + grown
        self.counters.offered_rows = max(self.counters.offered_rows, self.offered_rows)
        self.counters.waiting_rows = self.backlog.rows if self.backlog else None

    def abandon(self) -> None:
        query, self.query = self.query, None
        if query is not None:
            query.stop()

    def ended(self, epoch: int) -> bool:
        """As far as its epochs were ingested here: of a streaming source nobody knows it before."""
        return self.at is not None and Position.of(self.at).ended

    def stop(self) -> None:
        self.stopping.set()
        self.abandon()


def own_session(spark: SparkSession) -> SparkSession:
    """The same Spark with settings of its own: what is assumed here must hold whatever the others in the worker have set."""
    session = spark.newSession()
    for name, value in SETTINGS.items():
        session.conf.set(name, value)
    return session
