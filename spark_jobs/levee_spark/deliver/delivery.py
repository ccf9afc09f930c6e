"""What answers `Deliver`, and how it says that it cannot.

Why: a sink's role takes every answer for "delivered" and goes on; so whoever delivers goes on trying until it has, or raises.
Called by: workers; implemented by `files`, `console` and `batch`.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa

from levee.topology.complaint import Complaint
from levee_spark.lane.rows import decode, united
from levee_spark.log.requests import Deliver, Done
from levee_spark.log.values import Kind
from levee_spark.store.driver import monotonic_ms

PAUSE_S, PAUSE_S_MAX = 0.1, 10.0


class CannotDeliver(Exception):
    """A sink that cannot write what it is given, as it is declared; why, and what to do."""

    def __init__(self, where: str, wrong: str, fix: str) -> None:
        super().__init__(f"{where}: {wrong}\n  Fix: {fix}")
        self.complaint = Complaint(where, wrong, fix)


class Stopped(Exception):
    """`stop` was called before the epoch was delivered; nothing is known of it."""


@dataclass(slots=True)
class Counters:
    delivered_rows: int = 0
    delivered_epochs: int = 0  # with rows; empty ones are passed over
    tried_again: int = 0


class Delivery(Protocol):
    """Used by one thread; `stop` may come from any."""

    @property
    def counters(self) -> Counters: ...

    def deliver(self, request: Deliver) -> Done:
        """Done means that it is outside, as safely as the sink's guarantee says. Skipped, failed and empty epochs deliver nothing."""

    def stop(self) -> None:
        """Whoever waits in `deliver` for better times raises Stopped."""


@dataclass(slots=True)
class Persistence:
    """Tries what fails for a while (a full disk, a bucket or a broker that cannot be reached) again and again, and says so."""

    tell: Callable[[str], None]
    stopping: threading.Event = field(default_factory=threading.Event)
    counters: Counters = field(default_factory=Counters)

    def until_done(self, act: Callable[[], object], passing: tuple[type[Exception], ...]) -> None:
        pause_s = PAUSE_S
        while True:
            try:
                act()
            except passing as trouble:
                self.counters.tried_again += 1
                self.tell(str(trouble))
            else:
                return
            if self.stopping.wait(pause_s):
                raise Stopped
            pause_s = min(2 * pause_s, PAUSE_S_MAX)


def table_of(request: Deliver) -> pa.Table:
    """All rows of the epoch; a large one comes in parts, and so does one that is split for the tasks of some operator."""
    payload = request.epoch.payload
    return united(table_from(part) for part in (payload if isinstance(payload, tuple) else (payload,)))


def table_from(part: object) -> pa.Table:
    assert isinstance(part, bytes | memoryview), "an epoch that has rows has a payload"
    return decode(part)


def has_rows(request: Deliver) -> bool:
    manifest = request.epoch.manifest
    return manifest.kind is Kind.FINAL and manifest.rows > 0


def done(began_ms: int) -> Done:
    return Done(began_ms, monotonic_ms())
