"""The rates of a topology's sources, from what its replicas say.

Why: every world asks replicas how they are, and the same few lines tell from that whether a rate is known and what it is.
Called by: worlds, at every observation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from levee.control.names import Instant, operator_of
from levee.control.rates import Window
from levee.control.seen import Measured, Observation, Status
from levee.topology.names import ConfigurationName, OperatorName, TaskId

KNOWN_AFTER_MS = 5_000  # since all sources have begun


@dataclass(slots=True)
class Measuring:
    windows: dict[OperatorName, Window] = field(default_factory=dict)
    since: Instant | None = None
    steady_since: Instant | None = None
    configuration: ConfigurationName | None = None

    def measured(self, sources: Sequence[TaskId], seen: Observation, now: Instant) -> Measured:
        """Of each source task the rate that is offered to its replicas; not known before all have flowed for a while."""
        told = offered(seen)
        if silent := [task for task in sources if task not in told]:
            self.steady_since = None
            return Measured(None, f"{', '.join(silent)} has said none")
        rates = summed({task: told[task] for task in sources})
        for name, rate in rates.items():
            self.windows.setdefault(name, Window()).add(now, rate)
        self.since = self.since or now
        if self.steady_since is None or self.configuration != seen.configuration:
            self.steady_since, self.configuration = now, seen.configuration
        if now - self.since < KNOWN_AFTER_MS:
            return Measured(None, "they are watched for some seconds first")
        return Measured({name: self.windows[name].highest() or 0.0 for name in rates}, "", self.steady_since)


def offered(seen: Observation) -> dict[TaskId, float]:
    """By those who work; what a source does not tell is taken in."""
    told: dict[TaskId, float] = {}
    for one in seen.states().values():
        if one.status is Status.RUNNING and one.epoch:
            rate = one.rows_per_s if one.offered_per_s is None else one.offered_per_s
            told[one.task] = max(rate, told.get(one.task, 0.0))
    return told


def summed(rates: Mapping[TaskId, float]) -> dict[OperatorName, float]:
    found: dict[OperatorName, float] = {}
    for task, rate in rates.items():
        found[operator_of(task)] = found.get(operator_of(task), 0.0) + rate
    return found
