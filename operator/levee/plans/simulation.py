"""What a simulation has shown: one value that the table, the documents and the plot are made from.

Called by: plans.simulating, which makes it; the renderers, which only read it. Its field names are those of docs/simulate.md.
"""

from dataclasses import dataclass


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
    kept: bool
    shortcomings: tuple[str, ...]  # of the plan: why it does not reach its target
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
