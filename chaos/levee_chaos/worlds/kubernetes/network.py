"""Faults of the network between the pods of a node and everybody else: each pod has a helper, which holds what reaches it.

Called by: deeds.
"""

import socket
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from levee.topology.complaint import Complaint
from levee.worlds.kubernetes.api import Object
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault, Kind
from levee_chaos.refusals import NOTHING, Refused
from levee_chaos.worlds.kubernetes import operators
from levee_chaos.worlds.kubernetes.helped import Helped, helped
from levee_chaos.worlds.kubernetes.placed import Placed
from levee_chaos.worlds.kubernetes.pods import targets_of
from levee_chaos.worlds.kubernetes.targets import Target

OF_NODES = (Kind.PARTITION_NODE, Kind.DELAY_NETWORK, Kind.LOSE_PACKETS, Kind.LIMIT_BANDWIDTH)
OF_STORES = (Kind.FAIL_STORE, Kind.SLOW_STORE)
ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT")


def disturb(placed: Placed, fault: Fault, aimed: Aimed) -> Helped:
    peer = fault.how.get("peer", "")
    if peer == "store":
        there, port = of_the_store(placed)
        return by_helpers(placed, fault, there, targets_of(placed, aimed), port=port)
    return by_helpers(placed, fault, sources(placed, peer), targets_of(placed, aimed))


def disturb_store(placed: Placed, fault: Fault, _aimed: Aimed) -> Helped:
    """What it answers comes later, or a share of it never."""
    workers = [one.worker for one in placed.seen().replicas]
    there, port = of_the_store(placed)
    return by_helpers(placed, fault, there, placed.pods(workers), port=port)


def by_helpers(placed: Placed, fault: Fault, there: Sequence[str], whom: Sequence[Target], **more: int) -> Helped:
    """`port`: where who is there is asked how long it takes."""
    order = {"do": "packets", "shape": shape(fault), "sources": list(there), "for_s": fault.for_ms / 1_000, **more}
    return helped(placed, fault, *((one, {**order, "pods": [one.uid]}) for one in whom))


def shape(fault: Fault) -> Mapping[str, float]:
    """As packets.Shape has it."""
    how: Mapping[str, Any] = fault.how
    match fault.kind:
        case Kind.PARTITION_NODE:
            return {"loss": 1.0}
        case Kind.DELAY_NETWORK | Kind.SLOW_STORE:
            return {"delay_s": how["ms"] / 1_000, "jitter_s": how["jitter_ms"] / 1_000}
        case Kind.LOSE_PACKETS | Kind.FAIL_STORE:
            return {"loss": how["share"]}
        case _:
            return {"bytes_per_s": how["bytes_per_s"]}


def sources(placed: Placed, peer: str) -> Sequence[str]:
    """The addresses of a peer; none: everybody is meant."""
    if not peer:
        return ()
    if peer == "operator":
        return addresses([operators.acting(placed)])
    there = [one for one in placed.own_pods() if one["spec"].get("nodeName") == peer]
    found = addresses(there)
    if not found:
        wrong = f"'{peer}' is no node with a pod of {placed.topology}"
        known = sorted({str(one["spec"].get("nodeName")) for one in placed.own_pods()})
        raise Refused(NOTHING, [Complaint("peer", wrong, f"use one of {', '.join(known)}, store, or operator")])
    return found


def of_the_store(placed: Placed) -> tuple[Sequence[str], int]:
    told = placed.secret()
    endpoint = next((told[name] for name in ENDPOINTS if told.get(name)), "")
    parts = urlsplit(endpoint)
    host, port = parts.hostname, parts.port or {"http": 80}.get(parts.scheme, 443)
    if not host:
        wrong = "it is not said where it can be reached, by AWS_ENDPOINT_URL in the Secret that the topology names"
        raise Refused(NOTHING, [Complaint("store", wrong, "disturb the network of a node instead")])
    try:
        return sorted({str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}), port
    except OSError as error:
        raise Refused(NOTHING, [Complaint("store", f"{host} has no address here: {error}", "run the experiment where it has")]) from None


def addresses(pods: Sequence[Object]) -> Sequence[str]:
    return sorted(str(one["status"]["podIP"]) for one in pods if one.get("status", {}).get("podIP"))
