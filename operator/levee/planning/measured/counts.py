"""What is counted of a topology: rows, epoch by epoch, and what its operators have spent.

Called by: descriptor and spending; worlds, which count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from levee.planning.measured.interval import Floats
from levee.topology.names import OperatorName, TaskId

Counts: TypeAlias = tuple[int, ...]  # of rows, epoch by epoch


@dataclass(frozen=True, slots=True)
class Passed:
    """Epochs that all streams have, one after the other."""

    first: int
    period_s: float
    rows: Mapping[OperatorName, Counts]  # that each stream's tasks have emitted together
    holes: Mapping[OperatorName, frozenset[int]] = field(default_factory=dict)  # epochs whose rows were lost, or cannot be read

    @property
    def epochs(self) -> int:
        return min(map(len, self.rows.values()), default=0)

    @property
    def last(self) -> int:
        return self.first + self.epochs - 1

    def counts(self, streams: Sequence[OperatorName]) -> Floats:
        """[epoch, stream], without the epochs in which something of them was lost."""
        holes = frozenset[int]().union(*(self.holes.get(name, frozenset()) for name in streams))
        sound = [place for place in range(self.epochs) if self.first + place not in holes]
        return np.array([[self.rows[name][place] for name in streams] for place in sound], dtype=float).reshape(-1, len(streams))


@dataclass(frozen=True, slots=True)
class Spent:
    """Of one operator in one stretch of time, by all of its replicas together."""

    cpu_s: float
    read: Mapping[OperatorName, float]  # rows, by stream
    emitted: float = 0.0  # rows
    tasks: Mapping[TaskId, float] = field(default_factory=dict)  # rows that each task has read, whoever of its replicas
