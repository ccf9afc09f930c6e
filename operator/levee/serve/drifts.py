"""What is measured of a topology that runs, and how far it is from what its plan was made for.

Why: workers are asked seldom, since each looks at its processes for that.
Called by: adapting.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from levee.control.names import Instant
from levee.control.seen import Observation
from levee.planning.measured.drift import Drift, Lately
from levee.planning.measured.interval import BLOCKS
from levee.serve import planning
from levee.serve.ground import Ground
from levee.worlds.stretches import EVERY_MS, Stretches

EVERY_MS_PER_POD = 10


@dataclass(slots=True)
class Drifts:
    ground: Ground
    stretches: Stretches = field(default_factory=Stretches)
    looked_at: Instant | None = None
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
        self.looked_at, self.times = now, self.times + 1
        self.stretches.add(self.ground.need_world().spent(), seen.rates)
        if self.stretches.are_due:
            self.compare()

    def compare(self) -> None:
        """With the plan in force; what was measured before that stays true."""
        self.found = self.against(self.ground.in_force().resource)

    def against(self, resource: Mapping[str, Any]) -> Lately | None:
        """What is measured beside what this one declares; None: too little is."""
        found = planning.loaded(resource).topology
        assert found is not None, "it was planned"
        return self.stretches.compared(found)
