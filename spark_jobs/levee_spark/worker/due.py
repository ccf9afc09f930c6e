"""Which epoch is due now, by the store's clock: what the lag of a replica is measured by.

Why: an operator waits for its inputs and never asks what time it is; so whether it is late is found out beside it, once for all replicas of
a worker, and seldom enough to cost next to nothing.
Called by: main.
"""

from dataclasses import dataclass, field

from levee_spark.log import clock
from levee_spark.log.anchor import AnchorView
from levee_spark.log.clock import StoreClock
from levee_spark.log.requests import Script
from levee_spark.log.values import Anchor
from levee_spark.log.wiring import Wiring
from levee_spark.worker.status import Doing, Status

REFRESH_S = 2.0
CLOCK_REFRESHES = 30


@dataclass(slots=True)
class Due:
    wiring: Wiring
    holder: str
    anchors: AnchorView = field(init=False)
    clock: StoreClock | None = None
    refreshes: int = 0

    def __post_init__(self) -> None:
        self.anchors = AnchorView(self.wiring.layout, self.wiring.times.period_ms)

    def refresh(self) -> Script[None]:
        yield from self.anchors.refresh()
        if self.refreshes % CLOCK_REFRESHES == 0:
            self.clock = yield from clock.ask_time(self.wiring.layout, self.holder, self.clock, self.wiring.times.resolution_ms)
        self.refreshes += 1

    def epoch(self, now_ms: int) -> int | None:
        """The newest that is due for certain; None where nothing says when."""
        return due_epoch(self.anchors.anchors, self.clock.earliest(now_ms), self.wiring.times.period_ms) if self.clock else None

    def time_ms(self, now_ms: int) -> int | None:
        """At least, by the store's clock."""
        return self.clock.earliest(now_ms) if self.clock else None

    def measure(self, status: Status, now_ms: int) -> Status:
        """The epoch that has just fallen due is not late yet; and nobody waits for a replica that is not active."""
        due = self.epoch(now_ms)
        late = due is not None and status.doing in {Doing.RUNNING, Doing.FAILED}
        status.lag_epochs = max(0, due - 1 - status.epoch) if late and due is not None else 0
        status.offered_most = status.offered_rows or 0
        return status


def due_epoch(anchors: list[Anchor], time_ms: int, period_ms: int) -> int | None:
    """Those of an anchor are due from its time on, up to the first of the next."""
    below: int | None = None
    for anchor in reversed(anchors):
        if anchor.time_ms <= time_ms:
            reached = anchor.epoch + (time_ms - anchor.time_ms) // period_ms
            return reached if below is None else min(reached, below)
        below = anchor.epoch - 1
    return below
