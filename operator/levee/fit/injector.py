"""The handlers of an augmented lifecycle: they count, wait for their turn, and have the fault happen.

Why: a document says which time and after how long; only here is that carried out. The randomness is passed in.
Called by: trial. Nobody who runs topologies in earnest has these handlers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from levee.fit.augment import is_prepared, named
from levee.fit.values import Fit, Side
from levee.lifecycle.handlers import Context, Handler, Handlers
from levee.lifecycle.machine import Machine
from levee.lifecycle.names import EventName, MethodName

Strike = Callable[[Fit, int], None]  # the fault, in so many milliseconds; it may end whoever calls it


@dataclass(slots=True)
class Injector:
    machine: Machine  # without faults
    fits: Sequence[Fit]
    strike: Strike
    chance: Callable[[], float]
    times: dict[str, int] = field(default_factory=dict)  # how often each moment was reached
    fired: list[str] = field(default_factory=list)
    prepared: list[Fit] = field(default_factory=list)

    def waiting(self) -> Fit | None:
        """The first whose moment has yet to come."""
        return next((one for one in self.fits if one.name not in self.fired), None)

    def handlers(self, inner: Handlers) -> Handlers:
        """For all methods of the augmented document."""
        added = {name: self.reaching(fit) for name, fit in named(self.fits)}
        return {**{name: self.around(name, handler) for name, handler in inner.items()}, **added}

    def reaching(self, fit: Fit) -> Handler:
        async def reach(context: Context) -> EventName | None:
            assert context.origin == fit.moment.state
            if is_prepared(self.machine, fit.moment):
                self.prepared.append(fit)
            else:
                self.come(fit)
            return None

        return reach

    def around(self, name: MethodName, handler: Handler) -> Handler:
        """What was prepared comes when the method has returned; where it fails, that moment does not come."""

        async def call(context: Context) -> EventName | None:
            try:
                said = await handler(context)
                self.come_all(name, Side.AFTER)
                return said
            finally:
                self.prepared = [one for one in self.prepared if one.moment.method != name]

        return call

    def acted(self, name: MethodName, done: int, all_of_it: int) -> None:
        """So much of what a method does is done."""
        if 2 * done >= all_of_it:
            self.come_all(name, Side.DURING)

    def come_all(self, name: MethodName, side: Side) -> None:
        for fit in [one for one in self.prepared if (one.moment.method, one.moment.side) == (name, side)]:
            self.prepared.remove(fit)
            self.come(fit)

    def come(self, fit: Fit) -> None:
        """A moment."""
        self.times[fit.name] = self.times.get(fit.name, 0) + 1
        if self.times[fit.name] == fit.moment.occurrence:
            self.fired.append(fit.name)
            self.strike(fit, fit.timer.drawn(self.chance()))


def is_anybodys(fit: Fit, topology: str) -> bool:
    """Whether the moment is one of this topology's life."""
    return fit.target.topology in {"", topology, topology.rpartition("/")[2]}
