"""What the replicas of one worker have read or written, kept for the others.

Why: consumers of one stream in one worker read the same epochs; the store should be asked once. Only what can never change is kept:
epochs, segments, files of checkpoints, control records. What may be overwritten or deleted and made anew (pins, clocks, probes, floors,
published checkpoints), what is absent and what was listed is asked for each time. An epoch that has been trimmed since is no danger:
whoever reads looks at the floor afterwards (rule 4).
Called by: `driver`.
"""

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TypeAlias

from levee_spark.log.requests import Get, Want
from levee_spark.log.values import Anchor, ChangeEpoch, CheckpointFile, ControlRecord, EpochObject, Record, Segment, Verdict

IMMUTABLE = (EpochObject, Segment, CheckpointFile, ControlRecord, ChangeEpoch, Anchor, Verdict)
OVERHEAD = 1_000  # bytes that any record takes besides its payload
MANIFEST = -1
LARGEST = 4  # no record may take more than one in so many bytes: else one checkpoint would push all epochs out

Slot: TypeAlias = tuple[str, int | None]  # key and part; None: whole


@dataclass(frozen=True, slots=True)
class Kept:
    record: Record
    written_ms: int
    part: int | None = None  # of the payload: this one only; MANIFEST: none of it; None: all


@dataclass(slots=True)
class Shared:
    """Least recently used goes first; limited by bytes."""

    limit: int
    size: int = 0
    kept: OrderedDict[Slot, Kept] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)

    def find(self, get: Get) -> Kept | None:
        """A request for a part or a manifest is served by the whole, too."""
        if get.want is Want.STAMP:
            return None
        with self.lock:
            for slot in ((get.key, MANIFEST if get.want is Want.MANIFEST else get.part), (get.key, None)):
                if found := self.kept.get(slot):
                    self.kept.move_to_end(slot)
                    return narrowed(found, get)
        return None

    def has_room_for(self, record: Record) -> bool:
        return size_of(record) <= max(OVERHEAD, self.limit // LARGEST)

    def keep(self, key: str, kept: Kept) -> None:
        if isinstance(kept.record, EpochObject) and kept.part is not None and kept.part != MANIFEST:
            self.keep(key, Kept(EpochObject(kept.record.manifest), kept.written_ms, MANIFEST))
        size = size_of(kept.record)
        if not isinstance(kept.record, IMMUTABLE) or not self.has_room_for(kept.record):
            return
        with self.lock:
            self.forget(key, kept.part)
            self.kept[key, kept.part], self.size = kept, self.size + size
            while self.size > self.limit:
                self.size -= size_of(self.kept.popitem(last=False)[1].record)

    def forget(self, key: str, part: int | None) -> None:
        if (key, part) in self.kept:
            self.size -= size_of(self.kept.pop((key, part)).record)


def narrowed(kept: Kept, get: Get) -> Kept:
    """What was asked for, of what there is."""
    payload = getattr(kept.record, "payload", None)
    if kept.part is not None or get.part is None or get.want is not Want.RECORD or not isinstance(payload, tuple):
        return kept
    return replace(kept, record=replace(kept.record, payload=payload[get.part]), part=get.part)


def size_of(record: Record) -> int:
    payload = getattr(record, "payload", None)
    parts = payload if isinstance(payload, tuple) else () if payload is None else (payload,)
    return OVERHEAD + sum(memoryview(one).nbytes for one in parts)
