"""Crashes of nodes, one or all of a zone.

Called by: deeds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from levee.topology.complaint import Complaint
from levee.topology.wording import listed
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Object
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault
from levee_chaos.journal import Undo
from levee_chaos.refusals import NOTHING, Refused
from levee_chaos.worlds.kubernetes import helpers
from levee_chaos.worlds.kubernetes.drivers import NodeDriver, driver
from levee_chaos.worlds.kubernetes.helped import undo_of
from levee_chaos.worlds.kubernetes.helpers import Helper
from levee_chaos.worlds.kubernetes.placed import Placed, is_ready
from levee_chaos.worlds.kubernetes.targets import Target
from levee_chaos.worlds.world import Deed

CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
PATIENCE_S = 120.0  # many clusters call a node lost after 40 s of silence
REVIVE = "revive nodes"
SYSRQ, SYSRQ_S = "sysrq", 60


@dataclass(frozen=True)
class NodeCrash:
    placed: Placed
    kind: str
    nodes: tuple[str, ...]
    boots: Mapping[str, str]  # which one it was
    by: NodeDriver
    undo: Undo
    told: set[str] = field(default_factory=set)  # to crash
    share: float = 0.0

    @property
    def name(self) -> str:
        return " ".join([self.kind, *(f"{node}@{self.boots[node]}" for node in self.nodes)])

    @property
    def patience_s(self) -> float:
        return PATIENCE_S

    def without_means(self) -> Iterator[Complaint]:
        yield from last_of_control_plane(self.placed, self.nodes)
        for node in self.nodes:
            yield from self.by.without_means(node)

    def do(self) -> None:
        """Once: a driver may not bear it twice, and that a node has gone shows only when it is missed."""
        for node in self.standing():
            if node not in self.told:
                self.told.add(node)
                self.by.crash(node)

    def lacking(self) -> list[str]:
        return [f"node {node}: it is ready still" for node in self.standing()]

    def standing(self) -> list[str]:
        found = {one["metadata"]["name"]: one for one in self.placed.reached.api.ask("GET", "/api/v1/nodes")["items"]}
        return [one for one in self.nodes if one in found and is_ready(found[one]) and boot(found[one]) == self.boots[one]]


def crash(placed: Placed, fault: Fault, aimed: Aimed) -> Deed:
    nodes = tuple(map(str, aimed.nodes))
    there = {one["metadata"]["name"]: one for one in placed.nodes}
    if missing := [node for node in nodes if node not in there]:
        wrong = f"{listed(missing, 'and')} may not be seen"
        raise Refused(NOTHING, [Complaint("rights", wrong, "ask for a role that may list nodes")])
    if complaints := list(last_of_control_plane(placed, nodes)):
        raise Refused(NOTHING, complaints)
    boots = {node: boot(there[node]) for node in nodes}
    if fault.how.get("driver") == SYSRQ:
        by = Sysrq(placed, tuple(placed.pods(aimed.workers)))
        return NodeCrash(placed, fault.kind, nodes, boots, by, by.undo)
    undo = Undo("kubernetes", REVIVE, {"nodes": list(nodes), "how": dict(fault.how)})
    return NodeCrash(placed, fault.kind, nodes, boots, driver(fault.how), undo)


@dataclass(frozen=True)
class Sysrq:
    """The kernel of the node boots at once, told so by a helper pod; it comes back by itself."""

    placed: Placed
    targets: tuple[Target, ...]  # by whose images

    @property
    def undo(self) -> Undo:
        return undo_of(self.placed.reached, [one for one in map(self.helper, self.on_nodes()) if isinstance(one, Helper)])

    def on_nodes(self) -> list[str]:
        return list(dict.fromkeys(one.node for one in self.targets))

    def helper(self, node: str) -> Helper | Complaint:
        target = next((one for one in self.targets if one.node == node), None)
        if target is None:
            wrong = "has no pod of this topology, so that it is not known which image is there"
            return Complaint(f"node {node}", wrong, "choose a node with a worker, or another driver")
        order = {"do": "reboot", "pods": [], "node": node, "for_s": SYSRQ_S}
        return helpers.place_for(self.placed.reached, self.placed.limits.namespaces, target, order)

    def without_means(self, node: str) -> Iterator[Complaint]:
        if isinstance(found := self.helper(node), Complaint):
            yield found

    def crash(self, node: str) -> None:
        if isinstance(found := self.helper(node), Helper):
            helpers.ensure(self.placed.reached, found)

    def revive(self, node: str) -> None:
        """It does so by itself."""


def boot(node: Object) -> str:
    return str(node.get("status", {}).get("nodeInfo", {}).get("bootID") or "")


def last_of_control_plane(placed: Placed, nodes: Sequence[str]) -> Iterator[Complaint]:
    """Without it nobody would repair anything."""
    control = [one["metadata"]["name"] for one in placed.nodes if set(CONTROL_PLANE) & set(names.labels_of(one)) and is_ready(one)]
    if control and set(control) <= set(nodes) and not placed.limits.allow_last:
        wrong = f"{listed(control, 'and')} is all that runs the control plane"
        yield Complaint("node", wrong, "choose another, or say `allow_last: true` in levee_chaos.controls")


def revive(how: Mapping[str, Any]) -> None:
    by = driver(how["how"])
    for node in how["nodes"]:
        by.revive(node)
