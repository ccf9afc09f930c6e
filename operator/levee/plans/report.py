"""What a planned topology looks like to its user: one value that the table, the documents and the drawing are made from.

Why: every output says the same, because none of them computes anything.
Called by: plans.measure, which makes it; the renderers, which only read it. Its field names are those of docs/plan-output.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from levee.planning.result import Status


@dataclass(frozen=True, slots=True)
class Copy:
    """One active replica."""

    task: str
    replica: int


@dataclass(frozen=True, slots=True)
class NodePart:
    """A node in one configuration."""

    name: str
    zone: str
    load_cores: float
    capacity_cores: float
    load_share: float
    overloaded: bool
    active: tuple[Copy, ...]


@dataclass(frozen=True, slots=True)
class ConfigurationPart:
    name: str
    probability: float
    rows_per_s: dict[str, float]  # per source
    nodes: tuple[NodePart, ...]


@dataclass(frozen=True, slots=True)
class Overload:
    configuration: str
    node: str
    load_share: float


@dataclass(frozen=True, slots=True)
class Price:
    """A plan as one line: what it guarantees and what that costs."""

    name: str
    completeness: float
    fidelity: float
    cores: float
    cpu_hours_per_window: float
    overloads: tuple[Overload, ...]


@dataclass(frozen=True, slots=True)
class Search:
    """How the plan was found, and how sure it is that there is no better one."""

    strategy: str
    says: str
    objective_is: str  # "cores", "fidelity", ...
    status: Status
    objective: float | None
    bound: float | None
    gap: float | None
    seconds: float
    interrupted: bool
    verified_by: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    completeness: float | None
    reserve: float | None  # share of the window that changes between configurations may take
    fidelity: float | None
    budget: int | None
    penalty_s: float | None  # CPU seconds per window for each whole unit of completeness that is missing
    failures: str
    node_failure_probability: float | None
    objective: str | None  # of a plan for a budget: completeness | fidelity


@dataclass(frozen=True, slots=True)
class Size:
    tasks: int
    replicas: int
    nodes: int
    configurations: int
    window_s: float


@dataclass(frozen=True, slots=True)
class Guarantee:
    completeness: float
    worst_failure: str
    fidelity: float
    budget_used: int  # most active replicas beyond one per task in any configuration
    expected_completeness: float | None
    expected_half_width: float | None


@dataclass(frozen=True, slots=True)
class Store:
    """How often the running plan asks its store, in mean over the configurations."""

    puts_per_s: float  # and lists
    gets_per_s: float
    usd_per_month: float
    at_price: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the plan is what was asked for; if not, why not and what can be had instead."""

    met: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OperatorLoss:
    """Rows per second that an operator processes in time, or a sink is delivered in time, before and after a failure."""

    name: str
    kind: str  # operator | sink
    configuration: str  # "average" over all of them
    before_rows_per_s: float
    after_rows_per_s: float
    kept_share: float


@dataclass(frozen=True, slots=True)
class Failure:
    """What is lost when these fail together, until they are back."""

    failed: tuple[str, ...]
    outside_model: tuple[str, ...]  # source tasks that the failure model never loses
    tasks_lost: Mapping[str, tuple[str, ...]]  # per configuration; sources are tasks here
    losses: tuple[OperatorLoss, ...]
    completeness: float
    fidelity: float
    guarantee_holds: bool
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    topology: str
    namespace: str
    wanted: Wanted
    size: Size
    nodes_from: str  # where the nodes are from, as a sentence's end
    placement: dict[str, tuple[str, ...]]
    replicated: tuple[str, ...] | None  # a fidelity plan's choice; sources are tasks there
    verdict: Verdict
    configurations: tuple[ConfigurationPart, ...]
    guarantee: Guarantee | None
    price: Price | None
    compared: tuple[Price, ...]  # none and static
    search: Search
    failure: Failure | None = None
    store: Store | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """One level of guarantee and the least it costs."""

    completeness: float
    fidelity: float
    budget: int
    cores: float
    cpu_hours_per_window: float
    cores_under: dict[str, float | None]  # the same promise under other failure models; None: it cannot be made
    status: Status
    gap: float | None
    is_knee: bool = False
    unproven_under: tuple[str, ...] = ()  # where a cost under other failures may not be the least


@dataclass(frozen=True, slots=True)
class Frontier:
    topology: str
    namespace: str
    guarantee: str  # completeness | fidelity: what the levels are levels of
    failures: str
    size: Size
    nodes_from: str
    levels: tuple[Level, ...]
    knee: str | None  # a sentence
    compared: tuple[Price, ...]
    strategy: str
    seconds: float
    interrupted: bool
    complete: bool  # not interrupted, and every level is proven to be the most for its price, and at its least price
    verified_by: str
    budgets_tried: int | None = None  # of a fidelity's: there may be levels between those
    budgets_in_all: int | None = None
    remarks: tuple[str, ...] = ()  # why there is no knee, and which level the target is
