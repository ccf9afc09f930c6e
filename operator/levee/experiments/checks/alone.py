"""What an experiment says must make sense by itself: its steps, their moments, what is looked at, and its limits.

Called by: load, for each document; serve, before anything is done.
"""

from collections.abc import Iterator

from levee.experiments.catalog import ANYBODY, Known, catalog
from levee.experiments.checks.arguments import arguments
from levee.experiments.spec import Experiment, Probe, Step, When
from levee.topology.checks.names import label_mistakes
from levee.topology.complaint import Complaint
from levee.topology.units import shown_duration
from levee.topology.wording import close_to, listed

TRIGGERS = ("after", "epoch", "rate", "state", "transition")


def complaints(experiment: Experiment) -> Iterator[Complaint]:
    yield from label_mistakes("metadata.name", experiment.metadata.name)
    yield from label_mistakes("spec.topology", experiment.spec.topology)
    for number, step in enumerate(experiment.spec.steps):
        yield from of_step(f"spec.steps[{number}]", step)
    yield from of_names(experiment)
    for number, probe in enumerate(experiment.spec.steady_state.probes or ()):
        yield from of_probe(f"spec.steadyState.probes[{number}]", probe)
    yield from of_limits(experiment)


# ---- steps


def of_step(where: str, step: Step) -> Iterator[Complaint]:
    if (step.action is None) == (step.probe is None):
        wrong = "does nothing" if step.action is None else f"has both an action and a probe, '{step.action}' and '{step.probe}'"
        yield Complaint(where, wrong, "write either action: crash_replica or probe: goes_on, or make two steps of it")
        return
    what, there = ("action", catalog().actions) if step.action is not None else ("probe", catalog().probes)
    name = step.does
    if name not in there:
        yield unknown(f"{where}.{what}", what, name, tuple(there))
    else:
        yield from arguments(f"{where}.arguments", name, there[name], step.arguments)
        yield from nobody(f"{where}.arguments", name, there[name], step)
    if step.when is not None:
        yield from of_when(f"{where}.when", step.when)


def unknown(where: str, what: str, name: str, known: tuple[str, ...]) -> Complaint:
    near = close_to(name, known)
    return Complaint(where, f"there is no {what} '{name}'", f"use '{near}'" if near else f"use one of {', '.join(known)}")


def nobody(where: str, name: str, known: Known, step: Step) -> Iterator[Complaint]:
    """An action whom nobody is named for would hit whoever comes first, or everybody."""
    said = [one for one in known.whom if str(step.arguments.get(one, "")) not in {"", ANYBODY}]
    if step.action is not None and known.whom and not said:
        yield Complaint(where, f"{name} names nobody to hit", f"say {listed(known.whom)}, such as {known.whom[0]}: NAME")


def of_names(experiment: Experiment) -> Iterator[Complaint]:
    names = experiment.names
    for number, name in enumerate(names):
        if name in names[:number]:
            yield Complaint(f"spec.steps[{number}].name", f"'{name}' is the name of an earlier step", "give each step a name of its own")


# ---- moments


def of_when(where: str, when: When) -> Iterator[Complaint]:
    given = [name for name in TRIGGERS if getattr(when, name) is not None]
    if len(given) != 1:
        wrong = f"has {listed(given, 'and')}, but a step has one moment" if given else "says no moment"
        yield Complaint(where, wrong, "keep one of them" if given else f"say one of {listed(TRIGGERS)}, or leave out when")
    if when.rate is not None and (when.rate.at_least is None) == (when.rate.at_most is None):
        yield Complaint(f"{where}.rate", "needs either atLeast or atMost", "write {atLeast: 800}, in rows per second")
    if when.transition is not None and when.transition.from_ == when.transition.to:
        yield Complaint(f"{where}.transition", f"goes from '{when.transition.to}' to itself", "name two states, or leave out from")


# ---- what is looked at, and limits


def of_probe(where: str, probe: Probe) -> Iterator[Complaint]:
    known = catalog().probes
    if probe.probe not in known:
        yield unknown(f"{where}.probe", "probe", probe.probe, tuple(known))
    else:
        yield from arguments(f"{where}.arguments", probe.probe, known[probe.probe], probe.arguments)
    if probe.equals is not None and (probe.at_least is not None or probe.at_most is not None):
        yield Complaint(where, "is to equal a text and to be within limits", "keep equals, or atLeast and atMost")
    if probe.at_least is not None and probe.at_most is not None and probe.at_least > probe.at_most:
        yield Complaint(where, f"nothing is both at least {probe.at_least:g} and at most {probe.at_most:g}", "exchange the two")


def of_limits(experiment: Experiment) -> Iterator[Complaint]:
    spec, limit_s = experiment.spec, experiment.spec.safety.time_limit
    waits_s = sum(step.when.after or 0.0 for step in spec.steps if step.when is not None)
    if waits_s >= limit_s:
        wrong = f"is {shown_duration(limit_s)}, but its steps wait for {shown_duration(waits_s)}"
        yield Complaint("spec.safety.timeLimit", wrong, "make it longer, or let them wait less")
    if spec.safety.lost_for >= limit_s:
        wrong = f"is {shown_duration(spec.safety.lost_for)}, but all of it may take {shown_duration(limit_s)} only"
        yield Complaint("spec.safety.lostFor", wrong, "make it shorter than timeLimit")
