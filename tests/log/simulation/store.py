"""An object store in memory, whose every change is told to an observer.

Why: the oracle must see what happened to the store, not what a role believes.
Called by: the simulated world; conformance tests.
"""

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass, field, replace
from typing import Protocol

from levee_spark.log.requests import Delete, Get, List, Overwrite, PutIfAbsent, Want
from levee_spark.log.values import EpochObject, Record


class Observer(Protocol):
    def was_put(self, key: str, record: Record, *, replaced: bool) -> None: ...
    def was_deleted(self, key: str, record: Record) -> None: ...


@dataclass(slots=True)
class MemoryStore:
    observer: Observer
    resolution_ms: int = 1
    lies: bool = False  # overwrites although told to create only if absent
    objects: dict[str, tuple[Record, int]] = field(default_factory=dict)
    folders: dict[str, list[str]] = field(default_factory=dict)
    spoilt: dict[str, Want] = field(default_factory=dict)  # keys of which this, and what says more, can no longer be read

    def get(self, request: Get) -> tuple[Record, int] | None:
        """No more than what was asked for: no payload with a manifest, no stamp of what may come from memory."""
        there = self.objects.get(request.key)
        if there is None or not isinstance(there[0], EpochObject):
            return there
        record, written_ms = there[0], there[1] if request.want is Want.STAMP else 0
        return (record if request.want is Want.RECORD else replace(record, payload=None)), written_ms

    def can_be_read(self, request: Get) -> bool:
        spoilt = self.spoilt.get(request.key)
        return spoilt is None or (spoilt is Want.RECORD and request.want is not Want.RECORD)

    def put_if_absent(self, request: PutIfAbsent, now_ms: int) -> bool:
        if request.key in self.objects and not self.lies:
            return False
        self.write(request.key, request.record, now_ms)
        return True

    def overwrite(self, request: Overwrite, now_ms: int) -> None:
        self.write(request.key, request.record, now_ms)

    def write(self, key: str, record: Record, now_ms: int) -> None:
        there = key in self.objects
        self.objects[key] = (record, now_ms - now_ms % self.resolution_ms)
        if not there:
            insort(self.folders.setdefault(key.rpartition("/")[0], []), key)
        self.observer.was_put(key, record, replaced=there)

    def delete(self, request: Delete) -> None:
        if request.key in self.objects:
            record, _ = self.objects.pop(request.key)
            self.spoilt.pop(request.key, None)
            names = self.folders[request.key.rpartition("/")[0]]
            del names[bisect_left(names, request.key)]
            self.observer.was_deleted(request.key, record)

    def listing(self, request: List) -> tuple[str, ...]:
        names = self.folders.get(request.folder, [])
        start = bisect_right(names, request.after) if request.after else 0
        return tuple(names[start : start + request.limit])
