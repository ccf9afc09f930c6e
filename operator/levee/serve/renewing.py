"""A store that is opened anew when its credentials are other ones by now.

Why: a Secret is changed while topologies run, and the keys that it had before are refused from then on; whoever kept them would hear that
until the operator is started again. Nothing is tried again here: only a role knows what may be repeated.
Called by: access, around every store that a Secret opens.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeVar

from levee.control.names import Instant
from levee_spark.store.blobs import Blob, Blobs, Bytes, Trouble

T = TypeVar("T")
AT_ONCE = Instant(0)
PAUSE_MS_MIN, PAUSE_MS_MAX = 2_000, 60_000


class StillClosed(Exception):
    """There is no Secret, or none that opens the store; the text is for people."""


@dataclass(frozen=True, slots=True)
class Opened:
    blobs: Blobs
    version: str  # of the Secret: not what is in it


@dataclass(slots=True)
class RenewingBlobs:
    opened: Opened
    reopen: Callable[[str], Opened | None]  # None: the Secret has the version that it had; StillClosed
    now: Callable[[], Instant]
    due: Instant = AT_ONCE
    pause_ms: int = 0
    lock: Lock = field(default_factory=Lock)

    @property
    def where(self) -> str:
        return self.opened.blobs.where

    @property
    def resolution_ms(self) -> int:
        return self.opened.blobs.resolution_ms

    def get(self, key: str, begin: int = 0, end: int | None = None) -> Blob | None:
        return self.carried_out(lambda blobs: blobs.get(key, begin, end))

    def create(self, key: str, data: Bytes) -> bool:
        return self.carried_out(lambda blobs: blobs.create(key, data))

    def overwrite(self, key: str, data: Bytes) -> None:
        self.carried_out(lambda blobs: blobs.overwrite(key, data))

    def delete(self, key: str) -> None:
        self.carried_out(lambda blobs: blobs.delete(key))

    def names(self, folder: str, after: str, limit: int) -> tuple[str, ...]:
        return self.carried_out(lambda blobs: blobs.names(folder, after, limit))

    def clear(self, folder: str, limit: int) -> int:
        return self.carried_out(lambda blobs: blobs.clear(folder, limit))

    def carried_out(self, act: Callable[[Blobs], T]) -> T:
        try:
            done = act(self.opened.blobs)
        except Trouble as trouble:
            try:
                self.renew()
            except StillClosed as why:
                raise Trouble(f"{trouble}; {why}") from trouble
            raise
        self.pause_ms = 0
        return done

    def renew(self) -> None:
        """Whatever the trouble is: how refused credentials are told differs from store to store. The next request finds what was opened."""
        with self.lock:
            if self.now() < self.due:
                return
            self.pause_ms = min(max(PAUSE_MS_MIN, 2 * self.pause_ms), PAUSE_MS_MAX)
            self.due = Instant(self.now() + self.pause_ms)
            self.opened = self.reopen(self.opened.version) or self.opened
