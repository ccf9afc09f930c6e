"""Whom a fault concerns, by what can be seen now; or why nobody.

Why: an action whose target does not exist must fail and say whom there is; hitting nothing would look as if a topology had survived.
Called by: inflicting, with what a world has seen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from levee.control.names import ReplicaName, WorkerName, operator_of
from levee.plans.ending import use_instead
from levee.topology.complaint import Complaint
from levee.topology.names import NodeName
from levee.topology.wording import count, listed
from levee.worlds.local.rows import ReplicaRow
from levee_chaos.fault import Fault, Role, Whom

GONE = {"ended", "node lost"}  # of a row's status: there is no process any more
ROLES = {Role.PRIMARY: {"primary"}, Role.SECONDARY: {"secondary", "standby"}}
NOUNS: Mapping[str, Callable[[ReplicaRow], str]] = {
    "operator": lambda row: operator_of(row.task),
    "task": lambda row: row.task,
    "node": lambda row: row.node,
    "worker": lambda row: row.worker,
    "replica": lambda row: row.replica,
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What `levee status -o json` says, of either world."""

    topology: str
    replicas: tuple[ReplicaRow, ...]  # in the order of the graph
    nodes: Mapping[NodeName, bool]  # whether it lives


@dataclass(frozen=True, slots=True)
class Aimed:
    """Everything that the fault will meet: who shares a worker or a node with its target goes with it."""

    what: str  # for people
    replica: ReplicaName | None  # the target itself; None: a node that has none
    node: NodeName
    workers: tuple[WorkerName, ...]
    replicas: tuple[ReplicaName, ...]


def aim(fault: Fault, seen: Seen) -> Aimed | Complaint:
    """Of several that are meant, the first in the order of the graph, so that the same experiment hits the same."""
    whom = fault.whom
    if wrong := wrong_topology(whom, seen):
        return wrong
    if whom.is_nobody:
        return Complaint("whom", "nobody is named", "say operator, task, replica, worker, node or role")
    if fault.kind.is_of_node and whom == Whom(topology=whom.topology, node=whom.node):
        return aim_at_node(NodeName(whom.node), seen)
    found = chosen(whom, seen)
    if isinstance(found, Complaint):
        return found
    return aim_at_node(found.node, seen, found.replica) if fault.kind.is_of_node else aim_at_worker(found, seen)


def wrong_topology(whom: Whom, seen: Seen) -> Complaint | None:
    if whom.topology in {"", seen.topology, seen.topology.rpartition("/")[2]}:
        return None
    return Complaint(
        "topology", f"'{whom.topology}' does not run here, {seen.topology} does", f"use '{seen.topology}', or name another directory"
    )


def aim_at_node(node: NodeName, seen: Seen, replica: ReplicaName | None = None) -> Aimed | Complaint:
    if not seen.nodes.get(node, False):
        wrong = f"{node} is dead already" if node in seen.nodes else f"there is no node '{node}'"
        return Complaint("node", wrong, use_instead(node, [name for name, lives in seen.nodes.items() if lives]))
    here = [row for row in living(seen) if row.node == node]
    workers = tuple(dict.fromkeys(row.worker for row in here))
    what = f"{node} with {count(len(workers), 'worker')} and {count(len(here), 'replica')}"
    return Aimed(what, replica, node, workers, tuple(row.replica for row in here))


def aim_at_worker(target: ReplicaRow, seen: Seen) -> Aimed:
    with_it = tuple(row.replica for row in living(seen) if row.worker == target.worker)
    others = f" and {count(len(with_it) - 1, 'other')}" if len(with_it) > 1 else ""
    return Aimed(f"{target.worker} on {target.node} with {target.replica}{others}", target.replica, target.node, (target.worker,), with_it)


def living(seen: Seen) -> list[ReplicaRow]:
    return [row for row in seen.replicas if row.status not in GONE]


def chosen(whom: Whom, seen: Seen) -> ReplicaRow | Complaint:
    """Each noun narrows down what those before it have left; the one that leaves nobody is what is wrong."""
    rows = living(seen)
    if not rows:
        return Complaint("topology", f"no replica of {seen.topology} lives", "wait until it works: see levee status")
    for noun, of in NOUNS.items():
        wanted = getattr(whom, noun)
        if wanted and not (left := [row for row in rows if of(row) == wanted]):
            return nobody_of(whom, noun, seen, rows)
        rows = left if wanted else rows
    return with_role(whom.role, rows)


def nobody_of(whom: Whom, noun: str, seen: Seen, rows: list[ReplicaRow]) -> Complaint:
    """What is not there at all is told from what has nobody now."""
    wanted, of = getattr(whom, noun), NOUNS[noun]
    there = list(seen.nodes) if noun == "node" else known(seen.replicas, of)
    if wanted not in there:
        return Complaint(noun, f"there is no {noun} '{wanted}' in {seen.topology}", use_instead(wanted, there))
    return Complaint(noun, f"no living replica{among(whom, noun)} is of {noun} '{wanted}'", use_instead(wanted, known(rows, of)))


def with_role(role: Role, rows: list[ReplicaRow]) -> ReplicaRow | Complaint:
    found = [row for row in rows if role is Role.ANY or row.role in ROLES[role]]
    if found:
        return found[0]
    roles = listed([f"{row.replica} ({row.role})" for row in rows[:12]], "and")
    return Complaint("role", f"there is no {role} now among {roles}", "wait until there is one, or say role 'any'")


def known(rows: Sequence[ReplicaRow], of: Callable[[ReplicaRow], str]) -> list[str]:
    return list(dict.fromkeys(of(row) for row in rows))


def among(whom: Whom, noun: str) -> str:
    """What was said before that noun."""
    nouns = list(NOUNS)
    said = [f"{one} '{getattr(whom, one)}'" for one in nouns[: nouns.index(noun)] if getattr(whom, one)]
    return f" of {listed(said, 'and')}" if said else ""
