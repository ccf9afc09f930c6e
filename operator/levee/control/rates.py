"""A source's rate over time: the average of some seconds, and the highest that this was.

Why: epochs come in jerks, and a change of configuration is not for nothing.
Called by: worlds, which measure.
"""

from collections import deque
from dataclasses import dataclass, field

from levee.control.names import Instant


@dataclass(slots=True)
class Window:
    """One source's rate: the highest that it was on average; up soon, down only when it has stayed down."""

    average_over_ms: int = 5_000
    highest_over_ms: int = 30_000
    measured: deque[tuple[Instant, float]] = field(default_factory=deque)
    averages: deque[tuple[Instant, float]] = field(default_factory=deque)

    def add(self, now: Instant, rate: float) -> None:
        kept(self.measured, (now, rate), self.average_over_ms)
        kept(self.averages, (now, sum(rate for _, rate in self.measured) / len(self.measured)), self.highest_over_ms)

    def highest(self) -> float | None:
        return max((rate for _, rate in self.averages), default=None)


def kept(values: deque[tuple[Instant, float]], newest: tuple[Instant, float], width_ms: int) -> None:
    values.append(newest)
    while newest[0] - values[0][0] > width_ms:
        values.popleft()
