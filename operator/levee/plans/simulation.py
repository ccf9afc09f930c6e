"""What a simulation has shown: one value that the table, the documents and the plot are made from.

Called by: plans.simulating, which makes it; the renderers, which only read it. Its field names are those of docs/simulate.md.
"""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    KEPT = "kept"  # what was promised, and that is what was asked for
    BELOW_TARGET = "belowTarget"  # what was promised was kept, and the plan is not what was asked for
    BROKEN = "broken"  # less than was promised


@dataclass(frozen=True, slots=True)
class ConfigurationPlayed:
    """The time in which the trace had the rates of one configuration."""

    name: str
    seconds: float
    share: float  # of the trace
    in_force_seconds: float  # in which the controller held this one for the right one, whatever the trace had
    completeness: float
    promised: float
    due_rows: float
    processed_rows: float
    lost_rows: float
    dropped_rows: float
    cores: float


@dataclass(frozen=True, slots=True)
class HappeningShown:
    at_seconds: float
    subject: str
    text: str
    grave: bool


@dataclass(frozen=True, slots=True)
class Point:
    """One second."""

    at_seconds: float
    configuration: str | None  # in force
    active_replicas: int
    offered_rows_per_s: float
    delivered_rows_per_s: float
    lost_rows_per_s: float
    cores: float


@dataclass(frozen=True, slots=True)
class Simulation:
    topology: str
    namespace: str
    strategy: str
    says: str
    nodes_from: str
    seed: int
    failed: tuple[str, ...]
    seconds: float
    beyond_seconds: float  # in which the input was above every declared configuration
    completeness: float
    promised: float  # for the configurations as long as the trace had them
    verdict: Verdict
    kept: bool  # whatever the plan promises
    plan_completeness: float  # that it promises for the declared shares of the time, beside what was asked for
    target: str  # in words
    met: bool  # the plan is what was asked for
    shortcomings: tuple[str, ...]  # why not
    due_rows: float
    processed_rows: float
    lost_rows: float
    dropped_rows: float
    delivered_rows: float
    cores: float
    capacity_cores: float
    failovers: int
    switches: int
    uncomputed_task_seconds: float
    configurations: tuple[ConfigurationPlayed, ...]
    happenings: tuple[HappeningShown, ...]
    points: tuple[Point, ...]
