"""The topology a user declared, as frozen values: graph, descriptor, nodes and what is wanted.

Why: everything behind the parser works on these, so that no layer below has to check input again.
Called by: topology.convert, which makes them from the validated spec; planning.expand and the command line, which read them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from levee.topology.names import ConfigurationName, NodeName, OperatorName, ZoneName


class Late(StrEnum):
    """What happens to a stream whose epoch is late (DESIGN: one policy per stream)."""

    WAIT = "wait"
    SKIP = "skip"
    TENTATIVE = "tentative"
    PREDICT = "predict"


class Partitioning(StrEnum):
    """How the tasks of two neighbouring operators are wired."""

    ONE_TO_ONE = "one-to-one"
    SPLIT = "split"
    MERGE = "merge"
    FULL = "full"


class Strategy(StrEnum):
    """Which plan is wanted; `assessed` joins when campaigns exist."""

    NONE = "none"
    STATIC = "static"
    GREEDY = "greedy"
    COMPLETENESS = "completeness"
    FIDELITY = "fidelity"


class FailureModel(StrEnum):
    """Against which failures the promise holds."""

    PESSIMISTIC = "pessimistic"  # every task keeps one replica, and the wrong one
    NODE = "node"  # any single node is lost
    ZONE = "zone"  # any single zone is lost


@dataclass(frozen=True, slots=True)
class RateLevel:
    name: str  # "low"; "c0", "c1" ... where the user gave none
    rows_per_s: float
    probability: float


@dataclass(frozen=True, slots=True)
class Source:
    name: OperatorName
    levels: tuple[RateLevel, ...]
    parallelism: int
    shares: tuple[float, ...]  # of the source's rows, per task; they add up to 1
    late: Late


@dataclass(frozen=True, slots=True)
class Input:
    origin: OperatorName
    partitioning: Partitioning
    selectivity: float
    cost_s: float  # CPU seconds per row
    columns: tuple[str, ...] = ()  # by which full partitioning tells rows apart


@dataclass(frozen=True, slots=True)
class Operator:
    name: OperatorName
    inputs: tuple[Input, ...]
    parallelism: int
    shares: tuple[float, ...]  # of each full or split input, per task; they add up to 1
    correlated: bool
    late: Late
    repeatable: bool = True  # replicas compute the same


@dataclass(frozen=True, slots=True)
class Sink:
    name: OperatorName
    origin: OperatorName


@dataclass(frozen=True, slots=True)
class Configuration:
    """One combination of source rates and how much of the time it holds."""

    name: ConfigurationName
    probability: float
    rows_per_s: Mapping[OperatorName, float]  # per source


@dataclass(frozen=True, slots=True)
class Node:
    name: NodeName
    zone: ZoneName
    capacity_cores: float


@dataclass(frozen=True, slots=True)
class Target:
    """What the plan must reach; exactly one of completeness, fidelity and budget."""

    completeness: float | None = None
    fidelity: float | None = None
    budget: int | None = None  # active replicas beyond one per task
    penalty: float | None = None  # CPU seconds per window for each whole unit of completeness that is missing
    reserve: float | None = None  # share of the window that changes between configurations may take

    @property
    def planned(self) -> float | None:
        """The completeness that a plan needs, so that what is promised is left when replicas have to catch up now and then."""
        return None if self.completeness is None else min(1.0, self.completeness / (1 - (self.reserve or 0.0)))


@dataclass(frozen=True, slots=True)
class FaultTolerance:
    strategy: Strategy
    replicas: int
    target: Target
    failures: FailureModel
    window_s: float


@dataclass(frozen=True, slots=True)
class Timing:
    """How often something is written to the store, and how long it stays."""

    period_s: float = 0.25
    checkpoint_every: int = 20  # epochs
    retention_s: float = 600.0
    failure_timeout_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Topology:
    name: str
    namespace: str
    sources: tuple[Source, ...]
    operators: tuple[Operator, ...]  # in topological order, names breaking ties as declared
    sinks: tuple[Sink, ...]
    configurations: tuple[Configuration, ...]
    wanted: FaultTolerance
    nodes: tuple[Node, ...]  # empty: to be named by whoever plans
    capacity_cores: float  # of a node that does not say otherwise
    pinned: Mapping[str, tuple[NodeName, ...]]  # operator or task id -> the nodes of its replicas, in order
    timing: Timing = Timing()
