"""What a replica is doing, for whoever asks: /state, /metrics, the log.

Why: the roles report, nobody's decision depends on it; so this may be read at any time and is never waited for.
Called by: replica (writes), serve and metrics (read).
"""

from dataclasses import dataclass, field
from enum import StrEnum


class Doing(StrEnum):
    STARTING = "starting"
    IDLE = "idle"  # not active in the configuration in force: its query is stopped, its session warm
    RUNNING = "running"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(slots=True)
class Status:
    replica: str
    task: str
    doing: Doing = Doing.STARTING
    epoch: int = 0
    rank: int | None = None
    last: str = "none"
    rows: int = 0  # emitted or delivered, in all
    rows_in: int = 0
    epochs: int = 0
    rows_per_s: float = 0.0
    lag_epochs: int = 0
    error: str = ""
    counts: dict[str, int] = field(default_factory=dict)  # of what roles report: won, lost, diverged, adopts, skips, forks again, ...
    seconds: dict[str, float] = field(default_factory=dict)  # by phase: compute, hold, ...
