"""From measured rates to the configuration that holds.

Why: the plan says for every configuration which replicas are active; the one that dominates what is measured is safe from overload, and
the cheapest such one has the most replicas.
Called by: the rule `follow_rates`; `Window` by worlds, which measure.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from levee.control.names import Instant
from levee.topology.graph import Configuration
from levee.topology.names import ConfigurationName, OperatorName

SLACK = 0.1  # a rate may be that much above what is declared: nobody counts so exactly


def holding(configurations: tuple[Configuration, ...], rates: Mapping[OperatorName, float]) -> ConfigurationName:
    """The one with the fewest rows of those that dominate the rates; if none does, the one with the most rows."""

    def total(one: Configuration) -> float:
        return sum(one.rows_per_s.values())

    dominating = [one for one in configurations if all(one.rows_per_s[name] * (1 + SLACK) >= rate for name, rate in rates.items())]
    return (min(dominating, key=total) if dominating else max(configurations, key=total)).name


@dataclass(slots=True)
class Window:
    """The highest rate of one source over the last seconds: up at once, down only when it has stayed down."""

    width_ms: int
    measured: deque[tuple[Instant, float]] = field(default_factory=deque)

    def add(self, now: Instant, rate: float) -> None:
        self.measured.append((now, rate))
        while now - self.measured[0][0] > self.width_ms:
            self.measured.popleft()

    def highest(self) -> float | None:
        return max((rate for _, rate in self.measured), default=None)
