"""One trial on a running topology: wait until it is whole, do the fault, look on, undo it, wait until it is whole again, and judge.

Why: each fault must find the topology as the plan has it, and must be gone before the next one.
Called by: campaign.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from levee.fit.verdicts import Verdict
from levee_chaos import inflicting
from levee_chaos.keeping import Keeping, utc_ms
from levee_chaos.refusals import NoEffect, Refused
from levee_chaos.verifying import seeing
from levee_chaos.verifying.judging import Outcome, Scale
from levee_chaos.verifying.promises import Promised
from levee_chaos.verifying.striking import Met, Strike
from levee_chaos.verifying.trials import Kind, Trial
from levee_chaos.verifying.weighing import Seen, outcome
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.world import Where, World

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Terms:
    """How long each step of a trial takes, or may take."""

    fault_s: float = 20.0  # the fault stands, or has come, for so long
    before_s: float = 10.0  # of undisturbed work, which it is held against
    ready_s: float = 600.0  # to be whole and in the configuration
    recovery_s: float = 300.0
    lag_epochs: int = 10  # who is farther behind is not whole
    look_s: float = 0.2  # between two looks
    driver: Mapping[str, str] = field(default_factory=dict)
    scale: Scale = field(default_factory=Scale)


class NotWhole(Exception):
    """It did not become what the trial needs; why."""


def take(trial: Trial, promised: Promised, where: Where, terms: Terms, say: Say) -> Outcome:
    """Never an exception for what a trial may meet: each is a verdict."""
    taking = Taking(trial, promised, where, terms, say)
    try:
        taking.wait_until_whole(terms.ready_s)
        time.sleep(terms.before_s)
        return taking.struck()
    except (NotWhole, Refused, NoEffect) as wrong:
        return Outcome(trial, Verdict.INCONCLUSIVE, " ".join(str(wrong).split()))


@dataclass(frozen=True, slots=True)
class Taking:
    trial: Trial
    promised: Promised
    where: Where
    terms: Terms
    say: Say

    def struck(self) -> Outcome:
        """Undone whatever happens."""
        world = find(self.where)
        before, strike, began_ms = seeing.newest(world, self.terms.before_s), Strike(self.trial, self.where, self.terms.driver), utc_ms()
        try:
            met = strike.begin()
            self.say(f"{self.trial.name}: {met.what}")
            recovered_s = self.looked_on(strike)
        finally:
            inflicting.undo_all(Keeping(world.folder))
        return self.weighed(before, met, began_ms, utc_ms(), recovered_s)

    def looked_on(self, strike: Strike) -> float | None:
        """For as long as the fault stands. In how many seconds all was well again, where nothing has to be undone for that."""
        began_s, epoch, well_s = time.monotonic(), find(self.where).health().epoch, None
        while (passed_s := time.monotonic() - began_s) < self.terms.fault_s:
            strike.hold(self.terms.fault_s - passed_s)
            if self.trial.kind is Kind.PRIMARY and well_s is None and self.is_whole(find(self.where), epoch + 1):
                well_s = time.monotonic() - began_s
            time.sleep(self.terms.look_s)
        return well_s

    def weighed(self, before: seeing.Lines, met: Met, began_ms: int, ended_ms: int, recovered_s: float | None) -> Outcome:
        if recovered_s is None:
            recovered_s = self.whole_again_s()
        first = min((min(line) for line in before.values() if line), default=1)
        found = seeing.course(find(self.where), first)
        return outcome(
            self.trial, self.promised, Seen(before, found, met, began_ms, ended_ms, recovered_s), self.terms.before_s, self.terms.scale
        )

    # ---- whole

    def whole_again_s(self) -> float | None:
        """Since the end of what lasts; since the fault itself where it did not."""
        began_s = time.monotonic()
        try:
            self.wait_until_whole(self.terms.recovery_s)
        except NotWhole:
            return None
        return time.monotonic() - began_s + (self.terms.fault_s if self.trial.kind is Kind.PRIMARY else 0.0)

    def wait_until_whole(self, most_s: float) -> None:
        began_s, first = time.monotonic(), find(self.where).health().epoch
        while True:
            world = find(self.where)
            if world.configuration == self.trial.at and self.is_whole(world, first + 1):
                return
            if time.monotonic() - began_s > most_s:
                raise NotWhole(self.lacking(world, most_s))
            time.sleep(self.terms.look_s)

    def is_whole(self, world: World, after: int) -> bool:
        """Also: everybody is where the plan has them. A refuge is no home."""
        health, seen = world.health(), world.seen()
        at_home = {row.replica: row.node for row in seen.replicas} == self.promised.replicas
        return (
            at_home and all(seen.nodes.values()) and health.is_whole and health.lag_epochs < self.terms.lag_epochs and health.epoch > after
        )

    def lacking(self, world: World, most_s: float) -> str:
        if world.configuration != self.trial.at:
            return f"it is in configuration {world.configuration} and did not come to {self.trial.at} within {most_s:g} s"
        health = world.health()
        idle = ", ".join(health.idle[:6])
        return f"it was not whole within {most_s:g} s: {idle or world.reason}, {health.lag_epochs} epochs behind"
