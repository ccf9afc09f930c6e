"""Tell, of a run on this machine, what is certainly otherwise than it was planned for.

Why: here a plan holds for as long as the run; but whoever has guessed its descriptor should hear when the guess was wrong.
Called by: run, at every turn.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from levee.control.events import Event
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.planning.measured.drift import Quantity
from levee.topology.adaptation import AdaptationPolicy
from levee.topology.graph import Topology
from levee.topology.load import load_bytes
from levee.topology.names import OperatorName
from levee.worlds.stretches import EVERY_MS, Stretches

Ask = Callable[[], Mapping[str, Mapping[str, Any] | None]]


@dataclass(slots=True)
class Drifting:
    topology: Topology | None = None  # None: nobody wants to know
    stretches: Stretches = field(default_factory=Stretches)
    looked_at: Instant | None = None
    told: frozenset[tuple[Quantity, OperatorName]] = frozenset()

    def events(self, seen: Observation, ask: Ask, now: Instant) -> Iterator[Event]:
        """What is new; what is as planned again is forgotten."""
        self.looked_at = now if self.looked_at is None else self.looked_at
        if self.topology is None or not seen.anchored or now - self.looked_at < EVERY_MS:
            return
        self.looked_at = now
        self.stretches.add(ask(), seen.rates)
        found = self.stretches.compared(self.topology) if self.stretches.are_due else None
        if found is None:
            return
        far = {(one.what, one.name): one.text for one in found.far}
        if news := [text for key, text in far.items() if key not in self.told]:
            yield Event("descriptor", f"{'; '.join(news)}; levee profile tells what to declare")
        self.told = frozenset(far)


def drifting(resource: bytes) -> Drifting:
    [found] = load_bytes(resource, origin="")
    wanted = found.resource is not None and found.resource.spec.adaptation.policy is not AdaptationPolicy.OFF
    return Drifting(found.topology if wanted else None)
