"""Rates, loads, completeness and cost of a plan, from the formulas of LAAR (Bellavista et al., equations 5-8, 11, 13, 14).

Why: one fast evaluator for optimisers, the command line and the operator. The verifier beside it shares nothing with it.
Called by: the optimisers in this package; levee plan.

The pessimistic model takes a task as lost unless all its replicas are active; the node and zone models take it as lost unless
an active replica stands outside the lost node or zone. Below a lost task whose stream waits, nothing is in time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from levee.planning.problem import Active, Problem
from levee.topology.graph import FailureModel, Late
from levee.topology.names import NodeName, TaskId

Floats = NDArray[np.float64]
Placement = Mapping[TaskId, tuple[NodeName, ...]]

TOLERANCE = 1e-6  # A goal counts as met, and a node as full, within this; solvers work in floating point.

Alive = Callable[[int, frozenset[int]], bool]  # (task, its active replicas) -> does it go on after the failure?


@dataclass(frozen=True)
class Model:
    """A problem with its failure-free rates worked out; arrays are [configuration, task]."""

    problem: Problem

    @cached_property
    def probability(self) -> Floats:
        return np.array([c.probability for c in self.problem.configurations])

    @cached_property
    def inputs(self) -> tuple[tuple[tuple[int, float, float, float], ...], ...]:
        """Per task its edges as (producer, selectivity, cost_s, fraction); sources are numbered below zero: ~0, ~1, ..."""
        place = {source.id: ~index for index, source in enumerate(self.problem.sources)} | dict(self.problem.task_index)
        return tuple(tuple((place[e.producer], e.selectivity, e.cost_s, e.fraction) for e in task.inputs) for task in self.problem.tasks)

    @cached_property
    def source_rows(self) -> Floats:
        """[configuration, source]"""
        return np.array([source.rows_per_s for source in self.problem.sources], dtype=float).reshape(len(self.problem.sources), -1).T

    @cached_property
    def rates(self) -> tuple[Floats, Floats, Floats]:
        """Rows read, rows emitted and CPU load (cores) of each task without failures."""
        shape = (len(self.problem.configurations), len(self.problem.tasks))
        read, emitted, load = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for task, edges in enumerate(self.inputs):
            for producer, selectivity, cost_s, fraction in edges:
                rows = fraction * (emitted[:, producer] if producer >= 0 else self.source_rows[:, ~producer])
                read[:, task] += rows
                emitted[:, task] += selectivity * rows
                load[:, task] += cost_s * rows
        return read, emitted, load

    @cached_property
    def best_rows_per_s(self) -> float:
        """BIC per second (equation 5)."""
        return float(self.probability @ self.rates[0].sum(axis=1))

    @cached_property
    def reserved(self) -> Floats:
        """Load that an active replica must find room for (equation 11): twice the load below a stream with a tentative lane."""
        factor = np.ones(len(self.problem.tasks))
        for task in tentative_below(self.problem):
            factor[task] = 2.0
        return self.rates[2] * factor

    def processed(self, active: Active, alive: Alive) -> Floats:
        """Rows per second that each task still reads in time when only the tasks that are `alive` go on (equations 6, 7)."""
        goes_on = np.array([[alive(task, replicas) for task, replicas in enumerate(row)] for row in active], dtype=bool)
        read, emitted = np.zeros(goes_on.shape), np.zeros(goes_on.shape)
        stalls = np.zeros(goes_on.shape, dtype=bool)  # its consumers get nothing in time
        for task, edges in enumerate(self.inputs):
            blocked = stalls[:, [producer for producer, *_ in edges if producer >= 0]].any(axis=1)
            stalls[:, task] = blocked | (~goes_on[:, task] & (self.problem.tasks[task].late is Late.WAIT))
            in_time = goes_on[:, task] & ~blocked
            for producer, selectivity, _, fraction in edges:
                rows = fraction * in_time * (emitted[:, producer] if producer >= 0 else self.source_rows[:, ~producer])
                read[:, task] += rows
                emitted[:, task] += selectivity * rows
        return read


def tentative_below(problem: Problem) -> frozenset[int]:
    """Tasks that have an ancestor whose stream goes on tentatively: they may have to run a second lane."""
    below: set[int] = set()
    for task in problem.tasks:
        for edge in task.inputs:
            producer = problem.task_index.get(edge.producer)
            if producer is not None and (producer in below or problem.tasks[producer].late in (Late.TENTATIVE, Late.PREDICT)):
                below.add(problem.task_index[task.id])
    return frozenset(below)


def scenarios(problem: Problem, failures: FailureModel, placement: Placement) -> dict[str, Alive]:
    """The failures a promise must survive, by name; the promise is the worst of them."""
    match failures:
        case FailureModel.PESSIMISTIC:
            return {"pessimistic": lambda _, active: len(active) == problem.replicas}
        case FailureModel.NODE:
            return {n.name: outside(problem, placement, frozenset({n.name})) for n in problem.nodes}
        case FailureModel.ZONE:
            zones = {node.zone: frozenset(n.name for n in problem.nodes if n.zone == node.zone) for node in problem.nodes}
            return {zone: outside(problem, placement, lost) for zone, lost in zones.items()}


def outside(problem: Problem, placement: Placement, lost: frozenset[NodeName]) -> Alive:
    """A task goes on where one of its active replicas stands outside the lost nodes."""
    safe = [frozenset(r for r, node in enumerate(placement[task.id]) if node not in lost) for task in problem.tasks]
    return lambda task, active: bool(active & safe[task])


def completeness_under(model: Model, active: Active, alive: Alive) -> float:
    """IC (equation 8) when only the tasks that are `alive` go on."""
    return float(model.probability @ model.processed(active, alive).sum(axis=1)) / model.best_rows_per_s


def completeness(model: Model, active: Active, failures: FailureModel, placement: Placement) -> float:
    """The completeness that is guaranteed under a failure model: the worst of its scenarios."""
    return min(completeness_under(model, active, alive) for alive in scenarios(model.problem, failures, placement).values())


def cost_cores(model: Model, active: Active) -> float:
    """Mean cores in use (equation 13 per second of the window)."""
    counts = np.array([[len(replicas) for replicas in row] for row in active], dtype=float)
    return float(model.probability @ (counts * model.rates[2]).sum(axis=1))


def node_loads(model: Model, active: Active, placement: Placement) -> Floats:
    """[configuration, node]: cores reserved on each node (the left side of equation 11)."""
    problem = model.problem
    loads = np.zeros((len(problem.configurations), len(problem.nodes)))
    for c, row in enumerate(active):
        for task, replicas in enumerate(row):
            for replica in replicas:
                loads[c, problem.node_index[placement[problem.tasks[task].id][replica]]] += model.reserved[c, task]
    return loads
