"""A FaultExperiment as the document that `chaos run` takes: the same on a laptop and in a Job.

Why: whoever doubts a verdict runs the very same experiment by hand; and nothing here needs Chaos Toolkit to be installed.
Called by: `levee fx render`; serve, which gives the document to the Job.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from levee.experiments.catalog import IN_A_JOB
from levee.experiments.spec import Experiment, Probe, Step, When

Document = dict[str, Any]

PLACE = {"directory": "${directory}", "topology": "${topology}", "namespace": "${namespace}"}
LAG_EPOCHS = 100
USUAL = (  # what holds where nobody says anything else
    Probe(probe="ready"),
    Probe(probe="lag_below", arguments={"epochs": LAG_EPOCHS}),
    Probe(probe="no_epoch_lost_or_changed"),
)
RECOVERED, GAP = "it-recovers", "how-long-no-epoch-came"  # whoever reads the journal looks for these names
HARMLESS = {None, "undo_faults"}
CRASHES_OF_NODES = {"crash_node", "crash_zone"}


def document(experiment: Experiment, namespaces: Sequence[str] = ()) -> Document:
    """`namespaces`: all that may be touched on a cluster, the topology's first; without any, a topology of this machine is meant."""
    spec = experiment.spec
    return {
        "title": f"{experiment.metadata.namespace}/{experiment.metadata.name}: {spec.topology} under {said(experiment)}",
        "description": f"FaultExperiment {experiment.metadata.namespace}/{experiment.metadata.name} as an experiment of Chaos Toolkit.",
        "tags": ["levee"],
        "configuration": {"directory": "", "topology": spec.topology, "namespace": next(iter(namespaces), "")},
        "controls": [control(experiment, namespaces)],
        "steady-state-hypothesis": {"title": "What must hold before, during and after", "probes": hypothesis(experiment)},
        "method": method(experiment, on_cluster=bool(namespaces)),
        "rollbacks": [activity("undo-what-lasts", "action", "levee_chaos.actions", "undo_faults", {})],
        "runtime": {"rollbacks": {"strategy": "always"}},
    }


def said(experiment: Experiment) -> str:
    actions = dict.fromkeys(str(step.action).replace("_", " ") for step in experiment.spec.steps if step.action is not None)
    return ", ".join(actions) or "observation"


def control(experiment: Experiment, namespaces: Sequence[str]) -> Document:
    safety, steady = experiment.spec.safety, experiment.spec.steady_state
    limits = {"lost_for_s": safety.lost_for, "time_limit_s": safety.time_limit, "every_s": steady.every}
    targets = {"only_operators": list(safety.targets.operators), "only_nodes": list(safety.targets.nodes)}
    arguments = PLACE | limits | targets | {"namespaces": list(namespaces)}
    return {"name": "levee", "provider": {"type": "python", "module": "levee_chaos.controls", "arguments": arguments}}


def activity(name: str, kind: str, module: str, func: str, arguments: Mapping[str, Any]) -> Document:
    return {"name": name, "type": kind, "provider": {"type": "python", "module": module, "func": func, "arguments": {**PLACE, **arguments}}}


# ---- the steady state


def hypothesis(experiment: Experiment) -> list[Document]:
    probes = USUAL if experiment.spec.steady_state.probes is None else tuple(experiment.spec.steady_state.probes)
    return [looked_at(number, probe) for number, probe in enumerate(probes, 1)]


def looked_at(number: int, probe: Probe) -> Document:
    name = f"{number}-{probe.probe.replace('_', '-')}"
    return activity(name, "probe", "levee_chaos.probes", probe.probe, probe.arguments) | {"tolerance": tolerance(probe)}


def tolerance(probe: Probe) -> Any:
    if probe.equals is not None:
        return probe.equals
    if probe.at_least is None and probe.at_most is None:
        return True
    return {"type": "range", "range": [probe.at_least or 0.0, 1e12 if probe.at_most is None else probe.at_most]}


# ---- the method


def method(experiment: Experiment, *, on_cluster: bool) -> list[Document]:
    named = zip(experiment.names, experiment.spec.steps, strict=True)
    steps = [one for name, step in named for one in activities(name, step, on_cluster=on_cluster)]
    recovers = {"timeout_s": experiment.spec.steady_state.recovery, "epochs": LAG_EPOCHS}
    steps.append(activity(RECOVERED, "probe", "levee_chaos.probes", "recovered", recovers))
    if any(step.action not in HARMLESS for step in experiment.spec.steps):
        steps.append(activity(GAP, "probe", "levee_chaos.probes", "recovery_time", {}))
    return steps


def activities(name: str, step: Step, *, on_cluster: bool) -> list[Document]:
    kind, module = ("action", "actions") if step.action is not None else ("probe", "probes")
    usual = {"driver": IN_A_JOB} if on_cluster and step.action in CRASHES_OF_NODES else {}
    done = activity(name, kind, f"levee_chaos.{module}", step.does, usual | step.arguments)
    if step.when is None:
        return [done]
    if step.when.after is not None:
        return [done | {"pauses": {"before": step.when.after}}]
    return [moment(name, step.when), done]


def moment(name: str, when: When) -> Document:
    """To Chaos Toolkit an action: where the moment does not come, the experiment ends, and what was to follow is not done."""
    func, arguments = waited_for(when)
    return activity(f"{name}-waits", "action", "levee_chaos.triggers", func, arguments | {"timeout_s": when.within})


def waited_for(when: When) -> tuple[str, Document]:
    if when.epoch is not None:
        return "at_epoch", {"epoch": when.epoch}
    if when.rate is not None:
        limits = {"at_least": when.rate.at_least, "at_most": when.rate.at_most}
        return "at_rate", {"source": when.rate.source or ""} | {name: value for name, value in limits.items() if value is not None}
    if when.state is not None:
        return "in_state", {"state": when.state.value}
    assert when.transition is not None, "it was checked that it says one of them"
    return "on_transition", {"entered": when.transition.to.value, "left": when.transition.from_.value if when.transition.from_ else ""}
