"""Faults of the network between a node's workers and everybody else: cut off, delayed, lost, narrow.

Why: whom they hit is said as in levee_chaos.actions; a fault of the network concerns all workers of that node. On this machine workers
speak to the store and are asked by the controller, and only those of a run that `levee-chaos run` has started obey.
Called by: `chaos run`, from an experiment's method.
"""

from levee_chaos import inflicting
from levee_chaos.fault import Fault, Kind, Whom
from levee_chaos.telling import at_least, ms_in, role_in, share_in, whole
from levee_chaos.worlds.world import Where

__all__ = ["delay_network", "limit_bandwidth", "lose_packets", "partition_node"]

Document = dict[str, object]


def partition_node(
    for_s: float,
    peer: str = "",
    topology: str = "",
    node: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    role: str = "any",
    directory: str = "",
    namespace: str = "",
) -> Document:
    """Cut off the workers of a node, or of the node of a replica: what they send and what is sent to them does not arrive.

    With a `peer` from that one only: "store", "operator", or another node (on a cluster).
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    fault = Fault(Kind.PARTITION_NODE, whom, ms_in(for_s), {"peer": peer})
    return inflicting.inflict(fault, Where(topology, directory, namespace)).document()


def delay_network(
    for_s: float,
    ms: float,
    jitter_ms: float = 0,
    topology: str = "",
    node: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    role: str = "any",
    peer: str = "",
    directory: str = "",
    namespace: str = "",
) -> Document:
    """Let what passes between the workers of a node and everybody else take longer, by `ms` more or less `jitter_ms`, there and back.

    With a `peer` only what passes between them and that one: "store"; on a cluster also "operator" or another node.
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    how = {"ms": whole("ms", ms, 1), "jitter_ms": whole("jitter_ms", jitter_ms, 0), "peer": peer}
    return inflicting.inflict(Fault(Kind.DELAY_NETWORK, whom, ms_in(for_s), how), Where(topology, directory, namespace)).document()


def lose_packets(
    for_s: float,
    share: float = 0.1,
    topology: str = "",
    node: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    role: str = "any",
    peer: str = "",
    directory: str = "",
    namespace: str = "",
) -> Document:
    """Lose a share of what passes between the workers of a node and everybody else. TCP sends it again, later and later.

    `peer`: as for `delay_network`.
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    fault = Fault(Kind.LOSE_PACKETS, whom, ms_in(for_s), {"share": share_in(share), "peer": peer})
    return inflicting.inflict(fault, Where(topology, directory, namespace)).document()


def limit_bandwidth(
    for_s: float,
    kib_per_s: float,
    topology: str = "",
    node: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    role: str = "any",
    peer: str = "",
    directory: str = "",
    namespace: str = "",
) -> Document:
    """Let no more than so many KiB a second pass to and from each worker of a node.

    `peer`: as for `delay_network`.
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    how = {"bytes_per_s": round(1_024 * at_least("kib_per_s", kib_per_s, 0.1)), "peer": peer}
    return inflicting.inflict(Fault(Kind.LIMIT_BANDWIDTH, whom, ms_in(for_s), how), Where(topology, directory, namespace)).document()
