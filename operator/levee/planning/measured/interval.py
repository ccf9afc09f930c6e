"""Estimates with an interval that they lie in for 95 %: the jackknife over blocks.

Why: epochs that follow each other are alike, and windows let out in jerks, so no formula for independent samples would be honest. Leaving
out one stretch of time after another asks each estimate how much it depends on when it was looked.
Called by: levels, per_row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Floats], Sequence[float] | None]  # of rows in the order of time; None: they do not tell

BLOCKS, BLOCKS_MIN = 10, 5
STUDENT = {5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}  # 95 % of Student's distribution, by the number of blocks


@dataclass(frozen=True, slots=True)
class Estimate:
    value: float
    low: float | None = None  # None: there is too little to say how sure it is
    high: float | None = None

    @property
    def spread(self) -> float:
        """Half of the interval, relative to the value."""
        if self.low is None or self.high is None or self.value <= 0:
            return float("inf")
        return (self.high - self.low) / 2 / self.value

    def holds(self, value: float) -> bool:
        """Whether the interval has it: then nothing says that it is another."""
        return self.low is None or self.high is None or self.low <= value <= self.high

    def times(self, factor: float) -> "Estimate":
        if self.low is None or self.high is None:
            return Estimate(self.value * factor)
        return Estimate(self.value * factor, self.low * factor, self.high * factor)


def estimated(rows: Floats, statistic: Statistic) -> tuple[Estimate, ...] | None:
    """None where the rows do not tell. Nothing here is ever below zero."""
    values = statistic(rows)
    if values is None:
        return None
    spreads = half_widths(rows, statistic)
    if spreads is None:
        return tuple(map(Estimate, values))
    return tuple(around(value, half) for value, half in zip(values, spreads, strict=True))


def around(value: float, half: float) -> Estimate:
    """Not a number: all of it happened in one stretch."""
    return Estimate(value) if isnan(half) else Estimate(value, max(0.0, value - half), value + half)


def half_widths(rows: Floats, statistic: Statistic) -> Sequence[float] | None:
    count = min(BLOCKS, len(rows))
    if count < BLOCKS_MIN:
        return None
    without = [statistic(np.delete(rows, block, axis=0)) for block in np.array_split(np.arange(len(rows)), count)]
    told = [one for one in without if one is not None]
    if len(told) < count:
        return None
    found = np.array(told)
    variance = (count - 1) / count * ((found - found.mean(axis=0)) ** 2).sum(axis=0)
    return [float(STUDENT[count] * one) for one in np.sqrt(variance)]
