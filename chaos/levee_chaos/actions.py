"""Faults of a running topology.

Why: whom they hit is said in Levee's nouns, and all that is said must hold: `topology`, `operator`, `task`, `replica`, `worker`, `node` and
`role` (primary, secondary or any). Of several that are meant the first in the order of the graph is hit. Each action is checked before,
verified after, and undone; one whose target does not exist fails.
Called by: `chaos run`, from an experiment's method and rollbacks.
"""

from levee.topology.complaint import Complaint
from levee_chaos import inflicting
from levee_chaos.fault import Fault, Kind, Role, Whom
from levee_chaos.refusals import Refused, number
from levee_chaos.worlds.local_run import find

__all__ = ["crash_node", "crash_replica", "crash_worker", "pause_node", "pause_replica", "slow_replica", "undo_faults"]

Document = dict[str, object]


def crash_replica(
    topology: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    node: str = "",
    role: str = "any",
    directory: str = "",
) -> Document:
    """Kill the worker of a replica with SIGKILL, and whatever it has started. Replicas that share the worker die with it.

    Levee starts it again, so there is nothing to undo.
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    return inflicting.inflict(Fault(Kind.CRASH_REPLICA, whom), directory).document()


def crash_worker(worker: str, topology: str = "", directory: str = "") -> Document:
    """Kill a worker by its name (`node-1-0`) with SIGKILL, and whatever it has started. Levee starts it again."""
    whom = Whom(topology, worker=worker)
    return inflicting.inflict(Fault(Kind.CRASH_WORKER, whom), directory).document()


def crash_node(
    topology: str = "",
    node: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    role: str = "any",
    directory: str = "",
) -> Document:
    """Kill everything on a node at once, as when a machine loses its power: the node that is named, or that of a replica.

    Undone, the node comes back, as by `levee revive`.
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    return inflicting.inflict(Fault(Kind.CRASH_NODE, whom), directory).document()


def pause_replica(
    for_s: float,
    topology: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    node: str = "",
    role: str = "any",
    directory: str = "",
) -> Document:
    """Stop the worker of a replica (SIGSTOP) for so many seconds, and what it has started. Replicas that share the worker stop with it.

    It returns as soon as they stand still. They go on when the time is over, when the experiment undoes its faults, or when it dies.
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    return inflicting.inflict(Fault(Kind.PAUSE_REPLICA, whom, ms_in(for_s)), directory).document()


def pause_node(
    for_s: float,
    topology: str = "",
    node: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    role: str = "any",
    directory: str = "",
) -> Document:
    """Stop all workers of a node (SIGSTOP) for so many seconds: the node that is named, or that of a replica.

    It returns as soon as they stand still. They go on when the time is over, when the experiment undoes its faults, or when it dies.
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    return inflicting.inflict(Fault(Kind.PAUSE_NODE, whom, ms_in(for_s)), directory).document()


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
) -> Document:
    """Let the worker of a replica stand still for a share of the time, five times a second, for so many seconds.

    With a share of 0.75 it computes a quarter of what it could, on a machine with cores to spare. It ends as a pause does.
    """
    share = number("share", share)
    if not 0.1 <= share <= 0.9:
        complaint = Complaint("share", f"{share:g} is no share of the time between 0.1 and 0.9", "use pause_replica to stop it altogether")
        raise Refused(inflicting.NOTHING, [complaint])
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    return inflicting.inflict(Fault(Kind.SLOW_REPLICA, whom, ms_in(for_s), share), directory).document()


def undo_faults(topology: str = "", directory: str = "") -> list[str]:
    """Undo what this experiment has done and what lasts: who was paused goes on, dead nodes come back. For rollbacks; twice is once.

    What experiments that are gone have left is undone, too.
    """
    return inflicting.undo_all(find(directory, topology).folder)


def role_in(word: str) -> Role:
    if word not in list(Role):
        raise Refused(inflicting.NOTHING, [Complaint("role", f"'{word}' is none", f"use one of {', '.join(Role)}")])
    return Role(word)


def ms_in(seconds: float) -> int:
    """Faults that last have an end of their own."""
    seconds = number("for_s", seconds)
    if not seconds > 0:
        raise Refused(inflicting.NOTHING, [Complaint("for_s", f"{seconds:g} s is no time", "say for how many seconds it lasts")])
    return max(1, round(1_000 * seconds))
