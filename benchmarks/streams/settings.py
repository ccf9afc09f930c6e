"""What a run of the streams bench covers: everything that decides its figures, in one value.

Called by: every module of this package.
"""

from dataclasses import asdict, dataclass

CORES_USED_MAX = 0.3  # a measurement that began while others used more than this is flagged
FUNCTIONS = ("filter", "windowed")
RECOVERY_SCALE = 4  # of the source tasks and of their rates: PPA had 36 machines for its Figure 6
PERIOD_MS = 1000  # of an epoch in the recovery runs: PPA's windows slide by a second


@dataclass(frozen=True, slots=True)
class Mode:
    name: str
    repetitions: int
    patience_s: float  # to wait for a quiet machine before each measurement
    warm_epochs: int
    epochs: int  # of 100 rows
    spark_epochs: tuple[int, int]  # the same for Spark's defaults: without state, and with it, where each takes 10 s here
    large: tuple[tuple[int, int, int], ...]  # rows of an epoch, epochs to warm up, epochs
    watched_s: float  # for requests and density
    densities: tuple[int, ...]
    windows_s: tuple[int, ...]
    rates: tuple[int, ...]  # of PPA's source tasks, rows a second
    checkpoints_s: tuple[int, ...]
    recovery_repetitions: int

    def describe(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in asdict(self).items())


FULL = Mode(
    name="full",
    repetitions=2,
    patience_s=60,
    warm_epochs=300,
    epochs=400,
    spark_epochs=(100, 12),
    large=((100_000, 20, 40), (1_000_000, 4, 10)),
    watched_s=30,
    densities=(1, 12),
    windows_s=(10, 30),
    rates=(1000, 2000),
    checkpoints_s=(1, 5, 15, 30),
    recovery_repetitions=1,
)
QUICK = Mode(
    name="quick",
    repetitions=1,
    patience_s=0,
    warm_epochs=100,
    epochs=100,
    spark_epochs=(30, 6),
    large=((100_000, 8, 12),),
    watched_s=10,
    densities=(1, 12),
    windows_s=(10,),
    rates=(1000,),
    checkpoints_s=(5, 30),
    recovery_repetitions=1,
)
