"""A lifecycle as a value: states, transitions, methods, events and budgets, as a document has them.

Why: everything that is told of a lifecycle (steps, checks, pictures, tables, faults) is worked out from this one value.
Called by: load (makes it), all else reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from levee.lifecycle.names import ENDING, AfterCrash, Effect, EventName, Kind, MethodName, Speaker, StateName

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class State:
    name: StateName
    persist: bool
    kind: Kind
    about: str
    after_crash: AfterCrash = AfterCrash.NOTHING
    leaves: str = ""  # behind, if whoever manages it dies while this is stored; for people
    recovery: str = ""  # what is done about it; for people
    timeout_ms: int | None = None
    stable_ms: int | None = None  # after so long without a failure all earlier ones are forgotten
    fails_on: tuple[EventName, ...] = ()  # what is a failure if it holds here
    annotations: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Transition:
    origin: StateName
    when: EventName
    to: StateName
    do: tuple[MethodName, ...] = ()
    ending: StateName | None = None  # where it is to end, from now on
    counts: bool = False  # as one more attempt


@dataclass(frozen=True, slots=True)
class Method:
    name: MethodName
    effect: Effect
    about: str
    undo: tuple[MethodName, ...] = ()  # each of them takes it back
    says: tuple[EventName, ...] = ()  # which ends the list of methods it stands in
    silent: bool = True  # it may say nothing

    @property
    def acts(self) -> bool:
        return self.effect is not Effect.NONE


@dataclass(frozen=True, slots=True)
class Event:
    name: EventName
    by: Speaker
    about: str


@dataclass(frozen=True, slots=True)
class Budget:
    attempts: int = 5  # failures in a row
    backoff_ms: int = 1_000
    backoff_ms_max: int = 300_000
    wait_ms_max: int = 30_000  # where nobody is at fault
    jitter: float = 0.2  # the share of a pause that chance may take away


@dataclass(frozen=True, slots=True)
class Machine:
    name: str
    about: str
    initial: StateName
    budget: Budget
    states: Mapping[StateName, State]
    transitions: tuple[Transition, ...]
    methods: Mapping[MethodName, Method]
    events: Mapping[EventName, Event]
    # what follows from the rest, once it was asked for
    kept: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def leaving(self, state: StateName) -> tuple[Transition, ...]:
        """In the order of the document, which is their priority."""
        return tuple(one for one in self.transitions if one.origin == state)

    def transition(self, state: StateName, event: EventName) -> Transition | None:
        return next((one for one in self.transitions if one.origin == state and one.when == event), None)

    def ending_after(self, transition: Transition, ending: StateName | None) -> StateName | None:
        """Whoever begins again has no ending yet."""
        return transition.ending or (None if self.states[transition.origin].kind is Kind.FINAL else ending)

    def takes_back(self, transition: Transition) -> bool:
        """Whether it undoes what another may rely on by now."""
        return any(name in method.undo for method in self.methods.values() for name in transition.do)

    def undone_by(self, method: MethodName) -> frozenset[MethodName]:
        return frozenset(self.methods[method].undo)


def target(transition: Transition, ending: StateName | None) -> StateName:
    if transition.to != ENDING:
        return transition.to
    assert ending is not None, f"{transition.origin}, {transition.when}: a document is checked for this"
    return ending
