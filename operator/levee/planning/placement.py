"""Put the replicas of every task on nodes before their activation is planned.

Why: a promise is only worth what the placement allows; replicas of a task must not fall together.
Called by: planning.expand, when the user pinned nothing; completeness.joint, as its starting point.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from levee.topology.graph import Node
from levee.topology.names import NodeName, TaskId

Pinned = Mapping[TaskId, tuple[NodeName, ...]]


@dataclass(slots=True)
class _Fill:
    """How full each node is, as a share of its capacity, while tasks are being placed."""

    nodes: tuple[Node, ...]
    place: dict[NodeName, int]  # in the order in which they are given, which is for the caller to say
    share: dict[NodeName, float] = field(default_factory=dict)
    count: dict[NodeName, int] = field(default_factory=dict)

    def put(self, node: Node, load_cores: float) -> None:
        self.share[node.name] = self.share.get(node.name, 0.0) + load_cores / node.capacity_cores
        self.count[node.name] = self.count.get(node.name, 0) + 1

    def best(self, taken: Sequence[Node], load_cores: float) -> Node:
        """A node without a replica of this task, in a zone without one, least filled, first in the order: in this order of importance."""
        zones = {node.zone for node in taken}

        def rank(node: Node) -> tuple[bool, bool, float, int, int]:
            after = self.share.get(node.name, 0.0) + load_cores / node.capacity_cores
            return (
                node in taken,
                node.zone in zones,
                round(after, 9),
                self.count.get(node.name, 0),
                self.place[node.name],
            )

        return min(self.nodes, key=rank)


def place(
    loads: Mapping[TaskId, float],
    nodes: tuple[Node, ...],
    replicas: int,
    pinned: Pinned,
) -> dict[TaskId, tuple[NodeName, ...]]:
    """Heaviest task first, each replica onto the least filled node that its task does not stand on yet; of equal ones onto the first."""
    fill = _Fill(nodes, {node.name: place for place, node in enumerate(nodes)})
    by_name = {node.name: node for node in nodes}
    placement = dict(pinned)
    for task, names in pinned.items():
        for name in names:
            fill.put(by_name[name], loads[task])
    for task in sorted(loads.keys() - pinned.keys(), key=lambda task: (-loads[task], task)):
        taken: list[Node] = []
        for _ in range(replicas):
            node = fill.best(taken, loads[task])
            fill.put(node, loads[task])
            taken.append(node)
        placement[task] = tuple(node.name for node in taken)
    return placement
