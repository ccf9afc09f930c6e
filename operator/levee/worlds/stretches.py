"""What workers have spent and sources have offered, stretch by stretch, of the last hour.

Why: what workers say are totals since they began; what counts is what has come to them between two looks.
Called by: serve.drifts; the local world's `drifting`.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from levee.planning.measured.drift import Lately, Stretch, lately
from levee.planning.measured.interval import BLOCKS
from levee.planning.measured.spending import Look, between
from levee.topology.graph import Topology
from levee.topology.names import OperatorName
from levee.worlds.spending import looks

EVERY_MS = 30_000
KEPT = 120


@dataclass(slots=True)
class Stretches:
    kept: deque[Stretch] = field(default_factory=lambda: deque(maxlen=KEPT))
    looked: dict[str, Look] | None = None
    fresh: int = 0  # since they were compared

    def add(self, told: Mapping[str, Mapping[str, Any] | None], rates: Mapping[OperatorName, float] | None) -> None:
        """The first look tells nothing yet."""
        before, self.looked = self.looked, looks(told)
        spent = between(before, self.looked) if before is not None else {}
        if before is not None and (spent or rates is not None):
            self.kept.append(Stretch(spent, rates))
            self.fresh += 1

    @property
    def are_due(self) -> bool:
        """Enough are new: an operator has thousands of topologies, and an estimate takes milliseconds."""
        return self.fresh >= BLOCKS

    @property
    def are_whole(self) -> bool:
        """There is all that is ever kept."""
        return len(self.kept) == KEPT

    def compared(self, topology: Topology) -> Lately | None:
        """With what was declared; None: there are too few."""
        self.fresh = 0
        return lately(topology, tuple(self.kept)) if len(self.kept) >= BLOCKS else None
