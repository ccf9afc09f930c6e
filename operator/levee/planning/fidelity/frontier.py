"""Cost against value: the best that an operand can reach with so many replicas, and how two operands share them.

Why: wherever operands stand on disjoint tasks, the best of their sum or product follows from their frontiers alone (both are monotone).
Called by: fidelity.relaxation.

Costs are counted in grains, a fixed fraction of a replica, because a shared operand charges each of its uses a part of its cost.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Frontier:
    """`values[i]` is the most that `floor + i` grains can reach; below the floor there is nothing, above the end nothing more."""

    floor: int
    values: Floats

    @property
    def end(self) -> int:
        return self.floor + len(self.values) - 1

    @cached_property
    def top(self) -> float:
        return float(self.values[-1])

    def at(self, grains: int) -> float:
        return float(self.values[min(grains - self.floor, len(self.values) - 1)])

    def cheapest(self, value: float) -> int | None:
        """The least grains that reach the value; None: out of reach."""
        place = int(np.searchsorted(self.values, value - EPSILON))
        return None if place == len(self.values) else self.floor + place

    def scaled(self, factor: float) -> "Frontier":
        return Frontier(self.floor, self.values * factor)

    def powered(self, power: int) -> "Frontier":
        return self if power == 1 else Frontier(self.floor, self.values**power)

    def refined(self, times: int) -> "Frontier":
        """The same in finer grains."""
        if times == 1:
            return self
        return Frontier(self.floor * times, np.repeat(self.values, times)[: (len(self.values) - 1) * times + 1])


EPSILON = 1e-12  # of values, all of which lie between 0 and 1


def constant(value: float) -> Frontier:
    return Frontier(0, np.array([value]))


def best_within(paid: Ints, values: Floats) -> Frontier:
    """The best of these offers for every sum that may be paid."""
    floor = int(paid.min())
    best = np.zeros(int(paid.max()) - floor + 1)
    np.maximum.at(best, paid - floor, values)
    return Frontier(floor, np.maximum.accumulate(best))


def plus(one: Frontier, two: Frontier, limit: int) -> Frontier:
    return _combined(one, two, limit, np.add, -np.inf)


def times(one: Frontier, two: Frontier, limit: int) -> Frontier:
    return _combined(one, two, limit, np.multiply, 0.0)


def _combined(one: Frontier, two: Frontier, limit: int, join: "np.ufunc", nothing: float) -> Frontier:
    """The best split of the grains between the two, for every total up to the limit."""
    short, long = (one.values, two.values) if len(one.values) <= len(two.values) else (two.values, one.values)
    floor = one.floor + two.floor
    if len(short) == 1:
        return Frontier(floor, join(short[0], long)[: max(limit - floor + 1, 1)])
    edge = np.full(len(short) - 1, nothing)
    windows = sliding_window_view(np.concatenate([edge, long, edge]), len(short))[: max(limit - floor + 1, 1)]
    return Frontier(floor, join(windows, short[::-1]).max(axis=1))


Join = Callable[[Frontier, Frontier, int], Frontier]


@dataclass(frozen=True, slots=True)
class Folded:
    """Several operands joined one by one; the steps are kept to find out afterwards who got what."""

    items: Sequence[Frontier]
    steps: tuple[Frontier, ...]
    product: bool

    @property
    def result(self) -> Frontier:
        return self.steps[-1]

    def split(self, grains: int) -> list[int]:
        """How the best use of so many grains divides them among the items, cheapest first where several are best."""
        parts: list[int] = []
        left = min(grains, self.result.end)
        for before, item in zip(reversed(self.steps[:-1]), reversed(self.items[1:]), strict=True):
            part = _best_part(before, item, left, product=self.product)
            parts.append(part)
            left = min(left - part, before.end)
        return [left, *reversed(parts)]


def fold(items: Sequence[Frontier], limit: int, *, product: bool) -> Folded:
    join: Join = times if product else plus
    steps = [items[0]]
    for item in items[1:]:
        steps.append(join(steps[-1], item, limit))
    return Folded(items, tuple(steps), product)


def _best_part(before: Frontier, item: Frontier, grains: int, *, product: bool) -> int:
    parts = np.arange(item.floor, min(item.end, grains - before.floor) + 1)
    rest = np.minimum(grains - parts - before.floor, len(before.values) - 1)
    mine, theirs = item.values[parts - item.floor], before.values[rest]
    return int(parts[np.argmax(mine * theirs if product else mine + theirs)])
