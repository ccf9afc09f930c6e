"""The nodes that a topology may be planned for.

Called by: serve.deeds, for the plan in force; the command line, for a plan that is only shown.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from levee.topology.graph import Node
from levee.topology.names import NodeName, ZoneName
from levee.topology.units import UnitError, parse_cores
from levee.worlds.kubernetes.names import ZONE
from levee.worlds.kubernetes.seen import condition

DEFAULT_CAPACITY = "2"


def nodes(there: Iterable[Mapping[str, Any]], placement: Mapping[str, Any]) -> tuple[Node, ...]:
    """Ready, not cordoned, with the labels that were asked for; of each no more cores than it has, nor than it may give."""
    wanted = placement.get("nodeSelector") or {}
    at_most = parse_cores(placement.get("capacity") or DEFAULT_CAPACITY)
    found = [node(one, at_most) for one in there if is_open(one) and wanted.items() <= one["metadata"]["labels"].items()]
    return tuple(sorted(found, key=lambda one: one.name))


def is_open(node: Mapping[str, Any]) -> bool:
    return condition(node, "Ready").get("status") == "True" and not node["spec"]["unschedulable"]


def node(told: Mapping[str, Any], at_most: float) -> Node:
    name = told["metadata"]["name"]
    try:
        cores = parse_cores(told["status"]["allocatable"]["cpu"])
    except UnitError:
        cores = at_most
    return Node(NodeName(name), ZoneName(told["metadata"]["labels"].get(ZONE) or name), min(cores, at_most))
