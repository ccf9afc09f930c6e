"""Output fidelity and completeness of many plans at once, when every task without an active replica has failed.

Why: the heuristics weigh thousands of candidate plans; numpy evaluates them in one sweep over the operators. The verifier beside it
computes the same one task at a time and shares nothing with it.
Called by: every optimiser of this package; levee plan.

Fidelity follows equations 1-4 of Su and Zhou in terms of what is retained: 1 - information loss. Completeness is the share of rows that
the operators still read (sources read nothing), whether joins can use them or not. Below a failed task that waits, nothing is retained.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from levee.planning.fidelity.plan import Metric
from levee.planning.fidelity.problem import FidelityProblem

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class _Input:
    """One input of an operator: [producer, consumer] weights; a consumer's weights add up to 1."""

    origin: slice
    weights: Floats
    share: Floats  # of this stream in what an independent consumer emits
    read_share: Floats  # and in what it reads


@dataclass(frozen=True)
class Model:
    problem: FidelityProblem
    metric: Metric

    @cached_property
    def _spans(self) -> tuple[slice, ...]:
        return tuple(slice(operator.tasks[0], operator.tasks[-1] + 1) for operator in self.problem.operators)

    @cached_property
    def _inputs(self) -> tuple[tuple[_Input, ...], ...]:
        return tuple(
            tuple(self._input(place, stream) for stream in range(len(operator.inputs)))
            for place, operator in enumerate(self.problem.operators)
        )

    def _input(self, place: int, stream: int) -> _Input:
        operator = self.problem.operators[place]
        origin = self._spans[operator.inputs[stream].origin]
        weights = np.zeros((origin.stop - origin.start, len(operator.tasks)))
        share, read_share = np.zeros(len(operator.tasks)), np.zeros(len(operator.tasks))
        for column, number in enumerate(operator.tasks):
            task = self.problem.tasks[number]
            rows_per_s = task.streams[stream].rows_per_s
            for producer, rate in task.streams[stream].substreams:
                weights[producer - origin.start, column] = rate / rows_per_s
            mass = [weight(one.rows_per_s, one.selectivity, self.metric) for one in task.streams]
            share[column] = mass[stream] / sum(mass)
            read_share[column] = rows_per_s / task.read_rows_per_s
        return _Input(origin, weights, share, read_share)

    @cached_property
    def _weighed(self) -> Floats:
        """Per task, the rows per second that count in the objective: those delivered, or those read."""
        rows_per_s = np.zeros(len(self.problem.tasks))
        match self.metric:
            case Metric.OF:
                rows_per_s[list(self.problem.sinks)] = [self.problem.tasks[task].rows_per_s for task in self.problem.sinks]
            case Metric.IC:
                rows_per_s[:] = [task.read_rows_per_s for task in self.problem.tasks]
        return rows_per_s

    @property
    def weighed_rows_per_s(self) -> float:
        return float(self._weighed.sum())

    @cached_property
    def objective_weights(self) -> Floats:
        """What a fully retained task adds to the objective; they add up to 1."""
        scaled: Floats = self._weighed / self.weighed_rows_per_s
        return scaled

    def retained(self, active: Flags) -> Floats:
        """[plan, task]: the part of each task's output that is left, for [plan, task] flags of who is replicated."""
        return self._sweep(active)[0]

    def _sweep(self, active: Flags) -> tuple[Floats, Floats]:
        """What is left of each task's output and, for completeness, of what it reads."""
        kept, read = active.astype(float), np.zeros(active.shape)
        alive = active & ~self._blocked(active) if self._waits.any() else active
        for place, span in enumerate(self._spans):
            if self._inputs[place]:
                kept[:, span] = self._combined(place, kept) * alive[:, span]
                read[:, span] = self._read(place, kept) * alive[:, span]
        return kept, read

    def _combined(self, place: int, kept: Floats) -> Floats:
        streams = [(kept[:, one.origin] @ one.weights, one.share) for one in self._inputs[place]]
        if self.problem.operators[place].correlated and self.metric is Metric.OF:
            joined: Floats = np.prod([level for level, _ in streams], axis=0)
            return joined
        united: Floats = np.sum([level * share for level, share in streams], axis=0)
        return united

    def _read(self, place: int, kept: Floats) -> Floats:
        if self.metric is Metric.OF:
            return np.zeros(1)  # nobody asks
        read: Floats = np.sum([kept[:, one.origin] @ one.weights * one.read_share for one in self._inputs[place]], axis=0)
        return read

    @cached_property
    def _waits(self) -> Flags:
        return np.array([task.waits for task in self.problem.tasks])

    def _blocked(self, active: Flags) -> Flags:
        """[plan, task]: does it wait, directly or not, for a task that has failed?"""
        blocked, stalled = np.zeros_like(active), np.zeros_like(active)
        for place, span in enumerate(self._spans):
            for one in self._inputs[place]:
                blocked[:, span] |= (stalled[:, one.origin].astype(float) @ (one.weights > 0)) > 0
            stalled[:, span] = blocked[:, span] | (~active[:, span] & self._waits[span])
        return blocked

    def values(self, active: Flags) -> Floats:
        """[plan]: the objective of each plan."""
        kept, read = self._sweep(active)
        match self.metric:
            case Metric.OF:
                return kept @ self.objective_weights
            case Metric.IC:
                return read @ self.objective_weights

    def value(self, replicated: Iterable[int]) -> float:
        return float(self.values_of([replicated])[0])

    def values_of(self, plans: Sequence[Iterable[int]]) -> Floats:
        return self.values(self.flags(plans))

    def flags(self, plans: Sequence[Iterable[int]]) -> Flags:
        active = np.zeros((len(plans), len(self.problem.tasks)), dtype=bool)
        for row, plan in enumerate(plans):
            active[row, list(plan)] = True
        return active


def weight(rows_per_s: float, selectivity: float, metric: Metric) -> float:
    """How much an input stream counts in the output of an independent operator."""
    match metric:
        case Metric.OF:
            return rows_per_s  # equation 3 knows no selectivities
        case Metric.IC:
            return rows_per_s * selectivity
