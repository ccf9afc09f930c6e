"""From a plan to what is wanted: the planner's activation and placement, with the ends of the graph added.

Why: the planner places tasks of operators; who runs a topology must also have ingestors, deliverers, workers and the shape's identity.
Called by: whoever starts a control loop.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from levee.control import placing
from levee.control.names import ReplicaName, replica_name, task_of
from levee.control.wanted import Patience, Wanted
from levee.topology.drawing import drawn
from levee.topology.graph import Topology
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId, ZoneName
from levee_spark.log.values import Shape
from levee_spark.log.wiring import Wiring


@dataclass(frozen=True, slots=True)
class Planned:
    """What a planner has decided."""

    placement: Mapping[TaskId, tuple[NodeName, ...]]
    active: Mapping[ConfigurationName, frozenset[ReplicaName]]  # of operators' tasks
    loads: Mapping[ReplicaName, float]  # cores, in the configuration in which it is most
    capacities: Mapping[NodeName, float]
    zones: Mapping[NodeName, ZoneName] = field(default_factory=dict)  # of nodes that are in one


@dataclass(frozen=True, slots=True)
class Terms:
    """What the resource says beside its graph."""

    functions: tuple[tuple[OperatorName, str], ...]
    cancels: bool = False
    discards: frozenset[OperatorName] = frozenset()
    workers_per_node: int | None = 1  # None: a worker for each replica
    alone: frozenset[OperatorName] = frozenset()  # their replicas share a worker with nobody
    named_by_content: bool = False  # a worker with other replicas in it is another worker


def wanted_of(topology: Topology, wiring: Wiring, planned: Planned, nodes: Sequence[NodeName], terms: Terms) -> Wanted:
    ends = [task for task, wired in wiring.tasks.items() if wired.is_source or wired.sink]
    homes = placing.with_ends(planned.placement, ends, nodes, planned.zones)
    of_ends = frozenset(replica for replica in homes if task_of(replica) in ends)
    return Wanted(
        shape=Shape(tuple(sorted(terms.functions)), graph_identity(topology)),
        sources=wiring.sources(),
        workers=placing.packed(homes, nodes, terms.workers_per_node, by_content=terms.named_by_content, alone=terms.alone),
        configurations=topology.configurations,
        active={name: replicas | of_ends for name, replicas in planned.active.items()},
        patience=Patience(wiring.times.failure_timeout_ms),
        cancels=terms.cancels,
        ends=frozenset(ends),
        discards=terms.discards,
        loads=planned.loads,
        capacities=planned.capacities,
        zones=planned.zones,
    )


def graph_identity(topology: Topology) -> str:
    """Who reads whom, how, and how many they are; streams of another one go on only where all stand still (`worlds.reshaping`)."""
    return drawn(topology)


__all__ = ["Planned", "Terms", "graph_identity", "replica_name", "wanted_of"]
