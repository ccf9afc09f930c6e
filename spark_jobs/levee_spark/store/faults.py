"""A store around a store, in which things go wrong: before a request is carried out, after it, or only later than expected.

Why: production never asks whether it is a test; faults wrap.
Called by: tests and fault campaigns.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from threading import Lock
from typing import TypeVar

from levee_spark.store.blobs import Blob, Blobs, Bytes, Trouble

T = TypeVar("T")


@dataclass(slots=True)
class FaultyBlobs:
    inner: Blobs
    random: Random
    before: float = 0.0  # share of the requests that fail and are not carried out
    after: float = 0.0  # share of those that are carried out, and then fail
    delay_ms_max: int = 0
    sleep: Callable[[float], None] = time.sleep
    injected: dict[str, int] = field(default_factory=lambda: {"before": 0, "after": 0})
    lock: Lock = field(default_factory=Lock)

    @property
    def where(self) -> str:
        return self.inner.where

    @property
    def resolution_ms(self) -> int:
        return self.inner.resolution_ms

    def get(self, key: str, begin: int = 0, end: int | None = None) -> Blob | None:
        return self.disturbed(lambda: self.inner.get(key, begin, end))

    def create(self, key: str, data: Bytes) -> bool:
        return self.disturbed(lambda: self.inner.create(key, data))

    def overwrite(self, key: str, data: Bytes) -> None:
        self.disturbed(lambda: self.inner.overwrite(key, data))

    def delete(self, key: str) -> None:
        self.disturbed(lambda: self.inner.delete(key))

    def names(self, folder: str, after: str, limit: int) -> tuple[str, ...]:
        return self.disturbed(lambda: self.inner.names(folder, after, limit))

    def clear(self, folder: str, limit: int) -> int:
        return self.disturbed(lambda: self.inner.clear(folder, limit))

    def disturbed(self, act: Callable[[], T]) -> T:
        with self.lock:
            chance, pause_ms = self.random.random(), self.random.random() * self.delay_ms_max
        if pause_ms:
            self.sleep(pause_ms / 1_000)
        if chance < self.before:
            self.fail("before")
        result = act()
        if chance >= 1 - self.after:
            self.fail("after")
        return result

    def fail(self, when: str) -> None:
        with self.lock:
            self.injected[when] += 1
        raise Trouble(f"injected {when} the request was carried out")
