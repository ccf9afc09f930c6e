"""What a run of the chaos bench covers: everything that decides its figures, in one value.

Called by: every module of this package.
"""

from dataclasses import dataclass

from benchmarks.cluster.trades import CHECKPOINT_EVERY, STRATEGIES, replay

PERIOD_MS, ROWS_PER_EPOCH = 1000, 100
OPTIONS = replay(2 * ROWS_PER_EPOCH, 500)  # half a second of the market in each epoch: enough trades that none is without one
EVEN_EPOCHS, AFTER_EPOCHS = CHECKPOINT_EVERY + 4, 4  # before each fault, and after it
WAYS = {"active": "active replica", "checkpoint": "restart from a checkpoint", "plain": "Spark alone, pod restarted"}
STRATEGY = dict(zip(("active", "checkpoint"), STRATEGIES, strict=True))


@dataclass(frozen=True, slots=True)
class Mode:
    name: str
    times: int  # each fault, for each way
    golden_epochs: int  # of the undisturbed run; no life is longer
    patience_s: float  # to wait for a quiet machine before each way

    def describe(self) -> str:
        return f"{self.name}: each fault {self.times} times for each way"


FULL = Mode(name="full", times=2, golden_epochs=3000, patience_s=30)
QUICK = Mode(name="quick", times=1, golden_epochs=600, patience_s=0)
