"""The nodes that a topology may be planned for.

Called by: serve.making, for the plan in force; the command line, for a plan that is only shown.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from levee.topology.graph import Node
from levee.topology.names import NodeName, ZoneName
from levee.topology.units import UnitError, parse_cores
from levee.worlds.kubernetes.names import ZONE
from levee.worlds.kubernetes.seen import condition

DEFAULT_CAPACITY = "2"
CLOSING = {"NoSchedule", "NoExecute"}


def nodes(there: Iterable[Mapping[str, Any]], spec: Mapping[str, Any]) -> tuple[Node, ...]:
    """Open to pods, with the labels that were asked for; of each no more cores than it has, nor than it may give."""
    placement, template = spec.get("placement") or {}, (spec.get("podTemplate") or {}).get("spec") or {}
    wanted, tolerations = placement.get("nodeSelector") or {}, template.get("tolerations") or ()
    at_most = parse_cores(placement.get("capacity") or DEFAULT_CAPACITY)
    found = [node(one, at_most) for one in there if is_open(one, tolerations) and wanted.items() <= one["metadata"]["labels"].items()]
    return tuple(sorted(found, key=lambda one: one.name))


def is_open(node: Mapping[str, Any], tolerations: Sequence[Mapping[str, Any]] = ()) -> bool:
    """Ready, not cordoned, and without a taint that keeps pods away and that these do not tolerate."""
    closing = [taint for taint in node["spec"].get("taints") or () if taint["effect"] in CLOSING]
    tolerated = all(any(tolerates(one, taint) for one in tolerations) for taint in closing)
    return condition(node, "Ready").get("status") == "True" and not node["spec"]["unschedulable"] and tolerated


def tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    """As the scheduler has it: what a toleration does not name, it does not care about."""
    if any(toleration.get(part) not in {None, "", taint[part]} for part in ("key", "effect")):
        return False
    return toleration.get("operator") == "Exists" or (toleration.get("value") or "") == (taint.get("value") or "")


def node(told: Mapping[str, Any], at_most: float) -> Node:
    name = told["metadata"]["name"]
    try:
        cores = parse_cores(told["status"]["allocatable"]["cpu"])
    except UnitError:
        cores = at_most
    return Node(NodeName(name), ZoneName(told["metadata"]["labels"].get(ZONE) or name), min(cores, at_most))
