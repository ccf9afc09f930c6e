"""From a lifecycle and FIT documents to another lifecycle: with one more method for each fault, and nothing else changed.

Why: the moment is a place in a list of methods, so that any engine that follows the list comes by it. What is added has no effect of its
own in the document's eyes, and no handler anywhere but in a campaign: whoever runs topologies refuses the new document at its start.
Called by: trial, `levee fit augment`, tests.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from levee.fit.values import Fit, Moment, Side
from levee.lifecycle.machine import Machine, Method, Transition
from levee.lifecycle.names import Effect, MethodName


def augmented(machine: Machine, fits: Sequence[Fit]) -> Machine:
    """Of documents that are checked against this machine. At one place they stand in their own order."""
    methods = {name: method_of(machine, fit, name) for name, fit in named(fits)}
    transitions = tuple(with_faults(machine, one, fits) for one in machine.transitions)
    return replace(machine, transitions=transitions, methods={**machine.methods, **methods})


def named(fits: Sequence[Fit]) -> Iterable[tuple[MethodName, Fit]]:
    """By number: names of documents are longer than a method's may be."""
    return ((MethodName(f"inject_{number}_{fit.fault}"), fit) for number, fit in enumerate(fits, start=1))


def method_of(machine: Machine, fit: Fit, name: MethodName) -> Method:
    how = "Prepares" if is_prepared(machine, fit.moment) else "Injects"
    return Method(name, Effect.NONE, f"{how} {fit.fault} of {fit.name}: {fit.moment}.")


def with_faults(machine: Machine, transition: Transition, fits: Sequence[Fit]) -> Transition:
    mine = [(name, fit.moment) for name, fit in named(fits) if (fit.moment.state, fit.moment.transition) == key(transition)]
    if not mine:
        return transition
    do: list[MethodName] = [name for name, moment in mine if moment.method is None]
    for method in transition.do:
        here = [(name, is_after(machine, moment)) for name, moment in mine if moment.method == method]
        do += [*(name for name, after in here if not after), method, *(name for name, after in here if after)]
    return replace(transition, do=tuple(do))


def key(transition: Transition) -> tuple[str, str]:
    return transition.origin, transition.when


def is_after(machine: Machine, moment: Moment) -> bool:
    return moment.side is Side.AFTER and not is_prepared(machine, moment)


def is_prepared(machine: Machine, moment: Moment) -> bool:
    """Nothing is called after a method that has said something, nor in the middle of one: what stands before it prepares the fault."""
    if moment.method is None:
        return False
    return moment.side is Side.DURING or (moment.side is Side.AFTER and bool(machine.methods[moment.method].says))
