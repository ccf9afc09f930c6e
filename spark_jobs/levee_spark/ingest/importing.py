"""A source that imports a stream of another topology: its epochs as they were committed, and no Spark.

Why: an epoch of the importer holds the epochs of the exporter that have come meanwhile, whole and in order. So rows that are committed
there come here once, whoever ingests them and however often he is killed.
Called by: workers (`worker.imports`), through `Ingestion`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import pyarrow as pa

from levee_spark.ingest.ingestion import Counters
from levee_spark.ingest.plain import plain
from levee_spark.lane.rows import decode, encode
from levee_spark.log import exporter
from levee_spark.log.ask import CorruptRecord
from levee_spark.log.digest import short_hash
from levee_spark.log.exporter import CannotImport, Waiting
from levee_spark.log.imports import Lost, Reached, Reader, Taken
from levee_spark.log.inputs import Stuck
from levee_spark.log.keys import Layout
from levee_spark.log.registration import Importer, Registrar
from levee_spark.log.requests import Answer, Computed, Done, Raised, Report, Request, Script, Wait
from levee_spark.log.values import EpochObject, Imported, Kind
from levee_spark.log.wiring import Wiring
from levee_spark.store.drive import Stopped, drive
from levee_spark.store.driver import StoreDriver, monotonic_ms
from levee_spark.store.wake import Waiter

TROUBLES = (CannotImport, Stuck, Stopped, CorruptRecord, pa.ArrowInvalid)


@dataclass(frozen=True, slots=True)
class Terms:
    """What the topology says of it."""

    wiring: Wiring  # of the importer
    importer: Importer
    wanted: Imported
    holder: str
    lease_ms: int
    rows_max: int
    at_the_end: bool = False  # it begins with what comes
    fails_on_loss: bool = True
    task: int = 0
    tasks: int = 1


@dataclass(slots=True)
class Importing:
    terms: Terms
    driver: StoreDriver
    tell: Callable[[str], None]  # why nothing comes; empty: it does
    waiter: Waiter = field(init=False)
    reader: Reader | None = None
    known: Imported | None = None
    schema: pa.Schema | None = None
    counters: Counters = field(default_factory=lambda: Counters(waiting_rows=0))
    epochs: int = 0  # of the exporter, so far
    waited_first: int | None = None  # rows that were there before: nobody offers them anew
    idle_since_ms: int | None = None

    def __post_init__(self) -> None:
        self.waiter = self.driver.waiter()

    def warm(self) -> None:
        """Until the exporter is there: before that nobody is ready, and no epoch is due."""
        drive(self.opened(), self.driver, self.waiter, self.report)

    def ended(self, epoch: int) -> bool:
        return False  # nobody knows it before the exporter says so

    def stop(self) -> None:
        self.waiter.stop()

    def ingest(self, epoch: int, offsets: str | None) -> Computed | Raised:
        return self.tried(self.next_epoch(offsets), self.waiter)

    def again(self, epoch: int, offsets: str | None, until: str) -> Computed | Raised:
        terms = replace(self.terms, holder=f"{self.terms.holder} again {monotonic_ms()}")  # whoever ingests goes on meanwhile
        other = Importing(terms, self.driver, lambda _: None)
        return other.tried(other.between(Reached.of(until)), other.waiter)

    def tried(self, script: Script[Computed], waiter: Waiter) -> Computed | Raised:
        began_ms = monotonic_ms()
        try:
            return drive(script, self.driver, waiter, self.report)
        except Lost as lost:
            return Raised(self.explained(lost), began_ms, monotonic_ms())
        except TROUBLES as error:
            return Raised(str(error) or "stopped", began_ms, monotonic_ms())

    def explained(self, lost: Lost) -> str:
        wanted = self.terms.wanted
        wrong = f"{lost} of '{wanted.stream}' of {wanted.topology} were trimmed before they were imported: the lease had run out"
        return f"{wrong}. Fix: a longer import.lease for the next time; import.failOnDataLoss: false goes on with epoch {lost.oldest}"

    def report(self, request: Request) -> Answer:
        now_ms = monotonic_ms()
        if isinstance(request, Report) and request.what == "corrupt":
            self.tell(f"epoch {request.epoch} of {self.terms.wanted.topology} cannot be read, and its replicas were asked to rebuild it")
        return Done(now_ms, now_ms)

    # ---- the next epoch

    def next_epoch(self, offsets: str | None) -> Script[Computed]:
        reader = yield from self.opened()
        at = Reached.of(offsets) if offsets else None
        after = at.epoch if at else (yield from reader.begin(at_the_end=self.terms.at_the_end))
        while True:
            taken = Taken((), after, ended=True) if at and at.ended else (yield from self.take(reader, after))
            after = taken.after
            yield from self.look(taken)
            table, last = self.table(taken)
            if table is None and (self.schema is not None or (yield from self.columns(reader, after))):
                assert self.schema is not None
                table = self.schema.empty_table()
            if table is not None:
                break
            yield Wait(self.terms.wiring.times.period_ms)
        yield from self.count(reader, taken, last, table.num_rows)
        assert self.known is not None
        return computed(table, Reached(self.known.uid, after, last, ended=taken.ended and last == taken.last))

    def opened(self) -> Script[Reader]:
        """Once the exporter is there."""
        if self.reader is None:
            terms = self.terms
            while isinstance(found := (yield from exporter.mapped(terms.wiring.layout, terms.wanted)), Waiting):
                self.tell(found.why)
                yield Wait(terms.wiring.times.period_ms)
            self.tell("")
            layout, resolution_ms = Layout(found.topology, found.uid), terms.wiring.times.resolution_ms
            registrar = Registrar(layout, found.stream, terms.importer, terms.holder, terms.lease_ms, resolution_ms)
            tasks = yield from exporter.tasks_of(layout, found)
            self.known, self.reader = found, Reader(registrar, tasks, Wiring(layout, terms.wiring.times, {}))
        return self.reader

    def take(self, reader: Reader, after: int) -> Script[Taken]:
        try:
            return (yield from reader.take(after, self.terms.rows_max))
        except Lost as lost:
            if self.terms.fails_on_loss:
                raise
            self.tell(f"{lost} of {self.terms.wanted.topology} were trimmed before they were imported, and are passed over")
            return (yield from reader.take(lost.oldest - 1, self.terms.rows_max))

    def look(self, taken: Taken) -> Script[None]:
        """What is the matter, if nothing has come for long."""
        now_ms = (yield Wait(0)).ended_ms
        if taken.epochs or taken.ended:
            if self.idle_since_ms is not None:
                self.tell("")
            self.idle_since_ms = None
        elif self.idle_since_ms is None or now_ms - self.idle_since_ms >= self.terms.wiring.times.failure_timeout_ms:
            if self.idle_since_ms is not None and self.known is not None:
                self.tell((yield from exporter.stands_still(Layout(self.known.topology, self.known.uid), self.known, taken.last)))
            self.idle_since_ms = now_ms

    # ---- rows

    def table(self, taken: Taken) -> tuple[pa.Table | None, int]:
        """All of one shape, and the epoch that they end with: where the columns change, another epoch begins. None: unknown yet."""
        found: list[pa.Table] = []
        last = taken.after
        for one in taken.epochs:
            tables = [part for epoch in one for part in self.parts(epoch)]
            if found and any(part.schema != found[0].schema for part in tables):
                break
            found, last = found + tables, last + 1
        if not found:
            return None, last
        self.schema = found[0].schema
        return pa.concat_tables(found).combine_chunks(), last

    def parts(self, epoch: EpochObject) -> Iterator[pa.Table]:
        """This task's share of the rows, by where they stand."""
        payload = epoch.payload if isinstance(epoch.payload, tuple) else (epoch.payload,)
        for part in payload if epoch.manifest.kind is Kind.FINAL else ():
            rows = plain(decode(part))
            first, end = (rows.num_rows * index // self.terms.tasks for index in (self.terms.task, self.terms.task + 1))
            yield rows.slice(first, end - first)

    def columns(self, reader: Reader, after: int) -> Script[bool]:
        """Of the last epoch that bears any; skipped and failed ones do not."""
        found = yield from reader.last_final(after)
        self.schema = next((part.schema for part in self.parts(found)), None) if found is not None else None
        return self.schema is not None

    def count(self, reader: Reader, taken: Taken, last: int, rows: int) -> Script[None]:
        """As many rows wait as the epochs that wait would have on average."""
        more = taken.more or last < taken.last
        waiting = (yield from reader.newest(last)) - last if more else 0
        self.epochs += last - taken.after
        counters = self.counters
        counters.ingested_rows += rows
        counters.waiting_rows = round(waiting * counters.ingested_rows / max(1, self.epochs))
        self.waited_first = counters.waiting_rows if self.waited_first is None else self.waited_first
        offered = counters.ingested_rows + counters.waiting_rows - self.waited_first
        counters.offered_rows = max(counters.offered_rows, offered)  # what waits is an estimate and may fall; a counter never does

    # ---- an epoch again

    def between(self, until: Reached) -> Script[Computed]:
        reader = yield from self.opened()
        if not (yield from reader.registrar.keep(until.after, reader.tasks)):
            raise Lost(until.after + 1, (yield from reader.oldest()))
        found = []
        for number in range(until.after + 1, until.epoch + 1):
            one = yield from reader.epoch(number)
            if one is None:
                raise Lost(number, number + 1)
            found.append(one)
        table, _ = self.table(Taken(tuple(found), until.epoch))
        if table is None:
            yield from self.columns(reader, until.after)
            table = (self.schema or pa.schema([])).empty_table()
        return computed(table, until)


def computed(table: pa.Table, reached: Reached) -> Computed:
    now_ms = monotonic_ms()
    payload, offsets = encode(table), reached.text()
    digest = short_hash("imported", blake2b(payload, digest_size=16).hexdigest(), offsets)
    return Computed(payload, table.num_rows, digest, now_ms, now_ms, offsets, ended=reached.ended)
