"""Whether every word of a document means something: states, events and methods exist, and stand once where they must stand once.

Called by: checks.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from levee.lifecycle.machine import Machine, Transition
from levee.lifecycle.names import ENDING, OURS, Speaker
from levee.topology.complaint import Complaint
from levee.topology.wording import close_to, listed

Check: TypeAlias = Callable[[Machine], Iterator[Complaint]]


def place(transition: Transition) -> str:
    """How a transition is named in a complaint."""
    return f"transitions: from {transition.origin} when {transition.when}"


def unknown(where: str, kind: str, word: str, known: Iterable[str]) -> Complaint:
    names = list(known)
    meant = close_to(word, names)
    return Complaint(where, f"there is no {kind} '{word}'", f"use '{meant}'" if meant else f"declare it, or use {listed(names)}")


def states_are_known(machine: Machine) -> Iterator[Complaint]:
    if machine.initial not in machine.states:
        yield unknown("initial", "state", machine.initial, machine.states)
    if ENDING in machine.states:
        yield Complaint(f"states.{ENDING}", "is the word for the ending chosen earlier", "give the state another name")
    for one in machine.transitions:
        named = {one.origin, one.ending or one.origin, one.origin if one.to == ENDING else one.to}
        yield from (unknown(place(one), "state", state, machine.states) for state in sorted(named) if state not in machine.states)


def events_are_known(machine: Machine) -> Iterator[Complaint]:
    used = {(place(one), one.when) for one in machine.transitions}
    used |= {(f"states.{state.name}.failsOn", event) for state in machine.states.values() for event in state.fails_on}
    used |= {(f"methods.{method.name}.says", event) for method in machine.methods.values() for event in method.says}
    yield from (unknown(where, "event", event, machine.events) for where, event in sorted(used) if event not in machine.events)


def methods_are_known(machine: Machine) -> Iterator[Complaint]:
    used = {(place(one), method) for one in machine.transitions for method in one.do}
    used |= {(f"methods.{method.name}.undo", other) for method in machine.methods.values() for other in method.undo}
    yield from (unknown(where, "method", method, machine.methods) for where, method in sorted(used) if method not in machine.methods)


def nothing_stands_twice(machine: Machine) -> Iterator[Complaint]:
    for (origin, when), times in Counter((one.origin, one.when) for one in machine.transitions).items():
        if times > 1:
            yield Complaint(f"transitions: from {origin} when {when}", f"stands {times} times", "keep one: the others would never be taken")
    for one in machine.transitions:
        for method, times in Counter(one.do).items():
            if times > 1:
                yield Complaint(place(one), f"calls {method} {times} times", "call it once")


def nothing_is_idle(machine: Machine) -> Iterator[Complaint]:
    called = {method for one in machine.transitions for method in one.do}
    yield from (Complaint(f"methods.{name}", "is never called", "call it, or remove it") for name in machine.methods if name not in called)
    heard = {one.when for one in machine.transitions} | {event for state in machine.states.values() for event in state.fails_on}
    for name in machine.events:
        if name not in heard and name not in OURS:
            yield Complaint(f"events.{name}", "is heard in no state", "add a transition for it, or remove it")


def speakers_are_known(machine: Machine) -> Iterator[Complaint]:
    said = {event for method in machine.methods.values() for event in method.says}
    for event in machine.events.values():
        if event.by is Speaker.METHOD and event.name not in said:
            yield Complaint(f"events.{event.name}", "is by method, and no method says it", "add it to the `says` of a method")
        if (event.by is Speaker.ENGINE) is not (event.name in OURS):
            yield Complaint(f"events.{event.name}", "is declared as the engine's", f"the engine's are {listed(OURS, 'and')}, undeclared")
    for name in sorted(said):
        if name in machine.events and machine.events[name].by in (Speaker.USER, Speaker.ENGINE):
            yield Complaint(f"events.{name}", f"is by {machine.events[name].by}, and a method says it", "give the method its own event")


CHECKS: tuple[Check, ...] = (
    states_are_known,
    events_are_known,
    methods_are_known,
    nothing_stands_twice,
    nothing_is_idle,
    speakers_are_known,
)
