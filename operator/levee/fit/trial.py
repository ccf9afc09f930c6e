"""One trial: a life led to the moments of its documents, with the faults or without, until it has settled, and then to its end.

Why: the undisturbed life is led by the same hand to the same moments, so that the fault is all that they do not share.
Called by: campaign, tests.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from levee.fit import stage
from levee.fit.augment import augmented
from levee.fit.injector import Injector, is_anybodys
from levee.fit.library import LIBRARY
from levee.fit.steering import Steering
from levee.fit.striking import Striker
from levee.fit.values import Fit
from levee.fit.verdicts import Told
from levee.lifecycle.handlers import Handlers
from levee.lifecycle.machine import Machine
from levee.lifecycle.names import MethodName
from levee.topology.wording import listed
from levee.worlds.simulated.living.dying import must
from levee.worlds.simulated.living.life import Life, Say
from levee.worlds.simulated.living.view import left, unsettled

REACHED_IN_MS, SETTLED_IN_MS, GONE_IN_MS = 400_000, 900_000, 300_000
QUIET_TURNS = 3


@dataclass(slots=True)
class Trial:
    machine: Machine
    fits: Sequence[Fit]
    seed: int
    real: bool  # else the faults do nothing: that is the undisturbed life
    say: Say = lambda _: None
    life: Life = field(init=False)
    injector: Injector = field(init=False)
    steering: Steering = field(init=False)
    striker: Striker = field(init=False)

    def __post_init__(self) -> None:
        mine = [one for one in self.fits if is_anybodys(one, stage.TOPOLOGY)]
        random = Random(f"timers {self.seed} {' '.join(one.name for one in mine)}")
        self.life = stage.life(augmented(self.machine, mine), self.seed)
        self.striker, self.steering = Striker(self.life), Steering(self.machine, self.life)
        self.injector = Injector(self.machine, mine, self.strike, random.random)
        self.life.around, self.life.fate, self.life.acted, self.life.say = self.around, self.fate, self.acted, self.say

    def around(self, inner: Handlers) -> Handlers:
        return self.injector.handlers(self.steering.handlers(inner))

    def fate(self) -> None:
        self.steering.fate()
        self.striker.fate()

    def acted(self, name: MethodName, done: int, all_of_it: int) -> None:
        self.injector.acted(name, done, all_of_it)
        self.steering.acted(name, done, all_of_it)

    def strike(self, fit: Fit, in_ms: int) -> None:
        if self.injector.waiting() is None:
            self.steering.release()
        if self.real:
            self.striker.strike(fit, in_ms)

    def run(self) -> Told:
        try:
            if missing := self.reach():
                return Told(missing=missing)
            self.settle()
            took_ms = self.life.world.now
            settled = left(self.life, strictly=self.is_strict)
            return Told(settled, self.go(), self.nobody(), took_ms=took_ms)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is what the fault has brought to light
            return Told(broken=f"{type(error).__name__}: {error}" if not isinstance(error, AssertionError) else str(error))

    @property
    def is_strict(self) -> bool:
        """What ends no worker must not end one later either."""
        return not any(LIBRARY[one.fault].is_of_ground for one in self.fits)

    def reach(self) -> str:
        """Until all moments have come; why one has not."""
        while (waiting := self.injector.waiting()) is not None:
            if not self.steering.steer(waiting.moment):
                return f"from {self.life.state} no way leads to {waiting.moment}"
            self.life.turn()
            if self.life.world.now > REACHED_IN_MS:
                how = unsettled(self.life) or f"it has settled in {self.life.state}"
                return f"{waiting.moment} has not come in {REACHED_IN_MS // 1000} s: {how}"
        return ""

    def nobody(self) -> str:
        return "there was nobody to hit" if self.striker.missed else ""

    def settle(self) -> None:
        """Who is to go does not wait until he is given up."""
        most_ms = GONE_IN_MS if self.life.wishes.deleted else SETTLED_IN_MS
        self.live_until(lambda: "a fault lasts" if self.life.world.now <= self.striker.until_ms else unsettled(self.life), most_ms)

    def live_until(self, lacks: Callable[[], str], most_ms: int) -> None:
        began, quiet, why = self.life.world.now, 0, "?"
        while quiet < QUIET_TURNS:
            self.life.turn()
            why = lacks()
            quiet = 0 if why else quiet + 1
            if self.life.world.now - began > most_ms:
                raise AssertionError(f"after {most_ms // 1000} s it has not settled: {why}")

    def go(self) -> Mapping[str, object]:
        """In the end its user deletes it, and nothing is left."""
        self.life.wishes.deleted = True
        self.live_until(lambda: unsettled(self.life), GONE_IN_MS)
        gone = left(self.life, strictly=False)
        remains = [what for what in ("workers", "plan", "registrations", "data") if gone[what]]
        must(not remains, f"it is deleted, and has left {listed(remains, 'and')}")
        return gone
