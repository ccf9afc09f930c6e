"""Measured rates as the few levels that a source declares: each covers the rates below it, with the fraction of the time.

Why: a configuration must cover what is offered in it, and each row that it covers beyond that is planned for and never comes. So levels are
cut where that waste is least, and there are as few of them as keep it small.
Called by: descriptor, joint.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import nan
from typing import TypeAlias

import numpy as np

from levee.planning.measured.interval import Estimate, Floats, estimated

SLACK = 0.1  # as control.space has it: a rate may be that much above what is declared
WASTE_MAX = 0.1  # rows planned for beyond those that come, before another level is worth it
LEVELS_MAX = 4

Cut: TypeAlias = tuple[float, tuple[float, ...]]  # rows that are wasted, and the highest rate of each level


@dataclass(frozen=True, slots=True)
class Level:
    rate: Estimate
    probability: Estimate


def levels(measured: Floats, tops: Sequence[float]) -> tuple[Level, ...]:
    """Of the averages of equal spans of time, in their order; the lowest level first."""
    found = estimated(measured.reshape(-1, 1), lambda rows: told(rows[:, 0], tops))
    assert found is not None, "each level has a rate of its own"
    covering = [covers(one) / float(one.mean()) for one in groups(measured, tops)]
    means, shares = found[: len(tops)], found[len(tops) :]
    return tuple(Level(mean.times(more), capped(share)) for mean, more, share in zip(means, covering, shares, strict=True))


def covers(group: Floats) -> float:
    """A source that keeps to its rate is measured around it; one that does not is covered with the slack that there is."""
    return max(float(group.mean()), float(group.max()) / (1 + SLACK))


def groups(rates: Floats, tops: Sequence[float]) -> list[Floats]:
    bounds = [-1.0, *tops]
    return [rates[(rates > low) & (rates <= high)] for low, high in pairwise(bounds)]


def told(rates: Floats, tops: Sequence[float]) -> tuple[float, ...]:
    """The mean of each level, which one that does not hold has none of, then the fraction of the time of each."""
    parts = groups(rates, tops)
    return (*(float(part.mean()) if len(part) else nan for part in parts), *(len(part) / len(rates) for part in parts))


def capped(share: Estimate) -> Estimate:
    return Estimate(share.value, share.low, None if share.high is None else min(1.0, share.high))


# ---- where they are cut


def cut(measured: Floats, exactly: int | None = None) -> tuple[float, ...]:
    """The highest rate of each level: as few as keep the waste small, if it is not said how many. None where no row has come."""
    if not measured.any():
        return ()
    ordered = np.sort(measured)
    most = min(exactly or LEVELS_MAX, len(set(ordered[ordered > 0].tolist())))
    tops: tuple[float, ...] = ()
    for wasted, tops in cuts(ordered, most):  # noqa: B007  # the last, if none is small
        if exactly is None and wasted <= WASTE_MAX * float(ordered.sum()):
            break
    return tops


def cuts(ordered: Floats, most: int) -> Iterator[Cut]:
    """For each number of levels the least waste, and where it has them end: by dynamic programming over the distinct rates."""
    ends = [end for end in range(1, len(ordered) + 1) if ordered[end - 1] > 0 and (end == len(ordered) or ordered[end] > ordered[end - 1])]
    best: dict[int, Cut] = {end: (waste(ordered, 0, end), (float(ordered[end - 1]),)) for end in ends}
    yield best[len(ordered)]
    for _ in range(most - 1):
        best = {end: longer(ordered, best, end) for end in ends if end > min(best)}
        yield best[len(ordered)]


def longer(ordered: Floats, best: Mapping[int, Cut], end: int) -> Cut:
    """One more level, that ends here."""
    top = float(ordered[end - 1])
    return min((before + waste(ordered, begin, end), (*tops, top)) for begin, (before, tops) in best.items() if begin < end)


def waste(ordered: Floats, begin: int, end: int) -> float:
    group = ordered[begin:end]
    return float(np.clip(covers(group) - group, 0, None).sum())
