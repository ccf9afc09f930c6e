"""All places a topology can come to, and the hops between them, failing methods included.

Why: a state alone does not say what will happen: that depends on the ending chosen, on what a method has just said, on whether one failed.
Called by: checks.walks, checks.effects.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from levee.lifecycle.machine import Machine, Transition, target
from levee.lifecycle.names import ENDING, ERROR, GIVE_UP, RECOVER, RETRY, EventName, Kind, MethodName, Speaker, StateName

FAILED = EventName("!")  # a method has failed here, and nothing has been done about it yet
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    state: StateName
    ending: StateName | None = None
    said: EventName | None = None


@dataclass(frozen=True, slots=True)
class Hop:
    transition: Transition
    to: Place
    done: tuple[MethodName, ...]  # of its methods; the last may have failed half-way


def kept(ways: Callable[[Machine, Place], Iterable[Hop]]) -> Callable[[Machine, Place], tuple[Hop, ...]]:
    """The checks walk the same ways thousands of times, and an operator that starts waits for them."""

    def once(machine: Machine, place: Place) -> tuple[Hop, ...]:
        key = ways, place
        if key not in machine.kept:
            machine.kept[key] = tuple(ways(machine, place))
        found: tuple[Hop, ...] = machine.kept[key]
        return found

    return once


@kept
def hops(machine: Machine, place: Place) -> Iterator[Hop]:
    """From a place, in all the ways its transitions may turn out; a crash is another matter."""
    for transition in machine.leaving(place.state):
        if heard(machine, place, transition.when) and not (transition.to == ENDING and place.ending is None and transition.ending is None):
            yield from turns_out(machine, place, transition)


def heard(machine: Machine, place: Place, event: EventName) -> bool:
    """Whether it can be raised there."""
    if place.said not in (None, FAILED):
        return event == place.said
    if event in (RETRY, ERROR, GIVE_UP):
        state = machine.states[place.state]
        return place.said == FAILED or state.timeout_ms is not None or bool(state.fails_on)
    speaker = machine.events[event].by
    return speaker is Speaker.USER or (speaker is Speaker.WORLD and place.said is None)


def turns_out(machine: Machine, place: Place, transition: Transition) -> Iterator[Hop]:
    ending = machine.ending_after(transition, place.ending)
    to = target(transition, ending)
    for index, name in enumerate(transition.do):
        method, done = machine.methods[name], transition.do[: index + 1]
        yield Hop(transition, Place(to, ending, FAILED), done)
        yield from (Hop(transition, Place(to, ending, said), done) for said in method.says)
        if not method.silent:
            return
    yield Hop(transition, Place(to, ending), transition.do)


@kept
def recoveries(machine: Machine, place: Place) -> Iterator[Hop]:
    """What happens if whoever managed it dies while this is stored."""
    transition = machine.transition(place.state, RECOVER)
    if transition is not None:
        yield from turns_out(machine, place, transition)


def start(machine: Machine) -> Place:
    return Place(machine.initial)


def reached(begin: Iterable[T], onward: Callable[[T], Iterable[T]]) -> dict[T, None]:
    """Everything that can be come to, in the order in which it was found."""
    found = dict.fromkeys(begin)
    queue = list(found)
    while queue:
        for one in onward(queue.pop()):
            if one not in found:
                found[one] = None
                queue.append(one)
    return found


def all_places(machine: Machine) -> tuple[Place, ...]:
    def onward(place: Place) -> Iterator[Place]:
        yield from (hop.to for hop in hops(machine, place))
        if machine.states[place.state].persist:
            yield from (hop.to for hop in recoveries(machine, place))

    return tuple(reached([start(machine)], onward))


def is_settled(machine: Machine, place: Place) -> bool:
    """Nothing is under way there, and nothing need ever happen."""
    return place.said is None and machine.states[place.state].kind is not Kind.PASSING
