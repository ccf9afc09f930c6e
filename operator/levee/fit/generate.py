"""All FIT documents of a lifecycle: one for each state, transition, method, side and fault of the library.

Why: nobody thinks of every moment; the document knows them all. Order and names follow from it, so that two campaigns can be compared.
Called by: `levee fit generate`, tests.
"""

from collections.abc import Collection, Iterator, Sequence

from levee.fit.library import OFFERS, WORKER, Offer
from levee.fit.values import Fit, Moment, Side
from levee.lifecycle.machine import Machine, Transition
from levee.lifecycle.names import MethodName, StateName


def generated(
    machine: Machine, divisible: Collection[MethodName], offers: Sequence[Offer] = OFFERS, states: Collection[StateName] | None = None
) -> Iterator[Fit]:
    """In the order of the document: state by state, transition by transition, method by method."""
    for state in machine.states:
        if states is None or state in states:
            for transition in machine.leaving(state):
                for moment in moments(machine, transition, divisible):
                    hit = not_removed(machine, transition, moment, divisible)
                    yield from (fit_at(machine, moment, offer) for offer in offers if hit or offer.hits != WORKER)


def moments(machine: Machine, transition: Transition, divisible: Collection[MethodName]) -> Iterator[Moment]:
    """What calls nothing is one moment; and what acts on workers is never half done where there are none."""
    if not transition.do:
        yield Moment(transition.origin, transition.when, None, Side.AFTER)
    halves = has_workers(machine, transition) or is_repeated(machine, transition)
    for method in transition.do:
        for side in Side:
            if side is not Side.DURING or (method in divisible and halves):
                yield Moment(transition.origin, transition.when, method, side)


def has_workers(machine: Machine, transition: Transition) -> bool:
    """By what the states say of themselves: in the one that is left workers live, or in the other they are started."""
    return decides(machine, transition.origin) in {"all", "start", "stop"} or decides(machine, transition.to) in {"all", "start"}


def not_removed(machine: Machine, transition: Transition, moment: Moment, divisible: Collection[MethodName]) -> bool:
    """Whether a worker can live then, or come soon: what is started has not been taken back by a method that stands before."""
    undoing = {undo for name in divisible if name in machine.methods for undo in machine.methods[name].undo}
    if not has_workers(machine, transition) or moment.method is None:
        return has_workers(machine, transition)
    place = transition.do.index(moment.method)
    return undoing.isdisjoint(transition.do[: place + (moment.side is Side.AFTER)])


def is_repeated(machine: Machine, transition: Transition) -> bool:
    """Somebody may have died in it, or failed, when it was half done."""
    return transition.origin == transition.to and decides(machine, transition.origin) == "nothing"


def decides(machine: Machine, state: StateName) -> str:
    return str(machine.states[state].annotations.get("decide", "")) if state in machine.states else ""


def fit_at(machine: Machine, moment: Moment, offer: Offer) -> Fit:
    return Fit(name_of(machine, moment, offer), moment, offer.name, offer.for_ms, lifecycle=machine.name)


def name_of(machine: Machine, moment: Moment, offer: Offer) -> str:
    """It is a name of a file, too."""
    where = "" if moment.method is None else f".{moment.side}-{moment.method}"
    return f"{machine.name}.{moment.state}.{moment.transition}{where}.{offer.name}"
