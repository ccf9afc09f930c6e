"""What a run of the lifecycle bench covers: everything that decides its figures, in one value.

Called by: every module of this package.
"""

from dataclasses import asdict, dataclass

from benchmarks.lifecycle.resources import TASKS

CORES_USED_MAX = 0.3  # a measurement that began while others used more than this is flagged


@dataclass(frozen=True, slots=True)
class Mode:
    name: str
    rows: tuple[tuple[int, int], ...]  # nodes, topologies of 31 tasks each
    crashes: int  # of the operator, in each row
    turn_tasks: tuple[int, ...]
    turns: int
    patience_s: float  # to wait for a quiet machine before each measurement

    def describe(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in asdict(self).items())


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
IMPORTING = PUBLISHED[-1]  # 104 topologies that import each other's streams
SIZES = tuple((row.nodes, row.tasks // TASKS) for row in PUBLISHED if row is not IMPORTING)
LARGE = (1000, 323)  # 10,013 tasks

FULL = Mode(name="full", rows=(*SIZES, LARGE), crashes=5, turn_tasks=(100, 300, 1000, 3000, 10_000), turns=10, patience_s=60)
QUICK = Mode(name="quick", rows=((10, 1), (10, 10)), crashes=2, turn_tasks=(100, 1000), turns=3, patience_s=0)
