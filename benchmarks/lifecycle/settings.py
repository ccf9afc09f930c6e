"""What a run of the lifecycle bench covers: everything that decides its figures, in one value.

Called by: every module of this package.
"""

from dataclasses import dataclass

from benchmarks.lifecycle import rws
from benchmarks.lifecycle.resources import TASKS

CORES_USED_MAX = 0.3  # a measurement that began while others used more than this is flagged


@dataclass(frozen=True, slots=True)
class Size:
    """A row of the table: topologies of 31 tasks each, or those that import each other's streams."""

    nodes: int
    topologies: int
    crashes: int  # of the operator
    imports: bool = False

    def __str__(self) -> str:
        told = " that import each other's streams" if self.imports else ""
        return (
            f"{self.topologies} {'topology' if self.topologies == 1 else 'topologies'}{told} on {self.nodes} nodes, {self.crashes} crashes"
        )


@dataclass(frozen=True, slots=True)
class Mode:
    name: str
    rows: tuple[Size, ...]
    turn_tasks: tuple[int, ...]
    turns: int
    kills: int  # of a primary's pod, for each way of coming back
    patience_s: float  # to wait for a quiet machine before each measurement

    def describe(self) -> str:
        rows = "; ".join(map(str, self.rows))
        return f"{self.name}: {rows}; {self.turns} turns of {', '.join(map(str, self.turn_tasks))} tasks; {self.kills} pods killed each way"


@dataclass(frozen=True, slots=True)
class Published:
    """A row of the paper's Figure 8: means of ten runs, in seconds."""

    test: str
    nodes: int
    tasks: int
    start_s: float
    recover_s: float


PUBLISHED = (
    Published("1", 10, 31, 2.0, 7.6),
    Published("2", 10, 310, 9.1, 8.8),
    Published("3", 30, 310, 9.1, 8.0),
    Published("4", 30, 930, 26.3, 15.1),
    Published("5", 90, 930, 33.9, 16.2),
    Published("6 (RWS)", 90, 737, 27.0, 15.4),
)
CRASHES, CRASHES_OF_LARGE = 4, 3
SIZES = tuple(Size(row.nodes, row.tasks // TASKS, CRASHES) for row in PUBLISHED if row.tasks != rws.TASKS)
IMPORTING = Size(90, rws.TOPOLOGIES, CRASHES, imports=True)
LARGE = Size(1000, 323, CRASHES_OF_LARGE)  # 10,013 tasks; last, so that all else is there by then

FULL = Mode(name="full", rows=(*SIZES, IMPORTING, LARGE), turn_tasks=(100, 300, 1000, 3000, 10_000), turns=30, kills=6, patience_s=60)
QUICK = Mode(name="quick", rows=(Size(10, 1, 2), Size(10, 10, 2)), turn_tasks=(100, 1000), turns=10, kills=2, patience_s=0)
