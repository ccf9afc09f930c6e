"""Whom a fault concerns, by what can be seen now; or why nobody.

Why: an action whose target does not exist must fail and say whom there is; hitting nothing would look as if a topology had survived.
Called by: inflicting, with what a world has seen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from levee.control.names import ReplicaName, WorkerName, operator_of
from levee.plans.ending import use_instead
from levee.topology.complaint import Complaint
from levee.topology.names import NodeName
from levee.topology.wording import count, listed
from levee.worlds.local.rows import ReplicaRow
from levee_chaos.fault import Fault, Reach, Role, Whom

GONE = {"ended", "node lost"}  # of a row's status: there is no process any more
ROLES = {Role.PRIMARY: {"primary"}, Role.SECONDARY: {"secondary", "standby"}}


@dataclass(frozen=True, slots=True)
class Seen:
    """What `levee status -o json` says, of either world."""

    topology: str
    replicas: tuple[ReplicaRow, ...]  # in the order of the graph
    nodes: Mapping[NodeName, bool]  # whether it lives
    zones: Mapping[NodeName, str] = field(default_factory=dict)  # of those that are in one


class Passing(Complaint):
    """It may be otherwise later in the same experiment."""


Noun: TypeAlias = Callable[[ReplicaRow, Seen], str]
NOUNS: Mapping[str, Noun] = {
    "operator": lambda row, _: operator_of(row.task),
    "task": lambda row, _: row.task,
    "zone": lambda row, seen: seen.zones.get(row.node, ""),
    "node": lambda row, _: row.node,
    "worker": lambda row, _: row.worker,
    "replica": lambda row, _: row.replica,
}


@dataclass(frozen=True, slots=True)
class Aimed:
    """Everything that the fault will meet: who shares a worker or a node with its target goes with it."""

    what: str  # for people
    replica: ReplicaName | None  # the target itself; None: a node that has none, or the topology as a whole
    nodes: tuple[NodeName, ...]
    workers: tuple[WorkerName, ...]
    replicas: tuple[ReplicaName, ...]


def aim(fault: Fault, seen: Seen) -> Aimed | Complaint:
    """Of several that are meant, the first in the order of the graph, so that the same experiment hits the same."""
    whom = fault.whom
    if wrong := wrong_topology(whom, seen):
        return wrong
    if fault.kind.reach is Reach.TOPOLOGY:
        return Aimed(seen.topology, None, (), (), ())
    if whom.is_nobody:
        return Complaint("whom", "nobody is named", "say operator, task, replica, worker, node, zone or role")
    reach, only = fault.kind.reach, Whom(topology=whom.topology, node=whom.node, zone=whom.zone)
    if whom == only and reach is Reach.NODE and whom.node:
        return aim_at_nodes([NodeName(whom.node)], seen)
    if whom == only and reach is Reach.ZONE and whom.zone:
        return aim_at_zone(whom.zone, seen)
    found = chosen(whom, seen)
    if isinstance(found, Complaint):
        return found
    if reach is Reach.ZONE:
        return aim_at_zone(seen.zones.get(found.node, ""), seen, found)
    return aim_at_nodes([found.node], seen, found.replica) if reach is Reach.NODE else aim_at_worker(found, seen)


def wrong_topology(whom: Whom, seen: Seen) -> Complaint | None:
    if whom.topology in {"", seen.topology, seen.topology.rpartition("/")[2]}:
        return None
    return Complaint(
        "topology", f"'{whom.topology}' does not run here, {seen.topology} does", f"use '{seen.topology}', or name another directory"
    )


def aim_at_zone(zone: str, seen: Seen, target: ReplicaRow | None = None) -> Aimed | Complaint:
    zones = list(dict.fromkeys(seen.zones.values()))
    if not zones:
        return Complaint("zone", f"no node of {seen.topology} is in a zone", "crash a node, or give the nodes zones")
    if not zone:
        assert target is not None
        return Complaint("zone", f"{target.node} of {target.replica} is in none", f"name one of {listed(zones, 'and')}")
    alive = [node for node, its in seen.zones.items() if its == zone and seen.nodes.get(node, False)]
    if not alive:
        others = use_instead(zone, [one for one in zones if one != zone])
        return (
            Passing("zone", f"no node of {zone} lives", others)
            if zone in zones
            else Complaint("zone", f"there is no zone '{zone}'", others)
        )
    found = aim_at_nodes(alive, seen, target.replica if target else None)
    return found if isinstance(found, Complaint) else replace(found, what=f"{zone}: {found.what}")


def aim_at_nodes(nodes: Sequence[NodeName], seen: Seen, replica: ReplicaName | None = None) -> Aimed | Complaint:
    for node in nodes:
        if not seen.nodes.get(node, False):
            instead = use_instead(node, [name for name, lives in seen.nodes.items() if lives])
            if node in seen.nodes:
                return Passing("node", f"{node} is dead already", instead)
            return Complaint("node", f"there is no node '{node}'", instead)
    here = [row for row in living(seen) if row.node in nodes]
    workers = tuple(dict.fromkeys(row.worker for row in here))
    what = f"{listed(list(nodes), 'and')} with {count(len(workers), 'worker')} and {count(len(here), 'replica')}"
    return Aimed(what, replica, tuple(nodes), workers, tuple(row.replica for row in here))


def aim_at_worker(target: ReplicaRow, seen: Seen) -> Aimed:
    with_it = tuple(row.replica for row in living(seen) if row.worker == target.worker)
    others = f" and {count(len(with_it) - 1, 'other')}" if len(with_it) > 1 else ""
    what = f"{target.worker} on {target.node} with {target.replica}{others}"
    return Aimed(what, target.replica, (target.node,), (target.worker,), with_it)


def living(seen: Seen) -> list[ReplicaRow]:
    return [row for row in seen.replicas if row.status not in GONE]


def chosen(whom: Whom, seen: Seen) -> ReplicaRow | Complaint:
    """Each noun narrows down what those before it have left; the one that leaves nobody is what is wrong."""
    rows = living(seen)
    if not rows:
        return Passing("topology", f"no replica of {seen.topology} lives", "wait until it works: see levee status")
    for noun, of in NOUNS.items():
        wanted = getattr(whom, noun)
        if wanted and not (left := [row for row in rows if of(row, seen) == wanted]):
            return nobody_of(whom, noun, seen, rows)
        rows = left if wanted else rows
    return with_role(whom.role, rows)


def nobody_of(whom: Whom, noun: str, seen: Seen, rows: list[ReplicaRow]) -> Complaint:
    """What is not there at all is told from what has nobody now."""
    wanted, of = getattr(whom, noun), NOUNS[noun]
    places: dict[str, list[str]] = {"node": [*seen.nodes], "zone": [*dict.fromkeys(seen.zones.values())]}
    there = places.get(noun, known(seen.replicas, of, seen))
    if wanted not in there:
        return Complaint(noun, f"there is no {noun} '{wanted}' in {seen.topology}", use_instead(wanted, there))
    return Passing(noun, f"no living replica{among(whom, noun)} is of {noun} '{wanted}'", use_instead(wanted, known(rows, of, seen)))


def with_role(role: Role, rows: list[ReplicaRow]) -> ReplicaRow | Complaint:
    found = [row for row in rows if role is Role.ANY or row.role in ROLES[role]]
    if found:
        return found[0]
    roles = listed([f"{row.replica} ({row.role})" for row in rows[:12]], "and")
    return Passing("role", f"there is no {role} now among {roles}", "wait until there is one, or say role 'any'")


def known(rows: Sequence[ReplicaRow], of: Noun, seen: Seen) -> list[str]:
    return list(dict.fromkeys(of(row, seen) for row in rows))


def among(whom: Whom, noun: str) -> str:
    """What was said before that noun."""
    nouns = list(NOUNS)
    said = [f"{one} '{getattr(whom, one)}'" for one in nouns[: nouns.index(noun)] if getattr(whom, one)]
    return f" of {listed(said, 'and')}" if said else ""
