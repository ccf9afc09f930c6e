"""What is measured of a topology that runs, stretch by stretch, and how far it is from what its plan was made for.

Why: workers are asked seldom, since each looks at its processes for that; and of an hour only what follows from it is kept.
Called by: adapting.
"""

from collections import deque
from dataclasses import dataclass, field

from levee.control.names import Instant
from levee.control.seen import Observation
from levee.planning.measured.drift import Drift, Lately, Stretch, lately
from levee.planning.measured.interval import BLOCKS
from levee.planning.measured.spending import Look, between
from levee.serve import weighing
from levee.serve.ground import Ground
from levee.worlds.spending import looks

EVERY_MS, EVERY_MS_PER_POD = 30_000, 10
KEPT = 120  # stretches: an hour


@dataclass(slots=True)
class Drifts:
    ground: Ground
    stretches: deque[Stretch] = field(default_factory=lambda: deque(maxlen=KEPT))
    looked: dict[str, Look] | None = None
    looked_at: Instant | None = None
    fresh: int = 0  # stretches since it was compared
    times: int = 0  # that it was looked at
    found: Lately | None = None  # None: too little has been measured

    @property
    def all(self) -> tuple[Drift, ...]:
        return self.found.drifts if self.found is not None else ()

    @property
    def far(self) -> tuple[Drift, ...]:
        return self.found.far if self.found is not None else ()

    @property
    def is_new(self) -> bool:
        """It may yet find out what another operator knew before."""
        return self.times <= 2 * BLOCKS

    def is_due(self, now: Instant) -> bool:
        """Not at once: who has just come has more to do than to measure. However many pods there are, few are asked at a time."""
        self.looked_at = now if self.looked_at is None else self.looked_at
        return now - self.looked_at >= max(EVERY_MS, EVERY_MS_PER_POD * self.ground.shop.cluster.count())

    def look(self, seen: Observation, now: Instant) -> None:
        """The first look tells nothing yet: what counts is what has been spent since."""
        before, self.looked, self.looked_at = self.looked, looks(self.ground.need_world().spent()), now
        self.times += 1
        spent = between(before, self.looked) if before is not None else {}
        if before is not None and (spent or seen.rates is not None):
            self.stretches.append(Stretch(spent, seen.rates))
            self.fresh += 1
        if self.fresh >= BLOCKS:  # an operator has thousands of topologies, and an estimate takes milliseconds
            self.compare()

    def compare(self) -> None:
        """With the plan in force; what was measured before that stays true."""
        self.fresh, enough = 0, len(self.stretches) >= BLOCKS
        self.found = lately(weighing.loaded(self.ground.in_force()), tuple(self.stretches)) if enough else None
