"""What the sources send over time: stretches of constant rates, each with the configuration that it belongs to.

Called by: `play`; the command line reads traces, benchmarks make them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from levee.topology.graph import Configuration
from levee.topology.names import ConfigurationName, OperatorName

USUAL_S = 300.0  # LAAR's experiments (section 5.2)


@dataclass(frozen=True, slots=True)
class Stretch:
    """`configuration`: the one by which its time is accounted."""

    seconds: float
    configuration: ConfigurationName
    rows_per_s: Mapping[OperatorName, float]


@dataclass(frozen=True, slots=True)
class Trace:
    stretches: tuple[Stretch, ...]

    @property
    def seconds(self) -> float:
        return sum(one.seconds for one in self.stretches)


def as_declared(stretches: Iterable[tuple[float, Configuration]]) -> Trace:
    return Trace(tuple(Stretch(seconds, one.name, one.rows_per_s) for seconds, one in stretches))


def usual(configurations: Iterable[Configuration], seconds: float = USUAL_S) -> Trace:
    """Every configuration once, for its part of the time."""
    return as_declared((seconds * one.probability, one) for one in configurations if one.probability > 0)
