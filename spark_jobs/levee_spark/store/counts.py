"""How often the store was asked for what, and with what result.

Why: requests cost time everywhere and money on S3; requests per epoch, replica and second are evidence, and counted where they happen.
Called by: `driver`; read by metrics and benches.
"""

from collections import Counter
from dataclasses import dataclass, field
from threading import Lock


@dataclass(frozen=True, slots=True)
class Counts:
    """Requests that reached the store, by (kind, result); what memory answered; bytes."""

    requests: dict[tuple[str, str], int]
    shared: int
    bytes_read: int
    bytes_written: int

    def total(self, kind: str | None = None) -> int:
        return sum(count for (one, _), count in self.requests.items() if kind is None or one == kind)


@dataclass(slots=True)
class Counting:
    lock: Lock = field(default_factory=Lock)
    requests: Counter[tuple[str, str]] = field(default_factory=Counter)
    shared: int = 0
    bytes_read: int = 0
    bytes_written: int = 0

    def asked(self, kind: str, result: str, *, read: int = 0, written: int = 0) -> None:
        with self.lock:
            self.requests[kind, result] += 1
            self.bytes_read += read
            self.bytes_written += written

    def was_shared(self) -> None:
        with self.lock:
            self.shared += 1

    def counts(self) -> Counts:
        with self.lock:
            return Counts(dict(self.requests), self.shared, self.bytes_read, self.bytes_written)
