"""The rates of a topology's sources, from what its replicas say.

Why: every world asks replicas how they are, and the same few lines tell from that whether a rate is known and what it is.
Called by: worlds, at every observation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from levee.control.names import Instant, operator_of
from levee.control.rates import Window
from levee.control.seen import Observation, Status
from levee.topology.names import OperatorName, TaskId

KNOWN_AFTER_MS = 5_000  # since all sources have begun


@dataclass(slots=True)
class Measuring:
    windows: dict[OperatorName, Window] = field(default_factory=dict)
    since: Instant | None = None

    def measured(self, sources: Sequence[TaskId], seen: Observation, now: Instant) -> dict[OperatorName, float] | None:
        """Of each source task the rate that its replicas see; not known before all have flowed for a while."""
        told: dict[TaskId, float] = {}
        for one in seen.states().values():
            if one.status is Status.RUNNING and one.epoch:
                told[one.task] = max(one.rows_per_s, told.get(one.task, 0.0))
        rates: dict[OperatorName, float] = {}
        for task in sources:
            if task not in told:
                return None
            rates[operator_of(task)] = rates.get(operator_of(task), 0.0) + told[task]
        for name, rate in rates.items():
            self.windows.setdefault(name, Window()).add(now, rate)
        self.since = self.since or now
        known = now - self.since >= KNOWN_AFTER_MS
        return {name: window.highest() or 0.0 for name, window in self.windows.items()} if known else None
