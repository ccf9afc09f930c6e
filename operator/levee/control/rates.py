"""A source's rate over time: the average of some seconds.

Why: epochs come in jerks, and a change of configuration is not for nothing.
Called by: worlds, which measure.
"""

from collections import deque
from dataclasses import dataclass, field

from levee.control.names import Instant


@dataclass(slots=True)
class Window:
    """Of one source."""

    average_over_ms: int = 5_000  # 0: the newest
    measured: deque[tuple[Instant, float]] = field(default_factory=deque)

    def add(self, now: Instant, rate: float) -> None:
        self.measured.append((now, rate))
        while now - self.measured[0][0] > self.average_over_ms:
            self.measured.popleft()

    def average(self) -> float:
        """Nothing was measured: 0."""
        return sum(rate for _, rate in self.measured) / max(1, len(self.measured))
