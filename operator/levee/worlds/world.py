"""What a place must be able to do for a topology to run there, and the loop that runs it.

Why: observe, decide, act: one short loop, the same everywhere; a crash at any line is repaired by the next turn, because every turn
begins with what there is.
Called by: `local.run`.
"""

from typing import Protocol

from levee.control.actions import Action, Decision
from levee.control.decide import decide
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.control.wanted import Wanted


class World(Protocol):
    def observe(self, now: Instant) -> Observation:
        """Everything, as it is now."""

    def perform(self, action: Action, now: Instant) -> str:
        """Begin it; whether it came about shows in what is observed later. What it waits for, where it cannot be begun."""


def step(world: World, wanted: Wanted, now: Instant) -> tuple[Observation, Decision]:
    seen = world.observe(now)
    decision = decide(wanted, seen, now)
    waits = [what for action in decision.actions if (what := world.perform(action, now))]
    return seen, decision.waiting(waits[0]) if waits else decision
