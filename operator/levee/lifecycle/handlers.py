"""What somebody must be able to do so that a lifecycle can be followed in his world: call methods, and keep records.

Why: the document names methods; this is all that the engine knows of them. A missing one is found before the first topology begins.
Called by: runner; `worlds`, which implement both protocols.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from levee.lifecycle.machine import Machine
from levee.lifecycle.names import EventName, MethodName, StateName, Version
from levee.lifecycle.position import Record
from levee.topology.complaint import Complaint
from levee.topology.wording import close_to


@dataclass(frozen=True, slots=True)
class Context:
    """Why a method is called."""

    method: MethodName
    event: EventName
    origin: StateName
    record: Record  # of the state that is being entered; it is stored by now, if that state is
    version: Version | None  # of what is stored: acts may carry it as a precondition


class Handler(Protocol):
    """One method. It looks at the world first, and does what is missing: it may have been begun before, by somebody who died in it."""

    async def __call__(self, context: Context) -> EventName | None:
        """What the document says it may say; None: nothing."""


Handlers: TypeAlias = Mapping[MethodName, Handler]


@dataclass(frozen=True, slots=True)
class Loaded:
    record: Record
    version: Version


class Records(Protocol):
    """Where the record of one topology is kept."""

    async def load(self) -> Loaded | None:
        """The newest, not a cached one; None: nothing was ever stored."""

    async def store(self, record: Record, *, expected: Version | None) -> Version:
        """Only if what is stored still is what was expected; else Overtaken. None: nothing is stored yet."""


class Overtaken(Exception):
    """Somebody else moved first: forget what you know, and look again. Handlers raise it, too, where they find a later control record."""


class NotYet(Exception):
    """It cannot be done now, and nobody here is at fault: the store is silent, an exporter is missing. It is tried until it succeeds."""


class GoesOn(NotYet):
    """Part of it is done: there is no reason to come back later and later."""


class Hopeless(Exception):
    """It will not succeed by being tried again."""


def missing_handlers(machine: Machine, handlers: Collection[MethodName]) -> tuple[Complaint, ...]:
    return tuple(Complaint(f"methods.{name}", "has no handler", _fix(name, handlers)) for name in machine.methods if name not in handlers)


def _fix(name: MethodName, handlers: Collection[MethodName]) -> str:
    meant = close_to(name, handlers)
    return f"use '{meant}'" if meant else "write a handler of that name, or take the method out of the document"
