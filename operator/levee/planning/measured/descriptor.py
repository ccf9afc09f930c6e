"""A topology's descriptor from what has passed: the rates of its sources, and of each operator selectivity and CPU time per row and input.

Why: LAAR's contract is only as good as its descriptor, and nobody knows these numbers before the topology has run.
Called by: the command line, for people who paste it; serve, which compares it with what is declared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from levee.planning.measured.counts import Passed, Spent
from levee.planning.measured.interval import Estimate, Floats
from levee.planning.measured.joint import Together, together
from levee.planning.measured.levels import Level, cut, levels
from levee.planning.measured.per_row import PerRow, per_row
from levee.topology.graph import Operator, Topology
from levee.topology.names import OperatorName

SPAN_S = 5.0  # rates are averages of such a time, as those by which configurations are chosen
SPANS_MAX = 240  # of that length; of a longer time they are longer
STRETCHES = 60  # that selectivities are estimated from; single epochs would tell nothing where windows let out in jerks


@dataclass(frozen=True, slots=True)
class MeasuredSource:
    name: OperatorName
    levels: tuple[Level, ...]  # none: no row has come
    full_share: float = 0.0  # of its epochs that took in all that an epoch may: there is more than was measured


@dataclass(frozen=True, slots=True)
class MeasuredInput:
    origin: OperatorName
    selectivity: Estimate | None  # None: nothing was read, or nobody could be asked
    cost_s: Estimate | None


@dataclass(frozen=True, slots=True)
class MeasuredOperator:
    name: OperatorName
    inputs: tuple[MeasuredInput, ...]
    selectivity: PerRow | None
    cost: PerRow | None


@dataclass(frozen=True, slots=True)
class Descriptor:
    first: int
    last: int
    length_s: float
    sources: tuple[MeasuredSource, ...]
    together: tuple[Together, ...]  # none where there is one source, or one without rows
    operators: tuple[MeasuredOperator, ...]


def measured(
    topology: Topology,
    passed: Passed,
    spent: Mapping[OperatorName, Sequence[Spent]],
    *,
    rows_max: float = float("inf"),
    exactly: int | None = None,
) -> Descriptor:
    """`rows_max`: that an epoch of a source's task takes in. `exactly`: so many levels of each source."""
    names = [source.name for source in topology.sources]
    counts = passed.counts(names)
    rates = dict(zip(names, averages(counts, passed.period_s), strict=True))
    tops = {name: cut(rates[name], exactly) for name in names}
    sources = tuple(
        MeasuredSource(one.name, levels(rates[one.name], tops[one.name]), full_share(counts[:, place], rows_max * one.parallelism))
        for place, one in enumerate(topology.sources)
    )
    joint = together(rates, tops) if len(names) > 1 and all(tops.values()) else ()
    operators = tuple(
        measured_operator(one, selectivity(one, passed), cost_per_row(one, spent.get(one.name, ()))) for one in topology.operators
    )
    return Descriptor(passed.first, passed.last, passed.epochs * passed.period_s, sources, joint, operators)


def averages(counts: Floats, period_s: float) -> list[Floats]:
    """Of spans of equal length, for each stream; what is left at the beginning is in none."""
    span = max(1, round(SPAN_S / period_s), ceil(len(counts) / SPANS_MAX))
    spans = summed(counts, min(span, max(1, len(counts))))
    return [column / (span * period_s) for column in spans.T]


def summed(rows: Floats, length: int) -> Floats:
    """Sums of rows that follow each other, so many in each."""
    kept = rows[len(rows) % length :]
    found: Floats = kept.reshape(-1, length, rows.shape[1]).sum(axis=1)
    return found


def full_share(counts: Floats, rows_max: float) -> float:
    return float((counts >= rows_max).mean()) if len(counts) else 0.0


def measured_operator(operator: Operator, emitted: PerRow | None, cost: PerRow | None) -> MeasuredOperator:
    inputs = tuple(
        MeasuredInput(one.origin, emitted.inputs[place] if emitted else None, cost.inputs[place] if cost else None)
        for place, one in enumerate(operator.inputs)
    )
    return MeasuredOperator(operator.name, inputs, emitted, cost)


def selectivity(operator: Operator, passed: Passed) -> PerRow | None:
    counts = passed.counts([*(one.origin for one in operator.inputs), operator.name])
    rows = summed(counts, max(1, ceil(len(counts) / STRETCHES)))
    return per_row(rows[:, :-1], rows[:, -1], [one.selectivity for one in operator.inputs])


def cost_per_row(operator: Operator, spent: Sequence[Spent]) -> PerRow | None:
    made = np.array([one.cpu_s for one in spent])
    return per_row(read_by(operator, spent), made, [one.cost_s for one in operator.inputs]) if spent else None


def selectivity_told(operator: Operator, spent: Sequence[Spent]) -> PerRow | None:
    """By what replicas say that they have read and emitted."""
    made = np.array([one.emitted for one in spent])
    return per_row(read_by(operator, spent), made, [one.selectivity for one in operator.inputs]) if spent else None


def read_by(operator: Operator, spent: Sequence[Spent]) -> Floats:
    return np.array([[one.read.get(entry.origin, 0.0) for entry in operator.inputs] for one in spent], dtype=float)
