"""The files that a file source has read: the newest in the manifest itself, the others in parts on the store.

Why: a file source knows what is new only by what it has seen, so whoever goes on must know it all; but a manifest is read by everybody and
must stay small. So the list is cut into parts named by their content, each at least twice as long as the next: a file is written again
as many times as the list has doubled since. Parts that were merged stay until nobody can hold a manifest that names them.
Called by: `position`, `notes`.
"""

import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Protocol

FRESH_LIMIT = 64  # files that a manifest itself names


@dataclass(frozen=True, slots=True)
class File:
    path: str
    written_ms: int
    batch: int  # of the source's own log


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    count: int


class Shelf(Protocol):
    """Where parts are kept; any method may raise."""

    def put(self, name: str, data: bytes) -> None: ...

    def get(self, name: str) -> bytes: ...

    def delete(self, name: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Seen:
    fresh: tuple[File, ...] = ()
    parts: tuple[Part, ...] = ()
    merged: tuple[tuple[str, int], ...] = ()  # parts that later ones hold, and the epoch in which they did

    def plainly(self) -> dict[str, Any]:
        return {
            "fresh": [plain(one) for one in self.fresh],
            "parts": [[part.name, part.count] for part in self.parts],
            "merged": [list(one) for one in self.merged],
        }

    @classmethod
    def of(cls, told: dict[str, Any]) -> "Seen":
        parts = tuple(Part(name, count) for name, count in told["parts"])
        return cls(tuple(File(*one) for one in told["fresh"]), parts, tuple((name, epoch) for name, epoch in told["merged"]))

    def files(self, shelf: Shelf) -> tuple[File, ...]:
        return tuple(one for part in self.parts for one in unpacked(shelf.get(part.name))) + self.fresh

    def with_files(self, files: Iterable[File], epoch: int, shelf: Shelf, age_ms: int | None = None) -> "Seen":
        longer = replace(self, fresh=(*self.fresh, *files))
        return longer if len(longer.fresh) <= FRESH_LIMIT else longer.folded(epoch, shelf, age_ms)

    def folded(self, epoch: int, shelf: Shelf, age_ms: int | None) -> "Seen":
        """The fresh ones become a part, together with all parts that are no longer than what follows them.

        Of these, files that Spark would pass over for their age alone are left out: else the list would grow for ever.
        """
        held, parts, merged = self.fresh, self.parts, self.merged
        while parts and parts[-1].count <= len(held):
            held = (*unpacked(shelf.get(parts[-1].name)), *held)
            merged = (*merged, (parts[-1].name, epoch))
            parts = parts[:-1]
        held = young(held, age_ms)
        data = packed(held)
        part = Part(blake2b(data, digest_size=16).hexdigest(), len(held))
        shelf.put(part.name, data)
        return Seen((), (*parts, part), merged)

    def tidied(self, before_epoch: int, shelf: Shelf) -> "Seen":
        """Without the parts that were merged before an epoch which nobody goes on from any more."""
        for name, epoch in self.merged:
            if epoch < before_epoch:
                shelf.delete(name)
        return replace(self, merged=tuple(one for one in self.merged if one[1] >= before_epoch))


def young(files: tuple[File, ...], age_ms: int | None) -> tuple[File, ...]:
    oldest_ms = 0 if age_ms is None else max(file.written_ms for file in files) - age_ms
    return tuple(file for file in files if file.written_ms >= oldest_ms)


def plain(file: File) -> list[str | int]:
    return [file.path, file.written_ms, file.batch]


def packed(files: tuple[File, ...]) -> bytes:
    return zlib.compress(json.dumps([plain(one) for one in files], separators=(",", ":")).encode())


def unpacked(data: bytes) -> tuple[File, ...]:
    return tuple(File(*one) for one in json.loads(zlib.decompress(data)))
