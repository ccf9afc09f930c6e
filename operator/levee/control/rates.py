"""From measured rates to the configuration that holds.

Why: the plan says for every configuration which replicas are active; the one that dominates what is measured is safe from overload, and
the cheapest such one has the most replicas.
Called by: the rule `follow_rates`; `Window` by worlds, which measure; `covers` also by serve, which tells of what no configuration covers.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from levee.control.names import Instant
from levee.topology.graph import Configuration
from levee.topology.names import ConfigurationName, OperatorName

Name = TypeVar("Name", bound=str)

SLACK = 0.1  # a rate may be that much above what is declared: nobody counts so exactly


def holding(configurations: tuple[Configuration, ...], rates: Mapping[OperatorName, float]) -> ConfigurationName:
    """The one with the fewest rows of those that dominate the rates; if none does, the one with the most rows."""

    def total(one: Configuration) -> float:
        return sum(one.rows_per_s.values())

    dominating = [one for one in configurations if covers(one.rows_per_s, rates)]
    return (min(dominating, key=total) if dominating else max(configurations, key=total)).name


def covers(declared: Mapping[Name, float], rates: Mapping[Name, float]) -> bool:
    return all(declared[name] * (1 + SLACK) >= rate for name, rate in rates.items())


@dataclass(slots=True)
class Window:
    """One source's rate: the highest that it was on average; up soon, down only when it has stayed down.

    Epochs come in jerks, above all when somebody catches up; and a change of configuration is not for nothing.
    """

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
