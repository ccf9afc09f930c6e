"""Whether epochs keep coming.

Why: a store may be read and not written (its disk is full, its folder is gone), and then all looks well and nothing moves. So whoever sees
epochs stand still tries to write, and tells what the store says.
Called by: the local world, at every observation.
"""

from dataclasses import dataclass

from levee.control.names import Instant
from levee.control.seen import Observation

PATIENCE_MS = 3_000
PATIENCE_PERIODS = 4


@dataclass(slots=True)
class Progress:
    period_ms: int
    epochs: int = 0  # of all replicas together
    moved: Instant | None = None

    def stands(self, seen: Observation, now: Instant) -> bool:
        epochs = sum(state.epoch for state in seen.states().values())
        if epochs != self.epochs or self.moved is None:
            self.epochs, self.moved = epochs, now
        return seen.anchored and now - self.moved > max(PATIENCE_MS, PATIENCE_PERIODS * self.period_ms)
