"""What a row of each input brings: rows emitted, or CPU time.

Why: what comes out, and what a worker spends, is known of the operator as a whole. Several inputs can be told apart only where their rates
have changed apart; where they have not, what was declared for them says how to share it out.
Called by: descriptor.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from levee.planning.measured.interval import Estimate, Floats, estimated

APART_SPREAD = 0.2  # inputs count as told apart where each is known within a fifth,
ALIKE = 10.0  # and their rates are not nearly multiples of each other: the condition of the columns, each of length one


@dataclass(frozen=True, slots=True)
class PerRow:
    """Of each input, in order."""

    inputs: tuple[Estimate, ...]
    factor: Estimate  # measured over declared, of all inputs together
    apart: bool  # each was measured by itself; else all by one factor


def per_row(read: Floats, made: Floats, declared: Sequence[float]) -> PerRow | None:
    """`read`: [time, input]. None where nothing was read."""
    rows = np.column_stack([read, made])
    common = estimated(rows, lambda found: by_factor(found, declared))
    if common is None:
        return None
    [factor] = common
    apart = estimated(rows, by_itself) if len(declared) > 1 else None
    if apart is not None and all(one.spread <= APART_SPREAD for one in apart):
        return PerRow(apart, factor, apart=True)
    return PerRow(tuple(factor.times(one) for one in declared), factor, apart=len(declared) == 1)


def by_factor(rows: Floats, declared: Sequence[float]) -> tuple[float] | None:
    expected = float((rows[:, :-1] @ np.array(declared)).sum())
    return (float(rows[:, -1].sum()) / expected,) if expected > 0 else None


def by_itself(rows: Floats) -> tuple[float, ...] | None:
    """Least squares without a constant; negative ones make no sense, so nothing is known then."""
    read = rows[:, :-1]
    lengths = np.linalg.norm(read, axis=0)
    if not lengths.all() or np.linalg.cond(read / lengths) > ALIKE:
        return None
    found = np.linalg.lstsq(read, rows[:, -1], rcond=None)[0]
    if (found <= 0).any():
        return None
    return tuple(map(float, found))
