"""What is wrong with FIT documents before anything happens: they name nothing, name too much, or contradict each other.

Why: a fault that cannot come would be a campaign that passes for nothing, and two that exclude each other a verdict about neither.
Called by: campaign, `levee fit`.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from levee.fit.library import LIBRARY, OPERATOR
from levee.fit.values import Fit, Side
from levee.fit.whom import Place, of_fault, of_target, unknown
from levee.lifecycle.machine import Machine, Transition
from levee.lifecycle.names import ENDING
from levee.topology.complaint import Complaint
from levee.topology.wording import listed


def check(machine: Machine, place: Place, fits: Sequence[Fit]) -> tuple[Complaint, ...]:
    """All mistakes of the documents that are injected into one life."""
    alone = [complaint for fit in fits for complaint in of_one(machine, place, fit)]
    return tuple(dict.fromkeys(alone or among(fits)))


def of_one(machine: Machine, place: Place, fit: Fit) -> Iterator[Complaint]:
    found = list(of_moment(machine, place, fit)) + list(of_fault(fit)) + list(of_target(place, fit))
    return (Complaint(f"{fit.name}: {one.where}", one.wrong, one.fix) for one in found)


# ---- the moment


def of_moment(machine: Machine, place: Place, fit: Fit) -> Iterator[Complaint]:
    moment = fit.moment
    if fit.lifecycle != machine.name:
        yield Complaint(
            "lifecycle", f"is '{fit.lifecycle}', and this is {machine.name}", f"use '{machine.name}', or name the other document"
        )
    elif moment.state not in machine.states:
        yield unknown("state", moment.state, f"lifecycle {machine.name} has no state", list(machine.states))
    elif (transition := machine.transition(moment.state, moment.transition)) is None:
        events = [one.when for one in machine.leaving(moment.state)]
        yield unknown("transition", moment.transition, f"nothing leads out of {moment.state} by", events)
    else:
        yield from of_method(transition, place, fit)
        yield from of_occurrence(machine, transition, fit)


def of_method(transition: Transition, place: Place, fit: Fit) -> Iterator[Complaint]:
    moment = fit.moment
    if moment.method is None and transition.do:
        yield Complaint("before", "no method is named", f"add before, during or after, with {listed(transition.do)}")
    elif moment.method is not None and not transition.do:
        wrong = f"'{moment.method}' is named, and {moment.state}, {moment.transition} calls nothing"
        yield Complaint(moment.side, wrong, "remove it: then the fault comes when the transition is taken")
    elif moment.method is not None and moment.method not in transition.do:
        yield unknown(moment.side, moment.method, f"{moment.state}, {moment.transition} does not call", transition.do)
    elif moment.side is Side.DURING and moment.method not in place.divisible:
        wrong = f"{moment.method} is not done one by one, so that it is never half done"
        yield Complaint("during", wrong, f"use before or after, or one of {listed(sorted(place.divisible))}")


def of_occurrence(machine: Machine, transition: Transition, fit: Fit) -> Iterator[Complaint]:
    if fit.moment.occurrence > 1 and transition.origin not in reached_from(machine, transition):
        wrong = f"is {fit.moment.occurrence}, and {transition.origin}, {transition.when} comes once in a life"
        yield Complaint("occurrence", wrong, "use 1, or leave it out")


def reached_from(machine: Machine, transition: Transition) -> set[str]:
    """The states that a life may come to after it."""
    endings = {one.ending for one in machine.transitions if one.ending is not None} if transition.ending is None else {transition.ending}
    found: set[str] = set()
    left: list[str] = [transition.to]
    while left:
        state = left.pop()
        if state not in found:
            found.add(state)
            left += [*endings] if state == ENDING else [one.to for one in machine.transitions if one.origin == state]
    return found


# ---- documents that are injected into one life


def among(fits: Sequence[Fit]) -> Iterator[Complaint]:
    for one, other in combinations(fits, 2):
        if one.name == other.name:
            yield Complaint(one.name, "is the name of two documents", "give the second another name")
        elif one.target.topology and other.target.topology and one.target.topology != other.target.topology:
            wrong = f"is in the life of {other.target.topology}, and {one.name} in that of {one.target.topology}"
            yield Complaint(f"{other.name}: target.topology", wrong, "write them into two files: one file is one life")
        elif one.moment == other.moment and one.timer == other.timer:
            yield from at_once(one, other)


def at_once(one: Fit, other: Fit) -> Iterator[Complaint]:
    """Of two faults at the same moment."""
    if LIBRARY[one.fault].hits == OPERATOR:
        wrong = f"comes when {one.name} has ended the operator, so that nobody is left who would inject it"
        yield Complaint(other.name, wrong, f"write it before {one.name}, or give it another moment or a timer")
    elif one.fault.partition("_")[2] == other.fault.partition("_")[2] and one.target == other.target:
        wrong = f"is {other.fault} at the moment when {one.name} is {one.fault}, of the same target"
        yield Complaint(other.name, wrong, "keep one of them, or give it another moment, timer or target")
