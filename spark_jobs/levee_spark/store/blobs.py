"""What a store does, in bytes: the boundary between the driver and any place where objects can lie.

Why: one protocol, so that a directory, a bucket and a store that injects faults are the same to everything above.
Called by: `driver`; implemented by `local`, `remote` and, around any of them, `faults`.
"""

from dataclasses import dataclass
from typing import Protocol, TypeAlias

Bytes: TypeAlias = bytes | memoryview


class Trouble(Exception):
    """A request failed: it may have been carried out, may not have been, or may still be. The text is for people."""


@dataclass(frozen=True, slots=True)
class Blob:
    data: Bytes  # what was asked for of it
    size: int  # of the whole object
    written_ms: int  # the store's own stamp, never earlier than the moment from which the object could be seen, less its resolution


class Blobs(Protocol):
    """Every method may raise Trouble, and nothing else."""

    @property
    def where(self) -> str:
        """For people: the address it was opened with, without secrets."""

    @property
    def resolution_ms(self) -> int:
        """By how much a stamp may be too early."""

    def get(self, key: str, begin: int = 0, end: int | None = None) -> Blob | None:
        """The bytes from `begin` to `end`, or to where the object ends; None: there is no such object."""

    def create(self, key: str, data: Bytes) -> bool:
        """Put if absent, whole and at once; False: there is one already."""

    def overwrite(self, key: str, data: Bytes) -> None: ...

    def delete(self, key: str) -> None:
        """What is not there is deleted already."""

    def names(self, folder: str, after: str, limit: int) -> tuple[str, ...]:
        """The first `limit` keys of a folder after one, in order; `after` may be empty, and so may the folder: it is the whole store."""

    def clear(self, folder: str, limit: int) -> int:
        """Delete up to `limit` objects of a folder and of all below it, and say how many; fewer than that: nothing is left."""
