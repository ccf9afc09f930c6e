"""Faults of Levee's operator: it dies, or it cannot reach the API server.

Called by: deeds.
"""

from collections.abc import Iterator

from levee.topology.complaint import Complaint
from levee.worlds.kubernetes.api import Object
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault
from levee_chaos.refusals import NOTHING, Refused
from levee_chaos.worlds.kubernetes.helped import Helped, helped
from levee_chaos.worlds.kubernetes.placed import Placed
from levee_chaos.worlds.kubernetes.pods import Crash
from levee_chaos.worlds.kubernetes.targets import target
from levee_chaos.worlds.world import Deed

OPERATORS = "app.kubernetes.io/name=levee,app.kubernetes.io/component=operator"
LEASE = "levee-operator"
HOW = "name the namespace of the operator's release under `namespaces` of levee_chaos.controls"


def crash(placed: Placed, fault: Fault, _aimed: Aimed) -> Deed:
    pod = acting(placed)
    if not pod["metadata"].get("ownerReferences") and not placed.limits.allow_last:
        wrong = f"pod {pod['metadata']['name']} belongs to nobody who would start it again"
        raise Refused(NOTHING, [Complaint("operator", wrong, "say `allow_last: true` if that is what you want")])
    return Crash(placed.reached, fault.kind, (target(pod),))


def cut(placed: Placed, fault: Fault, _aimed: Aimed) -> Helped:
    pod = acting(placed)
    if pod["spec"].get("hostNetwork"):
        wrong = "uses the network of its node, and so would the whole node be cut off"
        raise Refused(NOTHING, [Complaint(f"operator {pod['metadata']['name']}", wrong, "partition the node")])
    one = target(pod)
    return helped(placed, fault, (one, {"do": "cut", "pods": [one.uid], "for_s": fault.for_ms / 1_000}))


def acting(placed: Placed) -> Object:
    """Of those that watch this topology, who holds the Lease; or the only one."""
    found = [one for namespace in placed.limits.namespaces for one in operators_in(placed, namespace)]
    if not found:
        wrong = f"none that watches {placed.topology} is in namespace {' or '.join(placed.limits.namespaces) or 'any that is named'}"
        raise Refused(NOTHING, [Complaint("operator", wrong, HOW)])
    leading = [one for one in found if one["metadata"]["name"] == holder(placed, one["metadata"]["namespace"])]
    return (leading or found)[0]


def operators_in(placed: Placed, namespace: str) -> Iterator[Object]:
    listed = placed.reached.api.ask("GET", f"/api/v1/namespaces/{namespace}/pods", query={"labelSelector": OPERATORS})
    for one in listed["items"]:
        if watches(one, placed.namespace) and "deletionTimestamp" not in one["metadata"]:
            yield one


def watches(pod: Object, namespace: str) -> bool:
    told = {one["name"]: str(one.get("value") or "") for one in pod["spec"]["containers"][0].get("env") or ()}
    watched = [one for one in told.get("LEVEE_WATCH_NAMESPACES", "").split(",") if one]
    return not watched or namespace in watched


def holder(placed: Placed, namespace: str) -> str:
    lease = placed.reached.api.get(f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{LEASE}") or {}
    return str(lease.get("spec", {}).get("holderIdentity") or "")
