"""Rows per second of a replica: those that it computes, and at a source those that are offered to it.

Why: both are measured from one change to a later one. Whoever asked in between would count an epoch too many or too few, which at an epoch
a second is a fifth of what five seconds bring; and what waits in files is known only when their place is listed.
Called by: replica, after each epoch.
"""

from dataclasses import dataclass, field

from levee_spark.worker.status import Status

EVERY_MS = 1_000


@dataclass(slots=True)
class Growth:
    """Of a number that only grows, in jerks: between two of them it is as fast as the last one says, or slower if that is long ago."""

    at_ms: int | None = None
    number: int = 0
    grown: int = 0
    per_s: float | None = None  # None: it was seen once only

    def measure(self, number: int, now_ms: int) -> float | None:
        if self.at_ms is None:
            self.at_ms, self.number = now_ms, number
        took_ms, grown = now_ms - self.at_ms, number - self.number
        if took_ms >= EVERY_MS and grown > 0:
            self.at_ms, self.number, self.grown, self.per_s = now_ms, number, grown, 1000 * grown / took_ms
        elif took_ms >= EVERY_MS:
            self.per_s = min(self.per_s or 0.0, 1000 * self.grown / took_ms)
        return self.per_s


@dataclass(slots=True)
class Speed:
    period_ms: int
    last: tuple[int, int, int] | None = None  # when, rows and epochs
    offer: Growth = field(default_factory=Growth)

    def rest(self, status: Status) -> None:
        """Who follows takes nothing in: what he has measured is of another time, and nothing is begun from it."""
        self.last, self.offer = None, Growth()
        status.rows_per_s, status.offered_per_s, status.measured = 0.0, None, False

    def measure(self, status: Status, now_ms: int) -> None:
        rows, epochs = status.emitted.rows, status.emitted.epochs
        since_ms, rows_then, epochs_then = self.last or (now_ms, rows, epochs)
        if self.last is None or now_ms - since_ms >= EVERY_MS:
            self.last = now_ms, rows, epochs
        if now_ms - since_ms >= EVERY_MS:
            status.rows_per_s, status.measured = 1000 * (rows - rows_then) / (now_ms - since_ms), True
            if status.paced:  # an epoch's rows are offered each period, however many epochs are taken in at once
                status.offered_per_s = 1000 * (rows - rows_then) / (epochs - epochs_then) / self.period_ms
        if status.offered is not None and not status.paced:
            status.offered_per_s = self.offer.measure(status.offered, now_ms)
