"""Answers the store requests of roles, from a real store.

Why: roles are sans-I/O; here each of their requests is carried out exactly once, and stamped with one's own monotonic clock from just
before it and just after. An error is answered with "unknown", never tried again: only the role knows what may be repeated (rule 3).
Any number of replica threads of one worker share a driver, and with it what they read.
Called by: whoever runs roles in threads (workers, the command line, tests).
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Lock

from levee_spark.log import codec
from levee_spark.log.keys import next_key
from levee_spark.log.requests import (
    Absent,
    Answer,
    Corrupt,
    Delete,
    Done,
    Exists,
    Found,
    Get,
    List,
    Listed,
    Overwrite,
    PutIfAbsent,
    Request,
    Unknown,
    Want,
)
from levee_spark.log.values import EpochObject, Record
from levee_spark.store import fetch
from levee_spark.store.blobs import Blobs, Trouble
from levee_spark.store.counts import Counting, Counts
from levee_spark.store.shared import IMMUTABLE, Kept, Shared, narrowed
from levee_spark.store.silence import Silence
from levee_spark.store.wake import Waiter, Wakeups

SHARED_BYTES = 64 << 20
PREFETCHERS = 2


def monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


@dataclass(slots=True)
class StoreDriver:
    blobs: Blobs
    now_ms: Callable[[], int] = monotonic_ms
    looks_ahead: bool = True
    shared: Shared = field(default_factory=lambda: Shared(SHARED_BYTES))
    wakeups: Wakeups = field(default_factory=Wakeups)
    counting: Counting = field(default_factory=Counting)
    silence: Silence = field(default_factory=Silence)
    flights: dict[Get, Future[Answer]] = field(default_factory=dict)  # reads under way, so that others can wait for them
    lock: Lock = field(default_factory=Lock)
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(PREFETCHERS, "levee-prefetch"))

    def answer(self, request: Request) -> Answer:
        """Any request to the store; what concerns the lane is not for here."""
        match request:
            case Get():
                found = self.get(request)
                self.look_ahead(request, found)
                return found
            case PutIfAbsent(key, record):
                return self.put(key, record)
            case Overwrite(key, record):
                data = codec.encode(record)
                return self.carried_out("overwrite", lambda: self.blobs.overwrite(key, data), len(data))
            case Delete(key):
                return self.carried_out("delete", lambda: self.blobs.delete(key))
            case List():
                return self.listing(request)
            case _:
                raise TypeError(f"{request} is no request to a store")

    def prefetch(self, get: Get) -> None:
        """Begin to read something in the background that will be asked for soon; to no avail if it is not there yet."""
        if self.shared.find(get) is None and get not in self.flights:
            self.pool.submit(self.get, get)

    def look_ahead(self, get: Get, found: Answer) -> None:
        """Whoever catches up will ask for the next epoch as soon as this one is computed."""
        epoch_read = isinstance(found, Found) and isinstance(found.record, EpochObject) and get.want is Want.RECORD
        if epoch_read and self.looks_ahead and self.wakeups.is_behind(get.key) and self.shared.has_room_for(found.record):  # type: ignore[union-attr]
            self.prefetch(replace(get, key=next_key(get.key)))

    def waiter(self) -> Waiter:
        """One for each replica's thread."""
        return Waiter(self.wakeups, self.now_ms)

    def counts(self) -> Counts:
        return self.counting.counts()

    def close(self) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)

    # ---- reading

    def get(self, get: Get) -> Answer:
        began_ms = self.now_ms()
        if kept := self.shared.find(get):
            return self.from_memory(kept.record, kept.written_ms, began_ms)
        if get.want is Want.STAMP:
            return self.ask(get)
        with self.lock:
            flight = self.flights.get(get)
            mine = self.flights.setdefault(get, Future()) if flight is None else None
        if flight is not None:
            joined = flight.result()
            if isinstance(joined, Found) and isinstance(joined.record, IMMUTABLE):
                return self.from_memory(joined.record, joined.written_ms, began_ms)
        return self.ask(get) if mine is None else self.lead(get, mine)  # what was absent when another asked may be there by now

    def from_memory(self, record: Record, written_ms: int, began_ms: int) -> Found:
        self.counting.was_shared()
        return Found(record, written_ms, began_ms, self.now_ms())

    def lead(self, get: Get, flight: "Future[Answer]") -> Answer:
        """Ask, and tell those who wait for the same."""
        try:
            answer = self.ask(get)
        except BaseException as error:
            flight.set_exception(error)
            raise
        else:
            flight.set_result(answer)
            return answer
        finally:
            with self.lock:
                del self.flights[get]

    def ask(self, get: Get) -> Answer:
        began_ms = self.now_ms()
        try:
            kept = fetch.fetch(self.blobs, get, self.counting)
        except Trouble as trouble:
            return self.unknown("get", trouble, began_ms)
        except codec.Undecodable as wrong:
            self.counting.asked("get", "corrupt")
            return Corrupt(str(wrong), began_ms, self.now_ms())
        ended_ms = self.now_ms()
        self.silence.answered("get")
        if kept is None:
            self.wakeups.absent(get.key, ended_ms)
            return Absent(began_ms, ended_ms)
        self.shared.keep(get.key, kept)
        self.wakeups.found(get.key, ended_ms)
        kept = narrowed(kept, get)
        return Found(kept.record, kept.written_ms, began_ms, ended_ms)

    def listing(self, request: List) -> Answer:
        began_ms = self.now_ms()
        try:
            names = self.blobs.names(request.folder, request.after, request.limit)
        except Trouble as trouble:
            return self.unknown("list", trouble, began_ms)
        self.silence.answered("list")
        self.counting.asked("list", "done")
        return Listed(names, began_ms, self.now_ms())

    # ---- writing

    def put(self, key: str, record: Record) -> Answer:
        data = codec.encode(record)
        answer = self.carried_out("put", lambda: self.blobs.create(key, data), len(data))
        if isinstance(answer, Done):
            self.shared.keep(key, Kept(record, 0))
            self.wakeups.committed(key, answer.ended_ms)
        return answer

    def carried_out(self, kind: str, act: Callable[[], bool | None], size: int = 0) -> Answer:
        """False: it was there already."""
        began_ms = self.now_ms()
        try:
            created = act()
        except Trouble as trouble:
            return self.unknown(kind, trouble, began_ms)
        if created is not False:  # what was there already says nothing of whether there is room
            self.silence.answered(kind)
        self.counting.asked(kind, "exists" if created is False else "done", written=size)
        return (Exists if created is False else Done)(began_ms, self.now_ms())

    def unknown(self, kind: str, trouble: Trouble, began_ms: int) -> Unknown:
        self.counting.asked(kind, "unknown")
        self.silence.failed(kind, str(trouble))
        return Unknown(str(trouble), began_ms, self.now_ms())
