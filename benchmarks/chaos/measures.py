"""What is read off a stream and its output after a fault: late epochs, and rows that are missing, or there twice.

Called by: replicas, plain; pure.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

Rows = Sequence[str]


@dataclass(frozen=True, slots=True)
class Compared:
    epochs: int
    rows: int  # that should be there
    lost: int
    duplicated: int  # or never asked for
    differing: int  # epochs

    def document(self) -> dict[str, int]:
        return asdict(self)


def late(stamps: Mapping[int, float], fault_ms: float, period_ms: int, even: int) -> int:
    """Epochs after the fault that came more than a period later than those before it did."""
    before = [at - epoch * period_ms for epoch, at in stamps.items() if at <= fault_ms][-even:]
    if not before:
        return 0
    usual = median(before)
    return sum(at > fault_ms and at - epoch * period_ms - usual > period_ms for epoch, at in stamps.items())


def compared(found: Mapping[int, Rows], golden: Mapping[int, Rows], epochs: Iterable[int]) -> Compared:
    """Row by row, epoch by epoch. Within an epoch order means nothing."""
    wanted = list(epochs)
    pairs = [(Counter(found.get(epoch, ())), Counter(golden.get(epoch, ()))) for epoch in wanted]
    lost, more = (sum((one - other).total() for one, other in both) for both in ([(g, f) for f, g in pairs], pairs))
    differing = sum(one != other for one, other in pairs)
    return Compared(len(wanted), sum(one.total() for _, one in pairs), lost, more, differing)
