"""What can be come to, and whether one gets away from there again.

Called by: checks.
"""

from collections.abc import Iterator

from levee.lifecycle.checks.places import FAILED, Place, all_places, heard, hops, is_settled, reached, recoveries
from levee.lifecycle.checks.words import Check
from levee.lifecycle.checks.words import place as place_of
from levee.lifecycle.machine import Machine
from levee.lifecycle.names import CANCEL, ENDING, Kind, Speaker
from levee.topology.complaint import Complaint


def everything_is_reached(machine: Machine) -> Iterator[Complaint]:
    places = all_places(machine)
    states = {place.state for place in places}
    yield from (
        Complaint(f"states.{name}", "is never reached", "lead a transition there, or remove it")
        for name in machine.states
        if name not in states
    )
    taken = {hop.transition for place in places for hop in (*hops(machine, place), *recoveries(machine, place))}
    for one in machine.transitions:
        if one.origin in states and one not in taken and one.to != ENDING:  # another check tells of an ending that was not chosen
            yield Complaint(place_of(one), "is never taken", f"raise {one.when} in {one.origin}, or remove it")


def endings_are_chosen(machine: Machine) -> Iterator[Complaint]:
    for place in all_places(machine):
        for one in machine.leaving(place.state):
            if one.to == ENDING and one.ending is None and place.ending is None:
                yield Complaint(
                    place_of(one), "leads to an ending, and none may have been chosen", f"set `ending` on all ways to {one.origin}"
                )


def what_is_said_is_heard(machine: Machine) -> Iterator[Complaint]:
    for place in all_places(machine):
        if place.said not in (None, FAILED) and machine.transition(place.state, place.said) is None:
            wrong = f"a method on the way there says {place.said}, and nothing listens"
            yield Complaint(f"states.{place.state}", wrong, f"add a transition from {place.state} when {place.said}")


def methods_do_not_spin(machine: Machine) -> Iterator[Complaint]:
    for place in all_places(machine):
        if place.said in (None, FAILED):
            continue
        onward = reached([hop.to for hop in hops(machine, place)], lambda one: said_next(machine, one))
        if place in onward:
            yield Complaint(
                f"states.{place.state}", f"{place.said} leads to itself without an end", "let something observed come in between"
            )


def said_next(machine: Machine, place: Place) -> list[Place]:
    return [hop.to for hop in hops(machine, place)] if place.said not in (None, FAILED) else []


def everything_ends(machine: Machine) -> Iterator[Complaint]:
    for place in all_places(machine):
        onward = reached([place], lambda one: [hop.to for hop in hops(machine, one)])
        if not any(machine.states[one.state].kind is Kind.FINAL for one in onward):
            yield Complaint(f"states.{place.state}", "no final state is reached from there", "add a way out")


def passing_passes(machine: Machine) -> Iterator[Complaint]:
    """Without a wish of its user."""
    for place in all_places(machine):
        if not any(is_settled(machine, one) for one in reached([place], lambda one: alone(machine, one))):
            yield Complaint(
                f"states.{place.state}", "is passing, and comes to rest only by a wish of its user", "add a way to a state of rest"
            )


def alone(machine: Machine, place: Place) -> list[Place]:
    return [hop.to for hop in hops(machine, place) if machine.events[hop.transition.when].by is not Speaker.USER]


def everything_can_be_canceled(machine: Machine) -> Iterator[Complaint]:
    for place in all_places(machine):
        if place.ending is None and place.said in (None, FAILED) and machine.states[place.state].kind is not Kind.FINAL:
            known = machine.transition(place.state, CANCEL)
            if known is None or not heard(machine, place, CANCEL):
                yield Complaint(
                    f"states.{place.state}", f"cannot be left by its user: it has no transition for {CANCEL}", f"add one for {CANCEL}"
                )


CHECKS: tuple[Check, ...] = (
    everything_is_reached,
    endings_are_chosen,
    what_is_said_is_heard,
    methods_do_not_spin,
    everything_ends,
    passing_passes,
    everything_can_be_canceled,
)
