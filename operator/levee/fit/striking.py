"""What the faults of the library are in the simulated world.

Called by: trial, when a moment has come.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from levee.control.names import Instant
from levee.fit import aiming
from levee.fit.library import LIBRARY, NODE, WAITS_MS, WORKER, ZONE
from levee.fit.values import Fit
from levee.worlds.simulated.faults import Fault, Kind
from levee.worlds.simulated.living.dying import Killed
from levee.worlds.simulated.living.life import Life

LOOKS_MS = 1_000
KINDS = {
    "crash_replica": Kind.REPLICA,
    "crash_worker": Kind.WORKER,
    "pause_worker": Kind.PAUSED,
    "crash_node": Kind.NODE,
    "pause_node": Kind.FROZEN,
    "crash_zone": Kind.NODE,
}


@dataclass(slots=True)
class Striker:
    life: Life
    doomed_ms: int | None = None  # the operator dies then
    down_ms: int = 0  # for so long
    until_ms: int = 0  # then all faults are over
    missed: list[str] = field(default_factory=list)  # documents that found nobody to hit

    def strike(self, fit: Fit, in_ms: int) -> None:
        now = self.life.world.now
        self.until_ms = max(self.until_ms, now + in_ms + fit.for_ms)
        self.life.say(f"{now / 1_000:7.1f} {fit.fault}{f' in {in_ms} ms' if in_ms else ''}: {fit.moment}")
        match fit.fault:
            case "crash_operator":
                self.doomed_ms, self.down_ms = now + in_ms, fit.for_ms
                self.fate()
            case "silence_store" | "silence_api":
                self.soon(in_ms, fit)
            case _ if LIBRARY[fit.fault].hits == WORKER:
                self.lurk(fit, Instant(now + in_ms), Instant(now + in_ms + WAITS_MS))
            case _:
                self.break_ground(fit, in_ms)

    def fate(self) -> None:
        """At each point of whoever looks after the topology."""
        life = self.life
        if self.doomed_ms is not None and life.world.now >= self.doomed_ms:
            self.doomed_ms = None
            life.silences.operator_ms = life.world.now + self.down_ms
            raise Killed

    def soon(self, in_ms: int, fit: Fit) -> None:
        life, until_ms = self.life, self.life.world.now + in_ms + fit.for_ms

        def fall_silent() -> None:
            if fit.fault == "silence_store":
                life.silences.store_ms = max(life.silences.store_ms, until_ms)
            else:
                life.silences.api_ms = max(life.silences.api_ms, until_ms)

        if in_ms:
            life.world.ground.agenda.at(life.world.now + in_ms, fall_silent)
        else:
            fall_silent()

    def break_ground(self, fit: Fit, in_ms: int) -> None:
        """At once means in the middle of what is being done, and not when it is over."""
        world = self.life.world
        for fault in self.faults(fit, in_ms):
            if in_ms:
                world.schedule(fault, world.now)
            else:
                self.break_now(fault)
        world.change()

    def lurk(self, fit: Fit, at: Instant, until: Instant) -> None:
        """For the first worker that can be hit."""
        world = self.life.world
        found = aiming.processes(self.life, fit)[:1] if at <= world.now else []
        if found:
            self.break_now(Fault(KINDS[fit.fault], found[0].order.worker, for_ms=fit.for_ms or None))
            self.until_ms = max(self.until_ms, world.now + fit.for_ms)
            world.change()
        elif world.now >= until:
            self.missed.append(fit.name)
        else:
            again = Instant(max(at, world.now + LOOKS_MS))
            self.until_ms = max(self.until_ms, again)
            world.ground.agenda.at(again, lambda: self.lurk(fit, at, until))

    def break_now(self, fault: Fault) -> None:
        world = self.life.world
        world.ground.fail(fault, world.now)
        if fault.for_ms is not None:
            ends = Instant(world.now + fault.for_ms)
            world.ground.agenda.at(ends, lambda: world.ground.mend(fault, ends))

    def faults(self, fit: Fit, in_ms: int) -> Iterator[Fault]:
        kind, lasts = KINDS[fit.fault], fit.for_ms or None
        match LIBRARY[fit.fault].hits:
            case str() as what if what == NODE:
                yield Fault(kind, aiming.node(self.life, fit), in_ms, lasts)
            case str() as what if what == ZONE:
                yield from (Fault(kind, node, in_ms, lasts) for node in aiming.zone(self.life, fit))
            case _:
                yield Fault(kind, aiming.replica(self.life, fit), in_ms, lasts)
