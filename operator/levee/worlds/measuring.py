"""The rates of a topology's sources, as somebody tells them: its replicas, or a Prometheus.

Why: whoever tells, the same few lines say whether a rate is known, what it is, and for how long it has been known.
Called by: worlds, at every observation.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from levee.control.course import Noted
from levee.control.names import Instant, operator_of
from levee.control.rates import Window
from levee.control.seen import Measured, Observation, Status
from levee.topology.names import OperatorName, TaskId

KNOWN_AFTER_MS = 5_000  # since all sources have begun


@dataclass(frozen=True, slots=True)
class Told:
    rates: Mapping[TaskId, float]
    missing: str = ""  # why not those of all sources; empty: they are all there


class Teller(Protocol):
    def told(self, sources: Sequence[TaskId], seen: Observation) -> Told: ...


@dataclass(frozen=True, slots=True)
class Workers:
    """Of each source task the rate that is offered to the replica that seals its epochs; what a source does not tell is taken in."""

    def told(self, sources: Sequence[TaskId], seen: Observation) -> Told:
        found: dict[TaskId, float] = {}
        for one in seen.states().values():
            if one.status is Status.RUNNING and one.epoch and one.measured and one.last != "lost":
                rate = one.rows_per_s if one.offered_per_s is None else one.offered_per_s
                found[one.task] = max(rate, found.get(one.task, 0.0))
        silent = [task for task in sources if task not in found]
        missing = f"no replica of {', '.join(silent)} has said one" if silent else ""
        return Told({task: found[task] for task in sources if task in found}, missing)


@dataclass(slots=True)
class Measuring:
    teller: Teller = field(default_factory=Workers)
    window: Callable[[], Window] = Window
    windows: dict[OperatorName, Window] = field(default_factory=dict)
    since: Instant | None = None
    known_since: Instant | None = None
    noted: Noted = field(default_factory=Noted)

    def measured(self, sources: Sequence[TaskId], seen: Observation, now: Instant) -> Measured:
        """Not known before all have flowed for a while."""
        course, told = self.noted.note(now, seen.configuration), self.teller.told(sources, seen)
        if told.missing:
            self.known_since = None
            return Measured(None, told.missing, None, course)
        rates = summed(told.rates)
        for name, rate in rates.items():
            self.windows.setdefault(name, self.window()).add(now, rate)
        self.since = self.since or now
        self.known_since = now if self.known_since is None else self.known_since
        if now - self.since < KNOWN_AFTER_MS:
            return Measured(None, "they are watched for some seconds first", None, course)
        return Measured({name: self.windows[name].average() for name in rates}, "", self.known_since, course)


def summed(rates: Mapping[TaskId, float]) -> dict[OperatorName, float]:
    found: dict[OperatorName, float] = {}
    for task, rate in rates.items():
        found[operator_of(task)] = found.get(operator_of(task), 0.0) + rate
    return found
