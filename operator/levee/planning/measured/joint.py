"""Which levels of several sources hold together, and whether they do so by chance.

Why: sources that rise together are planned for as if they did not, unless the topology declares its configurations jointly.
Called by: descriptor.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from levee.planning.measured.interval import Estimate, Floats, estimated
from levee.planning.measured.levels import capped
from levee.topology.names import OperatorName

Places = tuple[int, ...]  # of each source its level, the lowest is 0


@dataclass(frozen=True, slots=True)
class Together:
    """One combination of levels that has been seen."""

    places: Places
    probability: Estimate


def together(rates: Mapping[OperatorName, Floats], tops: Mapping[OperatorName, Sequence[float]]) -> tuple[Together, ...]:
    """Those that were seen, in their order."""
    seen = np.array([np.searchsorted(tops[name], rates[name]) for name in rates]).T
    kinds = sorted(set(map(tuple, seen.tolist())))
    found = estimated(seen.astype(float), lambda rows: shares(rows, kinds))
    assert found is not None, "there are spans of time"
    return tuple(Together(places, capped(share)) for places, share in zip(kinds, found, strict=True))


def shares(rows: Floats, kinds: Sequence[Places]) -> tuple[float, ...]:
    counted = Counter(map(tuple, rows.astype(int).tolist()))
    return tuple(counted[kind] / len(rows) for kind in kinds)


def dependence(found: Sequence[Together]) -> float:
    """How much of the time the combinations differ from what independent sources would show: 0 where they are."""
    if not found:
        return 0.0
    alone = [Counter[int]() for _ in found[0].places]
    for one in found:
        for source, place in zip(alone, one.places, strict=True):
            source[place] += one.probability.value  # type: ignore[assignment]  # a Counter of floats
    known = {one.places: one.probability.value for one in found}
    every = product(*alone)
    return (
        sum(abs(known.get(places, 0.0) - prod(source[place] for source, place in zip(alone, places, strict=True))) for places in every) / 2
    )
