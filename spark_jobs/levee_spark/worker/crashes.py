"""How often a function's process was gone at an epoch, and what follows: the machine's doing at first, the function's in the end.

Why: a killed process says nothing of the function, but one that ends its own process would be tried again for ever.
Called by: operating; replica, which keeps the counts from one beginning to the next.
"""

from collections import Counter
from dataclasses import dataclass, field

from levee_spark.lane.trouble import Crashed, Failed, Trouble

CRASHES_MAX = 3  # of one epoch, each in fresh processes: from then on it is the function's doing


class EpochBroke(Exception):
    """The machine did; the same epoch is computed again."""

    def __init__(self, epoch: int, trouble: Trouble) -> None:
        self.epoch = epoch
        super().__init__(f"epoch {epoch}: not computed, and to be tried again: {trouble}")


@dataclass(slots=True)
class Crashes:
    most: int = CRASHES_MAX
    counts: Counter[tuple[str, int]] = field(default_factory=Counter)  # of a function at an epoch

    def blamed(self, function: str, epoch: int, wrong: Failed | Trouble) -> Failed:
        """The function; else it is raised, for no epoch may be sealed by what the machine has done."""
        if isinstance(wrong, Failed):
            return wrong
        self.counts[function, epoch] += isinstance(wrong, Crashed)
        times = self.counts[function, epoch]
        if times < self.most or not isinstance(wrong, Crashed):
            raise EpochBroke(epoch, wrong) from wrong
        why = f"{times} times at this epoch, so it is taken to be the function's doing"
        return Failed(f"the process or the memory it runs in was gone {why}: {wrong}")
