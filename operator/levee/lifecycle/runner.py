"""Follow one topology through its lifecycle: store, then do, in the order of the document.

Why: it is the only place where a lifecycle meets the world, so it is short, and tests kill it at each of its awaits.
Who dies and who was overtaken are one case: what is stored is the truth, and it is recovered from there.
Called by: `serve`, one for each topology, whenever something may have changed.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from levee.lifecycle import failures
from levee.lifecycle.failures import Terms
from levee.lifecycle.handlers import Context, GoesOn, Handlers, Hopeless, NotYet, Overtaken, Records
from levee.lifecycle.machine import Machine, Method, Transition
from levee.lifecycle.names import RECOVER, EventName, Instant, MethodName, StateName, Version
from levee.lifecycle.position import Position, beginning, restored
from levee.lifecycle.step import Step, choose, step


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of one turn."""

    taken: tuple[Transition, ...]
    position: Position | None  # None: somebody else moved first
    wake_at: Instant | None = None  # the next turn, if nothing else asks for one


class Foreign(Exception):
    """A record that this document does not know."""


class OutOfTurn(Exception):
    """A method said what its document does not have."""


@dataclass(frozen=True, slots=True)
class Timing:
    """What one transition has cost, by the clock that records are stamped with."""

    origin: StateName
    event: EventName
    to: StateName
    stayed_ms: int  # in the state before
    took_ms: int  # storing it and its methods


@dataclass(slots=True)
class Runner:
    machine: Machine
    records: Records
    handlers: Handlers
    clock: Callable[[], Instant]
    chance: Callable[[], float]
    terms: Terms
    position: Position | None = None  # None: what is stored must be read
    version: Version | None = None
    taken: list[Transition] = field(default_factory=list)
    tell: Callable[[Timing], object] = lambda _: None

    async def turn(self, holding: Collection[EventName], *, excused: bool = False) -> Turn:
        """`holding`: the events that hold as the world was just observed. At most one of them is taken: after that they are old.
        `excused`: no time passes, since nobody can do anything in it."""
        self.taken = []
        if excused and self.position is not None:
            self.position = replace(self.position, watched=self.clock())
        try:
            event = await self.open() if self.position is None else self.next(self.position, holding)
            while event is not None:
                event = await self.timed(event)
        except Overtaken:
            self.position = None
        except BaseException:
            self.position = None  # whether it was stored, whether it was done: nobody knows
            raise
        wake_at = failures.wake_at(self.machine, self.position) if self.position else None
        return Turn(tuple(self.taken), self.position, wake_at)

    async def open(self) -> EventName | None:
        """Begin, or find out where somebody else has left it."""
        found = await self.records.load()
        if found is None:
            position = beginning(self.machine, self.clock())
            self.version = await self.records.store(position.record, expected=None)
            self.position = restored(position.record, self.clock())
            return None
        if found.record.state not in self.machine.states:
            raise Foreign(f"lifecycle {self.machine.name} has no state {found.record.state}: use the document that it was written with")
        self.version, self.position = found.version, restored(found.record, self.clock())
        return choose(self.machine, found.record.state, (RECOVER,))

    def next(self, position: Position, holding: Collection[EventName]) -> EventName | None:
        now = self.clock()
        self.position = failures.observed(self.machine, position, holding, now, self.terms, self.chance())
        heard = failures.audible(self.machine, self.position, holding)
        ours = failures.due(self.machine, self.position, now, self.terms)
        return choose(self.machine, position.state, heard if ours is None else {*heard, ours})

    async def timed(self, event: EventName) -> EventName | None:
        assert self.position is not None
        before, began = self.position.record, self.clock()
        said = await self.take(event)
        self.tell(Timing(before.state, event, self.position.state, max(0, began - before.since), max(0, self.clock() - began)))
        return said

    async def take(self, event: EventName) -> EventName | None:
        """One transition; what its methods say is the next event."""
        assert self.position is not None
        before, after = self.position, step(self.machine, self.position, event, self.clock())
        if after.persist:
            self.version = await self.records.store(after.position.record, expected=self.version)
        self.position = after.position
        self.taken.append(after.transition)
        for name in after.methods:
            said = await self.perform(name, before, after)
            if said is not None or self.position.failing is not None:
                return said
        self.position = replace(self.position, waits=0)  # all is done that was waited for
        return None

    async def perform(self, name: MethodName, before: Position, after: Step) -> EventName | None:
        position, method = after.position, self.machine.methods[name]
        context = Context(name, after.transition.when, before.state, position.record, self.version)
        try:
            return checked(method, await self.handlers[name](context))
        except Overtaken:
            raise
        except NotYet as problem:
            waiting = replace(position, waits=0) if isinstance(problem, GoesOn) else position
            self.position = failures.waiting(waiting, f"{name}: {problem}", self.clock(), self.terms, self.chance())
        except Hopeless as problem:
            why = f"{name}: {problem}"
            self.position = failures.hopeless(self.machine, position, why, self.clock(), self.terms, self.chance(), halfway=True)
        except Exception as problem:  # noqa: BLE001  # a mistake in one handler must not take other topologies along; it is told in `failing`
            why = f"{name}: {str(problem) or type(problem).__name__}"
            self.position = failures.failed(self.machine, position, why, self.clock(), self.terms, self.chance(), halfway=True)
        return None


def checked(method: Method, said: EventName | None) -> EventName | None:
    if said in method.says or (said is None and (method.silent or not method.says)):
        return said
    raise OutOfTurn(f"said {said or 'nothing'}, which its document does not have")
