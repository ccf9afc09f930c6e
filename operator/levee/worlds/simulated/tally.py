"""What is counted while rows move: read in time, lost, dropped, delivered, and the CPU that it took.

Called by: `rows`, at every step; reports and benchmarks read it.
"""

from dataclasses import dataclass, fields


@dataclass(slots=True)
class Tally:
    """Of a stretch of time. A row is counted once for each task that reads it, as internal completeness does."""

    seconds: float = 0.0
    due: float = 0.0  # rows that tasks would have read if nothing had failed and no queue had been full
    processed: float = 0.0  # rows that the primaries have read
    lost: float = 0.0  # that came to a task and had no room in its primary's queue, or found nobody there
    dropped: float = 0.0  # by the queues of all replicas, the secondaries' too
    delivered: float = 0.0  # rows emitted by the tasks that a sink reads
    cpu_s: float = 0.0
    idle_task_s: float = 0.0  # for how long tasks had nobody who computes them, added up

    @property
    def completeness(self) -> float:
        return self.processed / self.due if self.due else 1.0

    @property
    def cores(self) -> float:
        return self.cpu_s / self.seconds if self.seconds else 0.0

    def add(self, other: "Tally") -> None:
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    def since(self, earlier: "Tally") -> "Tally":
        return Tally(**{one.name: getattr(self, one.name) - getattr(earlier, one.name) for one in fields(self)})

    def copy(self) -> "Tally":
        return Tally(**{one.name: getattr(self, one.name) for one in fields(self)})
