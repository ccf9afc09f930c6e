"""How far what is measured is from what the plan was made for, and which of it counts.

Why: a plan is a promise about declared numbers. Every measured number differs a little; it counts where even the nearest end of its
interval is too far away, else plans would follow noise.
Called by: plans.adapting; serve, which tells of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

import numpy as np

from levee.planning.measured.counts import Spent
from levee.planning.measured.descriptor import MeasuredOperator, cost_per_row, measured_operator, selectivity_told
from levee.planning.measured.interval import Estimate, Floats, estimated
from levee.planning.measured.per_row import PerRow
from levee.topology.graph import Operator, Partitioning, Source, Topology
from levee.topology.names import OperatorName, task_id

FAR = 1.2  # a fifth more, or as much less, than declared


class Quantity(StrEnum):
    RATE = "rate"
    SELECTIVITY = "selectivity"
    COST = "cost"
    SHARE = "share"  # of its busiest task


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some seconds of a running topology."""

    spent: Mapping[OperatorName, Spent] = field(default_factory=dict)
    rates: Mapping[OperatorName, float] | None = None  # rows/s offered by every source; None: not all are known


@dataclass(frozen=True, slots=True)
class Drift:
    """Of one source or operator; of several inputs together."""

    what: Quantity
    name: OperatorName
    ratio: Estimate  # measured over declared

    @property
    def is_far(self) -> bool:
        """Certainly."""
        low, high = self.ratio.low, self.ratio.high
        return low is not None and high is not None and (low > FAR or high < 1 / FAR)

    @property
    def text(self) -> str:
        """cost of vwap is 9.8 times what is declared"""
        what = "the busiest task's share" if self.what is Quantity.SHARE else self.what
        return f"{what} of {self.name} is {self.ratio.value:.3g} times what is declared"


@dataclass(frozen=True, slots=True)
class Lately:
    """What was measured in a few stretches of time."""

    operators: tuple[MeasuredOperator, ...]
    rates: tuple[Mapping[OperatorName, float], ...]  # where all were known
    shares: Mapping[OperatorName, tuple[float, ...]]  # of the rows, that each task has read, where that follows from keys
    drifts: tuple[Drift, ...]

    @property
    def far(self) -> tuple[Drift, ...]:
        return tuple(one for one in self.drifts if one.is_far)


def lately(topology: Topology, stretches: Sequence[Stretch]) -> Lately:
    spent = {one.name: [stretch.spent[one.name] for stretch in stretches if one.name in stretch.spent] for one in topology.operators}
    operators = tuple(
        measured_operator(one, selectivity_told(one, spent[one.name]), cost_per_row(one, spent[one.name])) for one in topology.operators
    )
    rates = tuple(stretch.rates for stretch in stretches if stretch.rates is not None)
    shares = tuple(measured_shares(topology, stretches))
    drifts = (*rate_drifts(topology, rates), *operator_drifts(operators), *(drift for drift, _ in shares))
    return Lately(operators, rates, {drift.name: values for drift, values in shares}, drifts)


def rate_drifts(topology: Topology, rates: Sequence[Mapping[OperatorName, float]]) -> Iterator[Drift]:
    """Of the means: a peak that is declared may not have come lately."""
    for source in topology.sources:
        declared = sum(one.probability * one.rows_per_s[source.name] for one in topology.configurations)
        measured = np.array([[one[source.name] / declared] for one in rates if source.name in one])
        if len(measured) and (found := estimated(measured, lambda rows: (float(rows.mean()),))) is not None:
            yield Drift(Quantity.RATE, source.name, found[0])


def measured_shares(topology: Topology, stretches: Sequence[Stretch]) -> Iterator[tuple[Drift, tuple[float, ...]]]:
    """Of sources, and of operators whose rows are spread by keys alone; how those of the others are spread follows from their inputs."""
    spread = [one for one in topology.operators if all(edge.partitioning is Partitioning.FULL for edge in one.inputs)]
    parts: tuple[Source | Operator, ...] = (*topology.sources, *spread)
    for part in parts:
        names = [task_id(part.name, index) for index in range(part.parallelism)]
        told = [stretch.spent[part.name].tasks for stretch in stretches if part.name in stretch.spent]
        rows = np.array([[one[name] for name in names] for one in told if all(name in one for name in names)])
        if part.parallelism > 1 and len(rows) and rows.sum() > 0:
            ratio = estimated(rows, partial(busiest, np.array(part.shares)))
            assert ratio is not None, "rows were read"
            yield Drift(Quantity.SHARE, part.name, ratio[0]), tuple(map(float, rows.sum(axis=0) / rows.sum()))


def busiest(declared: Floats, rows: Floats) -> tuple[float] | None:
    total = rows.sum()
    return (float((rows.sum(axis=0) / total / declared).max()),) if total > 0 else None


def operator_drifts(operators: Sequence[MeasuredOperator]) -> Iterator[Drift]:
    for one in operators:
        told: tuple[tuple[Quantity, PerRow | None], ...] = ((Quantity.SELECTIVITY, one.selectivity), (Quantity.COST, one.cost))
        yield from (Drift(what, one.name, per_row.factor) for what, per_row in told if per_row is not None)
