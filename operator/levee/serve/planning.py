"""Plan a topology for the nodes that the cluster has.

Called by: planner, in a process of its own; all who read a resource.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

from levee.planning.strategies import STRATEGIES
from levee.plans.asked import Asked
from levee.plans.clock import Clock
from levee.plans.ending import Refused
from levee.plans.planner import plan, prepare
from levee.plans.running import planned_of
from levee.topology.complaint import Complaint
from levee.topology.graph import Node, Topology
from levee.topology.load import Loaded, load_value
from levee.topology.wording import complaint_text
from levee.worlds.plans import Worth, WrittenPlan

LIMIT_S = 30.0


class Infeasible(Exception):
    """No plan meets what is asked for on these nodes; the text says why."""


def loaded(resource: Mapping[str, Any]) -> Loaded:
    """What people have no say in is left out: status, and what the API server keeps."""
    metadata = {key: resource["metadata"][key] for key in ("name", "namespace") if key in resource["metadata"]}
    told = {**resource, "metadata": metadata}
    told.pop("status", None)
    return loaded_once(json.dumps(told), f"{metadata['namespace']}/{metadata['name']}")


@lru_cache(maxsize=64)
def loaded_once(text: str, origin: str) -> Loaded:
    """One resource is wanted several times in a row: in parts, and by turns of its life."""
    return load_value(json.loads(text), origin=origin)


def complaints(found: Loaded) -> tuple[Complaint, ...]:
    return tuple(found.complaints)


def planned(resource: Mapping[str, Any], nodes: Sequence[Node], limit_s: float = LIMIT_S) -> WrittenPlan:
    """Infeasible, where it is."""
    topology = loaded(resource).topology
    assert topology is not None, "it was checked before"
    here = on_nodes(topology, nodes)
    try:
        found = plan(prepare(here, Asked(), STRATEGIES), Clock(limit_s=limit_s))
    except Refused as refused:
        raise Infeasible("; ".join([refused.heading, *map(complaint_text, refused.complaints)])) from None
    report = found.report
    if not report.configurations or not report.verdict.met:
        raise Infeasible("; ".join(report.verdict.reasons) or "there is no plan")
    return WrittenPlan(
        int(resource["metadata"].get("generation") or 0),
        essence(resource),
        planned_of(found),
        worth_of(found.report),
    )


def essence(resource: Mapping[str, Any]) -> dict[str, Any]:
    """What a plan follows from: the same resource, read again, is the same plan and no other number."""
    metadata = {key: value for key, value in resource["metadata"].items() if key in {"name", "namespace", "uid", "generation"}}
    return {"apiVersion": resource["apiVersion"], "kind": resource["kind"], "metadata": metadata, "spec": resource["spec"]}


def on_nodes(topology: Topology, nodes: Sequence[Node]) -> Topology:
    """Those of the cluster, whatever a file imagined; each topology in its own order, or all would fill the same nodes first."""

    def turn(node: Node) -> bytes:
        return sha256(f"{topology.namespace}/{topology.name}/{node.name}".encode()).digest()

    return replace(topology, nodes=tuple(sorted(nodes, key=turn)))


def worth_of(report: Any) -> Worth:
    target = report.wanted
    guarantee = None
    if report.guarantee is not None:
        guarantee = report.guarantee.fidelity if target.fidelity is not None else report.guarantee.completeness
    cost = None if report.price is None else 3600 * report.price.cpu_hours_per_window
    return Worth(guarantee, cost, report.search.gap, report.search.strategy, report.search.says)
