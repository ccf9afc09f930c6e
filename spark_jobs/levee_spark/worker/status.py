"""What a replica is doing, for whoever asks: /state, /metrics, the log.

Why: the roles report, nobody's decision depends on it; so this may be read at any time and is never waited for.
Called by: replica and phases (write), serve and metrics (read).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from levee_spark.worker.judging import Processed

BOUNDS_S = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)


class Doing(StrEnum):
    STARTING = "starting"
    IDLE = "idle"  # not active in the configuration in force: its session is warm
    RUNNING = "running"
    FAILED = "failed"
    STOPPED = "stopped"


class Phase(StrEnum):
    """Where the time of an epoch goes."""

    WAIT = "wait"  # until the inputs are there, or a source's epoch is due
    READ = "read"  # asking the store for them
    COMPUTE = "compute"  # an operator's function, or taking in a source's rows
    DELIVER = "deliver"  # a sink, to what lies outside
    HOLD = "hold"  # leaving the first word to the primary
    COMMIT = "commit"  # putting the epoch, and seeing whose it is
    PUBLISH = "publish"  # a checkpoint, in the epochs that have one
    FORK = "fork"  # taking a state from a checkpoint, in the epochs that follow one


@dataclass(slots=True)
class Histogram:
    """Of seconds; what Prometheus wants of it."""

    buckets: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    total_s: float = 0.0

    def observe(self, seconds: float) -> None:
        self.buckets[sum(seconds > bound for bound in BOUNDS_S)] += 1
        self.total_s += seconds

    def cumulative(self) -> Iterator[tuple[str, float]]:
        count = 0
        for bound, here in zip((*map(str, BOUNDS_S), "+Inf"), list(self.buckets), strict=True):
            count += here
            yield bound, count


@dataclass(slots=True)
class Passed:
    """What has gone through, of one stream in one direction."""

    rows: int = 0
    epochs: int = 0

    def add(self, rows: int) -> None:
        self.rows, self.epochs = self.rows + rows, self.epochs + 1


@dataclass(slots=True)
class Status:
    replica: str
    task: str
    doing: Doing = Doing.STARTING
    epoch: int = 0
    rank: int | None = None
    last: str = "none"
    read: dict[str, Passed] = field(default_factory=dict)  # by stream
    emitted: Passed = field(default_factory=Passed)  # or delivered, whoever committed it
    offered: int | None = None  # rows that a source could have taken in, as it tells
    waiting: int | None = None  # rows that wait in it now, as it tells; None: it does not
    paced: bool = False  # its rows fall due epoch by epoch, so that the lag says how many wait
    rows_per_s: float = 0.0
    measured: bool = False  # whether that is so now
    offered_per_s: float | None = None  # at a source
    offered_most: int = 0  # that was told: what waits is an estimate, and a counter never falls
    lag_epochs: int = 0
    error: str = ""
    waits: str = ""  # what a source waits for outside of its topology
    lacks: str = ""  # what it needs and cannot read, and what to do about that
    lacks_until: int = 0  # the epoch with which it has got past that
    ended: bool = False  # all rows that will ever come have been computed
    counts: dict[str, int] = field(default_factory=dict)  # of what roles report: won, lost, diverged, adopts, skips, forks again, ...
    phases: dict[Phase, Histogram] = field(default_factory=dict)
    processed: Processed = field(default_factory=Processed)  # of an operator
    record: int = 0  # the newest control record that it has read
    record_ms: int = 0  # when, by its own clock
    forked_ms: int | None = None  # when it has taken a state from a checkpoint last

    @property
    def waiting_rows(self) -> int | None:
        """At a source, now; None: nobody knows."""
        if self.paced and self.emitted.epochs:
            return round(self.lag_epochs * self.emitted.rows / self.emitted.epochs)
        return self.waiting

    @property
    def offered_rows(self) -> int | None:
        """What was taken in, and what waits."""
        if self.offered is None or not self.paced:
            return self.offered
        return max(self.offered_most, self.offered + (self.waiting_rows or 0))

    @property
    def operator(self) -> str:
        """The stream that it emits bears its name."""
        return self.task.rpartition("/")[0]

    def heard(self, record: int, now_ms: int) -> None:
        if record > self.record:
            self.record, self.record_ms = record, now_ms

    def needs(self, what: str, until: int) -> None:
        self.lacks, self.lacks_until = what, until

    def came_to(self, epoch: int) -> None:
        self.epoch = epoch
        if epoch >= self.lacks_until:
            self.needs("", 0)

    def took(self, phase: Phase, seconds: float) -> None:
        self.phases.setdefault(phase, Histogram()).observe(seconds)
