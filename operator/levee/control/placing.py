"""Where replicas run: ingestors and deliverers beside what the planner has placed, workers on nodes, and a refuge after a node's end.

Why: two replicas of a task on one node would die together, and so may two in one zone: both are avoided wherever there is another one.
Called by: whoever makes a `Wanted`; the rule `leave_dead_nodes`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import TypeAlias

from levee.control.names import ReplicaName, WorkerName, operator_of, replica_name, task_of, worker_name
from levee.control.wanted import Placed
from levee.topology.names import NodeName, OperatorName, TaskId, ZoneName

ENDS = 2  # replicas of an ingestor or a deliverer
Load: TypeAlias = tuple[int, int, NodeName]  # how many replicas a node has, its place among the nodes, which breaks ties, and the node


@dataclass(slots=True)
class Emptiest:
    """Nodes by how many replicas they have; those of a zone in a heap of their own, and of these one with the emptiest node of each."""

    of_zones: dict[ZoneName, list[Load]]
    zones: list[tuple[Load, ZoneName]] = field(init=False)

    def __post_init__(self) -> None:
        for loads in self.of_zones.values():
            heapify(loads)
        self.zones = [(loads[0], zone) for zone, loads in self.of_zones.items()]
        heapify(self.zones)

    def take(self, many: int) -> tuple[NodeName, ...]:
        """Of as many zones as there are; each has one replica more by then."""
        zones = [heappop(self.zones)[1] for _ in range(min(many, len(self.zones)))]
        taken = [(zone, heappop(self.of_zones[zone])) for zone in zones]
        taken += islice(self.others(zones), many - len(taken))
        for zone, (count, place, node) in taken:
            heappush(self.of_zones[zone], (count + 1, place, node))
        for zone in zones:
            heappush(self.zones, (self.of_zones[zone][0], zone))
        return tuple(node for _, (_, _, node) in taken)

    def others(self, zones: Sequence[ZoneName]) -> Iterator[tuple[ZoneName, Load]]:
        while left := [zone for zone in zones if self.of_zones[zone]]:
            zone = min(left, key=lambda one: self.of_zones[one][0])
            yield zone, heappop(self.of_zones[zone])


def with_ends(
    placement: Mapping[TaskId, tuple[NodeName, ...]],
    ends: Iterable[TaskId],
    nodes: Sequence[NodeName],
    zones: Mapping[NodeName, ZoneName],
) -> dict[ReplicaName, NodeName]:
    """All replicas and their nodes; the ends of the graph go to the emptiest nodes, of several zones, at most one replica to each."""
    homes = {replica_name(task, number): node for task, on in placement.items() for number, node in enumerate(on)}
    counts, of_zones = Counter(homes.values()), defaultdict[ZoneName, list[Load]](list)
    for place, node in enumerate(nodes):
        of_zones[zone_of(node, zones)].append((counts[node], place, node))
    emptiest = Emptiest(of_zones)
    for task in ends:
        homes |= {replica_name(task, number): node for number, node in enumerate(emptiest.take(ENDS))}
    return homes


def zone_of(node: NodeName, zones: Mapping[NodeName, ZoneName]) -> ZoneName:
    """A node that is in none is one of its own."""
    return zones.get(node, ZoneName(node))


def packed(
    homes: Mapping[ReplicaName, NodeName],
    nodes: Sequence[NodeName],
    per_node: int | None,
    *,
    by_content: bool = False,
    alone: Collection[OperatorName] = (),
) -> tuple[Placed, ...]:
    """So many workers a node, each with its share of the node's replicas; None: a worker for each replica.

    `alone`: operators whose replicas share a worker with nobody, in any case.
    """
    placed: list[Placed] = []
    on_nodes = defaultdict[NodeName, list[ReplicaName]](list)
    for replica, on in homes.items():
        on_nodes[on].append(replica)
    for node in nodes:
        here = sorted(on_nodes[node]) if by_content else on_nodes[node]  # a plan that was read again may have them in another order
        single = [(replica,) for replica in here if operator_of(task_of(replica)) in alone]
        others = [replica for replica in here if (replica,) not in single]
        count = len(others) if per_node is None else min(per_node, len(others))
        shares = [*(tuple(others[index::count]) for index in range(count)), *single]
        placed += [
            Placed(content_name(node, share) if by_content else worker_name(node, index), node, share) for index, share in enumerate(shares)
        ]
    return tuple(placed)


def content_name(node: NodeName, share: tuple[ReplicaName, ...]) -> WorkerName:
    """Where a plan may be followed by another, a worker that has become another one must not be taken for it."""
    who = share[0].replace("/", "-") if len(share) == 1 else blake2b(" ".join(share).encode(), digest_size=4).hexdigest()
    return WorkerName(f"{node}-{who}")


def refuge(
    homeless: Sequence[ReplicaName],
    homes: Mapping[ReplicaName, NodeName],
    living: Sequence[NodeName],
    loads: Mapping[ReplicaName, float],
    capacities: Mapping[NodeName, float],
    zones: Mapping[NodeName, ZoneName],
) -> dict[NodeName, tuple[ReplicaName, ...]]:
    """A new node for each replica that has lost its own, the heaviest first, in a zone without its task where there is one with a node.
    None for one whose task already lives wherever it could go."""
    counts, of_tasks = Counter[NodeName](), defaultdict[TaskId, set[NodeName]](set)
    used = defaultdict[NodeName, float](float)
    places = {node: place for place, node in enumerate(living)}

    def settle(replica: ReplicaName, node: NodeName) -> None:
        counts[node] += 1
        used[node] += loads.get(replica, 0.0)
        of_tasks[task_of(replica)].add(node)

    def fullness(node: NodeName) -> tuple[float, int, int]:
        return used[node] / capacities.get(node, 1.0), counts[node], places[node]

    for replica, node in homes.items():
        settle(replica, node)
    found: dict[NodeName, tuple[ReplicaName, ...]] = {}
    for replica in sorted(homeless, key=lambda one: -loads.get(one, 0.0)):
        taken = of_tasks[task_of(replica)]
        free = [node for node in living if node not in taken] or ([] if taken else list(living))
        if free:
            near = {zone_of(node, zones) for node in taken}
            node = min(free, key=lambda one: (zone_of(one, zones) in near, fullness(one)))
            settle(replica, node)
            found[node] = (*found.get(node, ()), replica)
    return found


def next_worker(node: NodeName, known: Iterable[WorkerName]) -> WorkerName:
    """A name that no worker of this node has had."""
    names = set(known)
    return next(name for number in range(len(names) + 1) if (name := worker_name(node, number)) not in names)
