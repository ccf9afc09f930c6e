"""Tells when the store begins to fail, and when that is over: two lines, however often it is asked meanwhile.

Why: roles ask again and again and say nothing of it, so a worker before a full disk would look like one that has nothing to do.
Called by: `driver`, for each request that reached the store.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

TOLD_AFTER = 2  # failures in a row: a single lost answer is nobody's concern
DOES = {"get": "read", "list": "read", "put": "write", "overwrite": "write", "delete": "delete"}  # a full disk is still read


class Tell(Protocol):
    def __call__(self, event: str, **more: object) -> None: ...


def nobody(event: str, **more: object) -> None:
    """For those who tell of it in another way."""


@dataclass(slots=True)
class Failing:
    since_s: float
    times: int = 0


@dataclass(slots=True)
class Silence:
    tell: Tell = nobody
    now_s: Callable[[], float] = time.monotonic
    failing: dict[str, Failing] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def failed(self, kind: str, why: str) -> None:
        with self.lock:
            now = self.failing.setdefault(DOES[kind], Failing(self.now_s()))
            now.times += 1
            if now.times == TOLD_AFTER:
                self.tell("store fails", to=DOES[kind], why=why)

    def answered(self, kind: str) -> None:
        if DOES[kind] not in self.failing:
            return
        with self.lock:
            before = self.failing.pop(DOES[kind], None)
            if before is not None and before.times >= TOLD_AFTER:
                self.tell("store answers again", to=DOES[kind], seconds=round(self.now_s() - before.since_s, 1), failed=before.times)
