"""A Prometheus of the simulated world: at times it does not answer, answers the same again, or lacks some of the series.

Why: a rate that is not known is no rate of zero. Answers are read here by those who read them on a cluster; who takes over has none.
Called by: `trial`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from levee.control.seen import Observation
from levee.topology.names import TaskId
from levee.worlds.measuring import Told
from levee.worlds.prometheus.following import KEPT_TIMES, Following, OfTopology, measuring
from levee.worlds.prometheus.reading import Reading, Unreadable
from levee.worlds.simulated.world import Memory, SimulatedWorld

NAME = "simulated"
EVERY_S = 2.0
OLD_MS = round(1_000 * KEPT_TIMES * EVERY_S)


class Silence(StrEnum):
    MUTE = "does not answer"
    STILL = "answers the same again"
    GAPS = "lacks series"


@dataclass(frozen=True, slots=True)
class Spell:
    """Without an end it lasts until `mend`."""

    kind: Silence
    at_ms: int
    for_ms: int | None
    lacks: tuple[TaskId, ...]  # where it lacks some

    def is_on(self, now: int) -> bool:
        return self.at_ms <= now and (self.for_ms is None or now < self.at_ms + self.for_ms)


@dataclass(frozen=True, slots=True)
class AskedNow:
    """On a cluster somebody asks beside the turns; here it is asked in each of them."""

    following: Following

    def told(self, sources: Sequence[TaskId], seen: Observation) -> Told:
        self.following.refresh()
        return OfTopology(NAME, self.following).told(sources, seen)


@dataclass(slots=True)
class Telling:
    world: SimulatedWorld
    spells: tuple[Spell, ...]
    newest: Reading = field(default_factory=lambda: Reading(0.0))  # as it stands, where its clock does
    heard: Reading | None = None  # the newest that whoever controls now has got
    heard_ms: int = 0  # when it first came

    def memory(self) -> Memory:
        """Of whoever takes over."""
        self.heard = None
        following = Following(self.ask, EVERY_S, clock=lambda: self.world.now / 1_000)
        return Memory(replace(measuring(NAME, following), teller=AskedNow(following)))

    def ask(self) -> Reading:
        on = {spell.kind: spell for spell in self.spells if spell.is_on(self.world.now)}
        if Silence.MUTE in on:
            raise Unreadable("it does not answer")
        if Silence.STILL not in on:
            self.newest = self.reading(on[Silence.GAPS].lacks if Silence.GAPS in on else ())
        if self.newest is not self.heard:
            self.heard, self.heard_ms = self.newest, self.world.now
        return self.newest

    def reading(self, lacks: Sequence[TaskId]) -> Reading:
        offered = zip(self.world.flow.problem.sources, self.world.rows_per_s, strict=True)
        rates = {(NAME, source.id): rate for source, rate in offered if source.id not in lacks}
        return Reading(self.world.now / 1_000, rates, {(NAME, task): "was not scraped lately" for task in lacks})

    def is_unknown(self) -> bool:
        """After it was asked; the newest answer counts for a while."""
        return self.heard is None or bool(self.heard.wrong) or self.world.now - self.heard_ms > OLD_MS

    def mend(self) -> None:
        self.spells = ()
