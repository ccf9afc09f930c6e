"""The same picture for a while: for ten times as long as it took to make.

Why: a picture of ten thousand replicas takes a quarter of a second, and whoever makes it has something better to do; so all who look take a
tenth of his time together, however many they are.
Called by: serve.app.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

TIMES = 10
KEPT = 64  # pictures; names are asked for by whoever likes to


@dataclass(slots=True)
class Seldom:
    make: Callable[[str], Mapping[str, Any]]
    clock: Callable[[], float] = time.monotonic
    known: dict[str, tuple[float, Mapping[str, Any]]] = field(default_factory=dict)  # until when each holds
    lock: Lock = field(default_factory=Lock)

    def picture(self, asked: str) -> Mapping[str, Any]:
        with self.lock:
            began_s = self.clock()
            until_s, found = self.known.get(asked, (began_s, None))
            return self.made(asked, began_s) if found is None or began_s >= until_s else found

    def made(self, asked: str, began_s: float) -> Mapping[str, Any]:
        found = self.make(asked)
        self.known.pop(asked, None)
        self.known[asked] = self.clock() + TIMES * (self.clock() - began_s), found
        while len(self.known) > KEPT:
            del self.known[next(iter(self.known))]
        return found
