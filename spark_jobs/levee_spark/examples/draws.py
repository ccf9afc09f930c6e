"""Made-up data that is the same everywhere: row number n is a function of the seed and of n, and an epoch is a slice of the rows.

Why: every replica must read the same epoch, on any machine and after any restart, and two runs are compared row by row. So there is
no generator whose state is carried on, but a hash of the row's number, and arithmetic that is exact in IEEE 754: sin, exp and log may
differ in their last bit from one processor to the next, so nothing that matters in its last bit goes through them.
Called by: the generators beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Numbers = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]

GOLDEN = 0x9E3779B97F4A7C15  # the odd number nearest to 2^64 / golden ratio: multiples of it are spread most evenly
WORD = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Pace:
    """What all generators are told: which of the possible streams, how many rows of it, cut how. The first epoch is 1."""

    seed: int
    rate_per_s: int
    period_ms: int

    @classmethod
    def of(cls, options: Mapping[str, str], *, rate_per_s: int) -> "Pace":
        """Options that nobody has set: seed 1, the rate of the paper, four epochs a second."""
        pace = cls(int(options.get("seed", "1")), int(options.get("ratePerS", rate_per_s)), int(options.get("periodMs", "250")))
        if pace.rate_per_s < 1 or pace.period_ms < 1:
            raise ValueError(f"ratePerS and periodMs must be at least 1, not {pace.rate_per_s} and {pace.period_ms}.")
        return pace

    def rows_before(self, epoch: int) -> int:
        return (epoch - 1) * self.period_ms * self.rate_per_s // 1000

    def start_us(self, epoch: int) -> int:
        return (epoch - 1) * self.period_ms * 1000


def numbered(first: int, end: int, task: int, tasks: int) -> Numbers:
    """The rows of [first, end) that are this task's: every task has its share of every epoch, and no row is another's, too."""
    return np.arange(first + (task - first) % tasks, end, tasks, dtype=np.int64)


def times_us(numbers: Numbers, first: int, end: int, start_us: int, period_us: int) -> Numbers:
    """When each row of an epoch happened: evenly within it, so that time rises with the number."""
    return start_us + (numbers - first) * period_us // max(1, end - first)


def bits(seed: int, column: str, numbers: Numbers) -> npt.NDArray[np.uint64]:
    """64 even bits per row and column: splitmix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators)."""
    z = numbers.astype(np.uint64) * np.uint64(GOLDEN) + np.uint64(stirred(seed, column))
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: npt.NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


def stirred(seed: int, column: str) -> int:
    """Where a column of a seed starts: not `hash`, which differs from process to process."""
    start = seed
    for letter in column.encode():
        start = ((start ^ letter) * GOLDEN + 1) & WORD
        start ^= start >> 29
    return start


def uniform(seed: int, column: str, numbers: Numbers) -> Shares:
    """Even in [0, 1)."""
    share: Shares = (bits(seed, column, numbers) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return share


def below(seed: int, column: str, numbers: Numbers, end: int) -> Numbers:
    """Even in 0 .. end - 1."""
    return (uniform(seed, column, numbers) * end).astype(np.int64)


def bell(seed: int, column: str, numbers: Numbers) -> Shares:
    """About normal, mean 0 and deviation 1, never beyond 3.5: four even halves of 16 bits, added."""
    halves = bits(seed, column, numbers)
    total = sum((halves >> np.uint64(shift)) & np.uint64(0xFFFF) for shift in (0, 16, 32, 48))
    # The sum of four uniforms on [0, 1) has mean 2 and variance 1/3.
    return (np.asarray(total, dtype=np.float64) * 2.0**-16 - 2) * 1.7320508075688772


def wave(time: Shares) -> Shares:
    """A triangle between -1 and 1 with period 1, instead of a sine."""
    triangle: Shares = 4 * np.abs(time - np.floor(time + 0.5)) - 1
    return triangle


@cache
def zipf_ends(count: int, exponent: float) -> npt.NDArray[np.uint64]:
    """Where each of `count` ranks ends on a line of 2^32: rank k has a share like 1 / k^exponent. Rounded, for powers differ, too."""
    ends = np.cumsum(np.arange(1, count + 1, dtype=np.float64) ** -exponent)
    places: npt.NDArray[np.uint64] = np.rint(ends / ends[-1] * 2**32).astype(np.uint64)
    return places


def zipf(seed: int, column: str, numbers: Numbers, count: int, exponent: float) -> Numbers:
    """Ranks 0 .. count - 1, the first the most frequent."""
    places = bits(seed, column, numbers) >> np.uint64(32)
    return np.searchsorted(zipf_ends(count, exponent), places, side="right").astype(np.int64)


@cache
def names(form: str, count: int) -> pa.Array:
    """Texts to choose from; taking from them is many times faster than formatting each row's."""
    return pa.array([form.format(i) for i in range(count)])


def timestamps(times: Numbers) -> pa.Array:
    return pa.array(times, type=pa.timestamp("us", tz="UTC"))
