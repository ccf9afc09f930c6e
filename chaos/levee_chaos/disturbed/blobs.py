"""A store around a store, which obeys the disturbances of a run.

Called by: worker and starting, around the store that was opened.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from levee_chaos.disturbed.passage import Passage, Road
from levee_chaos.disturbed.values import Disturbance, Way
from levee_spark.store.blobs import Blob, Blobs, Bytes

T = TypeVar("T")


@dataclass(slots=True)
class DisturbedBlobs:
    inner: Blobs
    road: Road

    @property
    def where(self) -> str:
        return self.inner.where

    @property
    def resolution_ms(self) -> int:
        return self.inner.resolution_ms

    def get(self, key: str, begin: int = 0, end: int | None = None) -> Blob | None:
        found = self.passed(f"reading {key}", lambda: self.inner.get(key, begin, end), answer=lambda one: len(one.data) if one else 0)
        return found and replace(found, written_ms=found.written_ms + self.stamps_are_off_by_ms())

    def create(self, key: str, data: Bytes) -> bool:
        return self.passed(f"writing {key}", lambda: self.inner.create(key, data), len(data), writes=True)

    def overwrite(self, key: str, data: Bytes) -> None:
        self.passed(f"writing {key}", lambda: self.inner.overwrite(key, data), len(data), writes=True)

    def delete(self, key: str) -> None:
        self.passed(f"deleting {key}", lambda: self.inner.delete(key))

    def names(self, folder: str, after: str, limit: int) -> tuple[str, ...]:
        return self.passed(f"listing {folder}", lambda: self.inner.names(folder, after, limit))

    def clear(self, folder: str, limit: int) -> int:
        return self.passed(f"deleting {folder}", lambda: self.inner.clear(folder, limit))

    def stamps_are_off_by_ms(self) -> int:
        off = [one for one in self.road.in_force.now() if one.way is Way.STORE_CLOCK]
        for one in off:
            self.road.feeling.met(one)
        return sum(one.ms for one in off)

    def passed(
        self, what: str, act: Callable[[], T], size: int = 0, *, writes: bool = False, answer: Callable[[T], int] = lambda _: 0
    ) -> T:
        began_s, passage = self.road.now_s(), Passage(self.road, what)
        passage.there(size, writes=writes)
        result = act()
        passage.back(answer(result))
        self.felt(passage.met, 1_000 * (self.road.now_s() - began_s))
        return result

    def felt(self, met: set[Disturbance], took_ms: float) -> None:
        for one in met:
            self.road.feeling.answered(one, took_ms)
