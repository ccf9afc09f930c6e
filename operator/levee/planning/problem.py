"""The planning problem at the level of tasks: what every optimiser is given, and what it gives back.

Why: the optimisers compete on one model, so that their plans can be compared and verified alike.
Called by: planning.expand, which makes a Problem from a Topology; every optimiser, verifier and evaluator.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from levee.topology.graph import Configuration, FailureModel, Late, Node
from levee.topology.names import NodeName, OperatorName, TaskId


@dataclass(frozen=True, slots=True)
class Edge:
    """Rows that a task reads from another: the fraction of the producer's output that reaches this consumer."""

    producer: TaskId
    selectivity: float
    cost_s: float  # CPU seconds per row
    fraction: float = 1.0


@dataclass(frozen=True, slots=True)
class SourceTask:
    id: TaskId
    operator: OperatorName
    rows_per_s: tuple[float, ...]  # one rate per configuration, in their order
    late: Late = Late.WAIT


@dataclass(frozen=True, slots=True)
class Task:
    id: TaskId
    operator: OperatorName
    inputs: tuple[Edge, ...]
    late: Late = Late.WAIT
    correlated: bool = False
    repeatable: bool = True  # else one replica of it is active, as two would differ


@dataclass(frozen=True)
class Problem:
    """Tasks in topological order, the configurations they live through, and where their replicas stand."""

    sources: tuple[SourceTask, ...]
    tasks: tuple[Task, ...]
    configurations: tuple[Configuration, ...]
    nodes: tuple[Node, ...]
    placement: Mapping[TaskId, tuple[NodeName, ...]]  # the node of replica 0, 1, ... of each task
    replicas: int
    window_s: float = 3600.0
    sinks: tuple[TaskId, ...] = ()  # the tasks whose output is delivered

    @cached_property
    def task_index(self) -> Mapping[TaskId, int]:
        return {task.id: index for index, task in enumerate(self.tasks)}

    @cached_property
    def node_index(self) -> Mapping[NodeName, int]:
        return {node.name: index for index, node in enumerate(self.nodes)}


Active = tuple[tuple[frozenset[int], ...], ...]  # [configuration][task] -> the active replicas' numbers


@dataclass(frozen=True, slots=True)
class Plan:
    """The activation for every configuration and the placement that it is meant for."""

    active: Active
    placement: Mapping[TaskId, tuple[NodeName, ...]]


@dataclass(frozen=True, slots=True)
class Goal:
    """What a completeness plan must reach; with a penalty the shortfall is paid for instead of forbidden."""

    completeness: float
    failures: FailureModel = FailureModel.PESSIMISTIC
    penalty: float | None = None  # CPU seconds per window for each whole unit of completeness that is missing
