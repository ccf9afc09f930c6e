"""Faults of a running topology.

Why: whom they hit is said in Levee's nouns, and all that is said must hold: `topology`, `operator`, `task`, `replica`, `worker`, `node` and
`role` (primary, secondary or any). Of several that are meant the first in the order of the graph is hit. Each action is checked before,
verified after, and undone; one whose target does not exist fails.
Those of the network are in `network`, those of store, disk, objects and clocks in `storing`.
Called by: `chaos run`, from an experiment's method and rollbacks.
"""

from levee.topology.complaint import Complaint
from levee_chaos import inflicting
from levee_chaos.fault import Fault, Kind, Whom
from levee_chaos.keeping import Keeping
from levee_chaos.network import delay_network, limit_bandwidth, lose_packets, partition_node
from levee_chaos.refusals import NOTHING, Refused, number
from levee_chaos.storing import corrupt_object, corrupt_status, fail_store, fill_disk, skew_clock, skew_store_clock, slow_store
from levee_chaos.telling import ms_in, one_of, role_in
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.world import Where

__all__ = [
    "corrupt_object",
    "corrupt_status",
    "crash_node",
    "crash_operator",
    "crash_replica",
    "crash_worker",
    "crash_zone",
    "cut_operator",
    "delay_network",
    "fail_store",
    "fill_disk",
    "limit_bandwidth",
    "lose_packets",
    "partition_node",
    "pause_node",
    "pause_replica",
    "skew_clock",
    "skew_store_clock",
    "slow_replica",
    "slow_store",
    "undo_faults",
]

Document = dict[str, object]
WAYS = ("pod", "container", "jvm")


def crash_replica(
    topology: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    node: str = "",
    role: str = "any",
    by: str = "pod",
    directory: str = "",
    namespace: str = "",
) -> Document:
    """Crash the worker of a replica, and whatever it has started. Replicas that share the worker crash with it.

    On a cluster `by` says how: `pod` deletes it without grace, `container` kills its first process, `jvm` kills its Java. With `levee run`
    a worker has neither pod nor container: SIGKILL to all of it, or with `jvm` to its Java. Levee starts it again: nothing is to be undone.
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    fault = Fault(Kind.CRASH_REPLICA, whom, how={"by": one_of("by", by, WAYS)})
    return inflicting.inflict(fault, Where(topology, directory, namespace)).document()


def crash_worker(worker: str, topology: str = "", by: str = "pod", directory: str = "", namespace: str = "") -> Document:
    """Crash a worker by its name (`node-1-0`), and whatever it has started, as `crash_replica` does. Levee starts it again."""
    fault = Fault(Kind.CRASH_WORKER, Whom(topology, worker=worker), how={"by": one_of("by", by, WAYS)})
    return inflicting.inflict(fault, Where(topology, directory, namespace)).document()


def crash_node(
    topology: str = "",
    node: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    role: str = "any",
    driver: str = "",
    command: str = "",
    revive_command: str = "",
    directory: str = "",
    namespace: str = "",
) -> Document:
    """Crash a node at once, as when a machine loses its power: the node that is named, or that of a replica.

    On a cluster `driver` says how: `command` runs `command` with {node} in it, and to undo it `revive_command`; `sysrq` has the node's
    kernel boot at once; others are plugged in. With `levee run` everything on the node is killed. Undone, the node comes back.
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    how = {"driver": driver, "command": command, "revive_command": revive_command}
    return inflicting.inflict(Fault(Kind.CRASH_NODE, whom, how=how), Where(topology, directory, namespace)).document()


def crash_zone(
    topology: str = "",
    zone: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    role: str = "any",
    driver: str = "",
    command: str = "",
    revive_command: str = "",
    directory: str = "",
    namespace: str = "",
) -> Document:
    """Crash all nodes of a zone, as `crash_node` does it with one: the zone that is named, or that of a replica. Undone, they come back."""
    whom = Whom(topology, operator, task, replica, zone=zone, role=role_in(role))
    how = {"driver": driver, "command": command, "revive_command": revive_command}
    return inflicting.inflict(Fault(Kind.CRASH_ZONE, whom, how=how), Where(topology, directory, namespace)).document()


def crash_operator(topology: str = "", away_s: float = 1.0, directory: str = "", namespace: str = "") -> Document:
    """Crash Levee's operator: of those that watch the topology the one that acts.

    On a cluster its pod is deleted without grace, and its Deployment starts another one. With `levee run` that is the run itself: after
    `away_s` seconds it is run again by the same words.
    """
    fault = Fault(Kind.CRASH_OPERATOR, Whom(topology), ms_in(away_s, "away_s"))
    return inflicting.inflict(fault, Where(topology, directory, namespace)).document()


def cut_operator(for_s: float, topology: str = "", directory: str = "", namespace: str = "") -> Document:
    """Let nothing that Levee's operator sends reach the API server, for so many seconds.

    `levee run` has none, so the run itself stands still instead: like an operator that is cut off, it can do nothing.
    """
    fault = Fault(Kind.CUT_OPERATOR, Whom(topology), ms_in(for_s))
    return inflicting.inflict(fault, Where(topology, directory, namespace)).document()


def pause_replica(
    for_s: float,
    topology: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    node: str = "",
    role: str = "any",
    directory: str = "",
    namespace: str = "",
) -> Document:
    """Stop the worker of a replica (SIGSTOP) for so many seconds, and what it has started. Replicas that share the worker stop with it.

    It returns as soon as they stand still. They go on when the time is over, when the experiment undoes its faults, or when it dies.
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    return inflicting.inflict(Fault(Kind.PAUSE_REPLICA, whom, ms_in(for_s)), Where(topology, directory, namespace)).document()


def pause_node(
    for_s: float,
    topology: str = "",
    node: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    role: str = "any",
    directory: str = "",
    namespace: str = "",
) -> Document:
    """Stop all workers of a node (SIGSTOP) for so many seconds: the node that is named, or that of a replica.

    It returns as soon as they stand still. They go on when the time is over, when the experiment undoes its faults, or when it dies.
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    return inflicting.inflict(Fault(Kind.PAUSE_NODE, whom, ms_in(for_s)), Where(topology, directory, namespace)).document()


def slow_replica(
    for_s: float,
    share: float = 0.5,
    topology: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    node: str = "",
    role: str = "any",
    directory: str = "",
    namespace: str = "",
) -> Document:
    """Let the worker of a replica stand still for a share of the time, five times a second, for so many seconds.

    With a share of 0.75 it computes a quarter of what it could, on a machine with cores to spare. It ends as a pause does.
    """
    share = number("share", share)
    if not 0.1 <= share <= 0.9:
        complaint = Complaint("share", f"{share:g} is no share of the time between 0.1 and 0.9", "use pause_replica to stop it altogether")
        raise Refused(NOTHING, [complaint])
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    fault = Fault(Kind.SLOW_REPLICA, whom, ms_in(for_s), {"share": share})
    return inflicting.inflict(fault, Where(topology, directory, namespace)).document()


def undo_faults(topology: str = "", directory: str = "", namespace: str = "") -> list[str]:
    """Undo what this experiment has done and what lasts: who was paused goes on, dead nodes come back. For rollbacks; twice is once.

    What experiments that are gone have left is undone, too.
    """
    return inflicting.undo_all(Keeping(find(Where(topology, directory, namespace)).folder))
