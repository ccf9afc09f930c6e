"""What each kind of state must have, seen for itself: timeouts, recovery, a way to be cancelled.

Called by: checks.
"""

from collections.abc import Iterator

from levee.lifecycle.checks.words import Check, place
from levee.lifecycle.machine import Machine, State
from levee.lifecycle.names import ENDING, ERROR, GIVE_UP, RECOVER, RETRY, AfterCrash, Kind, Speaker
from levee.topology.complaint import Complaint


def what_must_be_stored_is(machine: Machine) -> Iterator[Complaint]:
    for state in machine.states.values():
        if state.persist:
            continue
        if state.name == machine.initial:
            yield Complaint(
                f"states.{state.name}.persist", "is false, but a new topology is there", "store it: nothing else is known of it"
            )
        if state.kind is Kind.FINAL:
            yield Complaint(f"states.{state.name}.persist", "is false, but the state is final", "store it, or it would be run again")
        if state.kind is Kind.RESTING:
            yield Complaint(f"states.{state.name}.persist", "is false, but the state is resting", "store it: it may stay there for years")


def what_is_stored_is_recovered(machine: Machine) -> Iterator[Complaint]:
    for state in machine.states.values():
        has = machine.transition(state.name, RECOVER) is not None
        where = f"states.{state.name}"
        if state.persist and state.kind is not Kind.FINAL and not has:
            yield Complaint(where, "is stored, and has no transition for recover", "say what recovery does from there")
        if has and not (state.persist and state.kind is not Kind.FINAL):
            yield Complaint(where, "has a transition for recover, but nothing begins there", "remove it, or store the state")
        if state.persist and not (state.leaves and state.recovery):
            yield Complaint(where, "does not say what a crash leaves behind and what recovery does", "add `leaves` and `recovery`")


def recovery_is_as_it_is_called(machine: Machine) -> Iterator[Complaint]:
    undoing = {undo for method in machine.methods.values() for undo in method.undo}
    for state in machine.states.values():
        recovery = machine.transition(state.name, RECOVER)
        where = f"states.{state.name}.afterCrash"
        if recovery is None and state.after_crash is not AfterCrash.NOTHING:
            yield Complaint(where, f"is {state.after_crash}, but there is no recovery", "leave it out")
        if recovery is not None and state.after_crash is AfterCrash.NOTHING:
            yield Complaint(where, "is nothing, but there is a transition for recover", "say redo, undo or advance")
        if recovery is not None and state.after_crash is AfterCrash.UNDO and not undoing & set(recovery.do):
            yield Complaint(where, "is undo, but recovery calls no method that undoes anything", "say redo or advance")


def waiting_ends(machine: Machine) -> Iterator[Complaint]:
    for state in machine.states.values():
        if state.kind is Kind.PASSING and state.timeout_ms is None:
            yield Complaint(f"states.{state.name}", "is passing, and has no timeout", "add one: an event that is missed would stall it")
        if state.kind is not Kind.PASSING and state.timeout_ms is not None:
            yield Complaint(
                f"states.{state.name}.timeout", f"is set, but the state is {state.kind}", "remove it, or make the state passing"
            )


def failures_are_answered(machine: Machine) -> Iterator[Complaint]:
    """What is tried without end has no `error`; then it is said what becomes of it where its user wants no other try."""
    for state in machine.states.values():
        if not can_fail(machine, state):
            continue
        endless = machine.transition(state.name, GIVE_UP) is not None
        for event in (RETRY,) if endless else (RETRY, ERROR):
            if machine.transition(state.name, event) is None:
                yield Complaint(f"states.{state.name}", f"can fail, and has no transition for {event}", f"add one for {event}")


def can_fail(machine: Machine, state: State) -> bool:
    entered = any(one.do and state.name in targets(machine, one.to) for one in machine.transitions)
    return entered or state.timeout_ms is not None or bool(state.fails_on)


def targets(machine: Machine, to: str) -> frozenset[str]:
    return frozenset(name for name, state in machine.states.items() if state.kind is Kind.FINAL) if to == ENDING else frozenset({to})


def ends_are_ends(machine: Machine) -> Iterator[Complaint]:
    for one in machine.transitions:
        if machine.states[one.origin].kind is Kind.FINAL and machine.events[one.when].by is not Speaker.USER:
            yield Complaint(place(one), f"leaves a final state, and is no wish of its user ({machine.events[one.when].by})", "remove it")
        if one.ending is not None and machine.states[one.ending].kind is not Kind.FINAL:
            yield Complaint(place(one), f"{one.ending} is no final state, so nothing ends there", "name a final state")


CHECKS: tuple[Check, ...] = (
    what_must_be_stored_is,
    what_is_stored_is_recovered,
    recovery_is_as_it_is_called,
    waiting_ends,
    failures_are_answered,
    ends_are_ends,
)
