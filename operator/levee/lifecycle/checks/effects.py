"""That no crash forgets what was done: an effect is stored before it is begun, owned by recovery, undone before an end, and never doubled.

Why: these are the promises that make it safe to kill whoever manages a topology at any moment.
Called by: checks.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from levee.lifecycle.checks.places import Hop, Place, hops, is_settled, reached, recoveries, start
from levee.lifecycle.checks.words import Check
from levee.lifecycle.checks.words import place as place_of
from levee.lifecycle.machine import Machine
from levee.lifecycle.names import RECOVER, Effect, Kind, MethodName, Speaker
from levee.topology.complaint import Complaint
from levee.topology.wording import listed


@dataclass(frozen=True, slots=True)
class Situation:
    """Where it is, and where one would find it after a crash."""

    place: Place
    stored: Place


def moved(machine: Machine, stored: Place, hop: Hop) -> Situation:
    persisted = Place(hop.to.state, hop.to.ending)
    return Situation(hop.to, persisted if machine.states[hop.to.state].persist else stored)


def passages(machine: Machine, situation: Situation) -> Iterator[tuple[Hop, Situation]]:
    for hop in (*hops(machine, situation.place), *recoveries(machine, situation.stored)):
        yield hop, moved(machine, situation.stored, hop)


def situations(machine: Machine) -> tuple[Situation, ...]:
    begin = Situation(start(machine), start(machine))
    return tuple(reached([begin], lambda one: [after for _, after in passages(machine, one)]))


def acts(machine: Machine) -> dict[tuple[Hop, MethodName, Place], None]:
    """Every effect that may be under way, and what is stored meanwhile."""
    return {
        (hop, method, after.stored): None
        for situation in situations(machine)
        for hop, after in passages(machine, situation)
        for method in hop.done
        if machine.methods[method].acts
    }


def stored_before_done(machine: Machine) -> Iterator[Complaint]:
    """Either the state that is entered is stored, or recovery of what is stored begins by undoing (or redoing) it."""
    for hop, method, stored in acts(machine):
        if machine.states[hop.to.state].persist:
            continue
        recovery = machine.transition(stored.state, RECOVER)
        if recovery is None or not {method, *machine.undone_by(method)} & set(recovery.do):
            wrong = f"{method} has an effect, {hop.to.state} is not stored, and recovery from {stored.state}, which is, knows nothing of it"
            yield Complaint(place_of(hop.transition), wrong, f"store {hop.to.state}, or undo {method} in the recovery from {stored.state}")


def recovery_owns_effects(machine: Machine) -> Iterator[Complaint]:
    """After a crash in the middle of it, nothing comes to rest before it has been done again, or undone."""
    for hop, method, stored in acts(machine):
        answers = {method, *machine.undone_by(method)}

        def onward(found: list[Hop], answers: set[MethodName] = answers) -> list[Place]:
            return [one.to for one in found if not answers & set(one.done)]

        begin = onward(list(recoveries(machine, stored)))
        for place in reached(begin, lambda one, onward=onward: onward(unasked(machine, one))):  # type: ignore[misc]
            if is_settled(machine, place) and machine.states[place.state].kind is not Kind.FINAL:
                wrong = (
                    f"a crash within {method} leaves it half done: recovery from {stored.state} may come to rest in {place.state} like that"
                )
                yield Complaint(
                    place_of(hop.transition), wrong, f"do {method} again in the recovery from {stored.state}{undoing(machine, method)}"
                )


def unasked(machine: Machine, place: Place) -> list[Hop]:
    return [hop for hop in hops(machine, place) if machine.events[hop.transition.when].by is not Speaker.USER]


def undoing(machine: Machine, method: MethodName) -> str:
    undo = sorted(machine.undone_by(method))
    return f", or {listed(undo)}" if undo else ""


def nothing_is_left_at_the_end(machine: Machine) -> Iterator[Complaint]:
    """What can be undone is, before a final state."""
    for hop, method, stored in acts(machine):
        undo = machine.undone_by(method)
        if not undo:
            continue
        begin = [hop.to, *(one.to for one in recoveries(machine, stored) if not undo & set(one.transition.do))]
        for place in reached(begin, lambda one, undo=undo: [on.to for on in hops(machine, one) if not undo & set(on.transition.do)]):  # type: ignore[misc]
            if machine.states[place.state].kind is Kind.FINAL:
                wrong = f"what {method} leaves may still be there in {place.state}"
                yield Complaint(place_of(hop.transition), wrong, f"call {listed(sorted(undo))} on all ways to {place.state}")


def nothing_is_done_twice(machine: Machine) -> Iterator[Complaint]:
    """A method that may be called once is called only where it has not been, or where its undoing comes first."""
    for method in machine.methods.values():
        if method.effect is Effect.ONCE:
            yield from twice(machine, method.name, machine.undone_by(method.name))


def twice(machine: Machine, method: MethodName, undo: frozenset[MethodName]) -> Iterator[Complaint]:
    begin = (Situation(start(machine), start(machine)), False)

    def onward(at: tuple[Situation, bool]) -> Iterator[tuple[Situation, bool]]:
        for hop, after in passages(machine, at[0]):
            yield after, in_force(hop, at[1], method, undo)

    for situation, done in reached([begin], onward):
        for hop, _ in passages(machine, situation):
            if done and method in hop.done and not undo & set(hop.done[: hop.done.index(method)]):
                wrong = f"{method} may be done already, and doing it again leaves two of it"
                yield Complaint(place_of(hop.transition), wrong, f"call {listed(sorted(undo)) or 'a method that undoes it'} before it")


def in_force(hop: Hop, before: bool, method: MethodName, undo: frozenset[MethodName]) -> bool:
    for name in hop.done:
        before = name == method or (before and name not in undo)
    return before


EFFECTS: tuple[Check, ...] = (stored_before_done, recovery_owns_effects, nothing_is_left_at_the_end, nothing_is_done_twice)
