"""Nodes and pins: known names, one node per replica.

Called by: topology.check.
"""

from collections.abc import Iterator

from levee.topology.complaint import Complaint
from levee.topology.names import OperatorName, task_id
from levee.topology.spec import Resource, Spec
from levee.topology.wording import close_to, count, listed


def duplicate_nodes(resource: Resource) -> Iterator[Complaint]:
    names = [node.name for node in resource.spec.placement.nodes]
    for index, name in enumerate(names):
        if name in names[:index]:
            where = f"spec.placement.nodes[{index}].name"
            yield Complaint(where, f"'{name}' is already the name of nodes[{names.index(name)}]", "name each node once")


def pinned_tasks(resource: Resource) -> Iterator[Complaint]:
    spec = resource.spec
    operators = [operator.name for operator in spec.operators]
    tasks = {task_id(OperatorName(operator.name), index) for operator in spec.operators for index in range(operator.parallelism)}
    for key in spec.placement.assignment:
        if key in operators or key in tasks:
            continue
        where, operator = f"spec.placement.assignment['{key}']", key.split("/")[0]
        if operator in operators and "/" in key:
            many = next(part.parallelism for part in spec.operators if part.name == operator)
            yield Complaint(where, f"'{operator}' has no such task; it has {count(many, 'task')}", f"use {_span(operator, many)}")
        else:
            meant = close_to(operator, operators)
            yield Complaint(where, f"there is no operator or task '{key}'", f"use '{meant}'" if meant else f"use {listed(operators[:12])}")


def _span(operator: str, many: int) -> str:
    return f"'{operator}/0'" + (f" to '{operator}/{many - 1}'" if many > 1 else "")


def pinned_nodes(resource: Resource) -> Iterator[Complaint]:
    spec = resource.spec
    known = [node.name for node in spec.placement.nodes]
    for key, nodes in spec.placement.assignment.items():
        where = f"spec.placement.assignment['{key}']"
        for place, node in enumerate(nodes):
            if known and node not in known:
                meant = close_to(node, known)
                yield Complaint(
                    f"{where}[{place}]",
                    f"there is no node '{node}'",
                    f"use '{meant}'" if meant else f"use {listed(known[:12])}, or add it to placement.nodes",
                )
        yield from _replica_mistakes(spec, where, nodes)


def _replica_mistakes(spec: Spec, where: str, nodes: list[str]) -> Iterator[Complaint]:
    replicas, known = spec.fault_tolerance.replicas, spec.placement.nodes
    if len(nodes) != replicas:
        yield Complaint(
            where,
            f"names {count(len(nodes), 'node')} for {count(replicas, 'replica')}",
            f"name {replicas}: the node of each replica, in order",
        )
    twice = sorted({node for node in nodes if nodes.count(node) > 1})
    if twice and not 0 < len(known) < replicas:  # With fewer nodes than replicas there is no other way.
        yield Complaint(
            where, f"puts more than one replica on '{twice[0]}', so that they would fail together", "name another node for each replica"
        )
