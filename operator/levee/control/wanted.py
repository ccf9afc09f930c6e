"""What is wanted of a running topology: which replicas there are, where, and which of them are active when.

Why: deciding needs neither YAML nor the planner, only what came out of them.
Called by: whoever starts a control loop (it makes one), and every rule.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from levee.control.names import ReplicaName, WorkerName, task_of
from levee.control.space import Space
from levee.topology.graph import Configuration
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId, ZoneName
from levee_spark.log.values import Shape


@dataclass(frozen=True, slots=True)
class Placed:
    """One worker and the replicas in it, as the plan has them."""

    worker: WorkerName
    node: NodeName
    replicas: tuple[ReplicaName, ...]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the controller waits before it calls something lost; all in milliseconds."""

    failure_ms: int  # a silent node or replica has failed
    start_ms: int = 600_000  # a busy machine starts a JVM in minutes; whoever is not ready by then will not be
    hang_ms: int = 60_000  # a worker that has stopped answering will not answer again
    settle_ms: int = 60_000  # for this long the first epoch waits for the slowest worker
    stable_ms: int = 60_000  # who lived that long died by accident; who did not may die again at once
    backoff_ms: int = 1_000
    backoff_ms_max: int = 30_000
    restarts: int = 6  # in a row, before a worker is given up
    dwell_ms: int = 60_000  # from a step down that was taken back until the next one, and from a gap in the rates


@dataclass(frozen=True, slots=True)
class Wanted:
    shape: Shape
    sources: tuple[TaskId, ...]
    workers: tuple[Placed, ...]
    configurations: tuple[Configuration, ...]
    active: Mapping[ConfigurationName, frozenset[ReplicaName]]  # sources' and sinks' replicas, too
    patience: Patience
    cancels: bool = False  # onFailure: cancel
    ends: frozenset[TaskId] = frozenset()  # sources and sinks
    discards: frozenset[OperatorName] = frozenset()  # state: discard, of what is edited
    loads: Mapping[ReplicaName, float] = field(default_factory=dict)  # cores, at most; ends of the graph weigh nothing
    capacities: Mapping[NodeName, float] = field(default_factory=dict)  # cores
    zones: Mapping[NodeName, ZoneName] = field(default_factory=dict)  # of nodes that are in one
    replicas: Mapping[TaskId, tuple[ReplicaName, ...]] = field(init=False)  # in order, of every task
    whole: "Wanted | None" = field(default=None, repr=False, compare=False)  # of which this is a part
    everyone: frozenset[ReplicaName] = field(init=False, repr=False, compare=False)  # that the plan has; a part knows those of the whole
    space: Space = field(
        default_factory=lambda: Space(()), repr=False, compare=False
    )  # of its configurations: a part has that of the whole

    def __post_init__(self) -> None:
        found: dict[TaskId, list[ReplicaName]] = {}
        for replica in sorted(one for placed in self.workers for one in placed.replicas):
            found.setdefault(task_of(replica), []).append(replica)
        object.__setattr__(self, "replicas", {task: tuple(names) for task, names in found.items()})
        here = frozenset(one for placed in self.workers for one in placed.replicas)
        object.__setattr__(self, "everyone", here if self.whole is None else self.whole.everyone)
        if self.space.configurations is not self.configurations:
            object.__setattr__(self, "space", Space(self.configurations))

    def likeliest(self) -> ConfigurationName:
        return max(self.configurations, key=lambda one: one.probability).name
