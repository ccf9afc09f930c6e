"""What an experiment names must be there, may be hit, and must not be all that there is.

Why: a fault that meets nobody proves nothing, and one that takes the last node of the control plane takes those along who should undo it.
Called by: serve, before anything is done; `levee validate`, as far as it knows the topology.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from levee.experiments.catalog import OF_NODES, Reach, reach_of
from levee.experiments.spec import Experiment
from levee.topology.complaint import Complaint
from levee.topology.graph import Topology
from levee.topology.wording import close_to, listed

NODES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class NodeFacts:
    ready: bool
    controls: bool  # it bears the cluster's control plane


Nodes = Mapping[str, NodeFacts]


@dataclass(frozen=True, slots=True)
class Permits:
    """What the release allows, as its values say it."""

    enabled: bool
    namespaces: Sequence[str]  # none: all that are watched
    privileged: bool


# ---- the release


def of_permits(experiment: Experiment, permits: Permits) -> Iterator[Complaint]:
    namespace = experiment.metadata.namespace
    if not permits.enabled:
        yield Complaint("chaos.enabled", "experiments are not allowed by this release", "install it with --set chaos.enabled=true")
        return
    if permits.namespaces and namespace not in permits.namespaces:
        wrong = f"experiments are not allowed in namespace {namespace}, only in {listed(permits.namespaces, 'and')}"
        yield Complaint("metadata.namespace", wrong, "add it to the release's chaos.namespaces, or use one of these")
    for number, step in enumerate(experiment.spec.steps):
        if not permits.privileged and reach_of(step.action, step.arguments) is Reach.NODES:
            wrong = f"{step.action} needs a privileged pod on a node, which this release does not allow"
            yield Complaint(f"spec.steps[{number}].action", wrong, "install it with --set chaos.privileged=true, or crash a replica")


# ---- the topology


def of_topology(experiment: Experiment, topology: Topology) -> Iterator[Complaint]:
    operators = parallelisms(topology)
    for number, step in enumerate(experiment.spec.steps):
        where = f"spec.steps[{number}].arguments"
        for noun in ("operator", "task", "replica"):
            if said := str(step.arguments.get(noun, "")):
                yield from absent(f"{where}.{noun}", noun, said, named(noun, topology))
                yield from not_allowed(f"{where}.{noun}", said, experiment.spec.safety.targets.operators)
        rate = step.when.rate if step.when is not None else None
        if rate is not None and rate.source is not None:
            yield from absent(f"spec.steps[{number}].when.rate.source", "source", rate.source, [one.name for one in topology.sources])
    for number, target in enumerate(experiment.spec.safety.targets.operators):
        known = [*operators, *named("task", topology)]
        yield from absent(f"spec.safety.targets.operators[{number}]", "operator or task", target, known)


def parallelisms(topology: Topology) -> dict[str, int]:
    tasks: dict[str, int] = {one.name: one.parallelism for one in topology.sources}
    tasks |= {one.name: one.parallelism for one in topology.operators}
    return tasks | {one.name: 1 for one in topology.sinks}


def named(noun: str, topology: Topology) -> list[str]:
    operators = parallelisms(topology)
    tasks = [f"{name}/{index}" for name, many in operators.items() for index in range(many)]
    match noun:
        case "operator":
            return list(operators)
        case "task":
            return tasks
        case _:
            return [f"{task}/{index}" for task in tasks for index in range(topology.wanted.replicas)]


def absent(where: str, noun: str, said: str, known: Sequence[str]) -> Iterator[Complaint]:
    if said not in known:
        near = close_to(said, known)
        yield Complaint(where, f"the topology has no {noun} '{said}'", f"use '{near}'" if near else f"use one of {', '.join(known[:24])}")


def not_allowed(where: str, said: str, allowed: Sequence[str]) -> Iterator[Complaint]:
    """An operator's step may meet any of its tasks, so all of them must be allowed."""
    if allowed and not any(said == one or said.startswith(f"{one}/") for one in allowed):
        fix = "name one of these, or add it to spec.safety.targets.operators"
        yield Complaint(where, f"'{said}' may not be hit, only {listed(allowed, 'and')}", fix)


# ---- the cluster


def of_nodes(experiment: Experiment, nodes: Nodes) -> Iterator[Complaint]:
    allowed = experiment.spec.safety.targets.nodes
    gone = list[str]()
    for number, step in enumerate(experiment.spec.steps):
        node, where = str(step.arguments.get("node", "")), f"spec.steps[{number}].arguments.node"
        if not node or step.action is None:
            continue
        if node not in nodes:
            near = close_to(node, nodes)
            fix = f"use '{near}'" if near else f"use one of {', '.join(sorted(nodes)[:NODES_SHOWN])}"
            yield Complaint(where, f"there is no node '{node}'", fix)
        elif allowed and node not in allowed:
            yield Complaint(
                where,
                f"'{node}' may not be hit, only {listed(allowed, 'and')}",
                "name one of these, or add it to spec.safety.targets.nodes",
            )
        elif step.action in OF_NODES:
            gone.append(node)
            yield from last(where, node, gone, nodes)
    for number, node in enumerate(allowed):
        if node not in nodes:
            yield Complaint(f"spec.safety.targets.nodes[{number}]", f"there is no node '{node}'", "remove it, or name one that there is")


def last(where: str, node: str, gone: Sequence[str], nodes: Nodes) -> Iterator[Complaint]:
    """`gone`: those that this and earlier steps take."""
    if nodes[node].controls and not [one for one, facts in nodes.items() if facts.controls and facts.ready and one not in gone]:
        wrong = f"'{node}' has the last copy of the cluster's control plane, and nobody could undo what is done without it"
        yield Complaint(where, wrong, "name a node without it")
    elif not [one for one, facts in nodes.items() if facts.ready and one not in gone]:
        yield Complaint(where, f"with '{node}' no node would be left: that is too much", "leave at least one")
