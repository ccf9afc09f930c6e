"""The order in which FT-Search binds: configurations by CPU, tasks by what they keep per CPU second.

Why: LAAR asks for the most resource-hungry configurations first and for any topological order within one. Of the topological orders
that were tried, this one found most plans in little time, and the cheapest.
Called by: ftsearch, before it makes its tables.
"""

from dataclasses import replace
from heapq import heapify, heappop, heappush

import numpy as np

from levee.planning.completeness.model import Floats, Model
from levee.planning.problem import Problem


def order(model: Model) -> list[int]:
    """Configurations, the most resource-hungry first."""
    return sorted(range(len(model.probability)), key=lambda c: -float(model.rates[2][c].sum()))


def arranged(problem: Problem) -> Problem:
    """The same problem with its tasks in the topological order that the search goes by."""
    model = Model(problem)
    chosen = _topological(_producers(model), (-_promise(model)).tolist())
    return replace(problem, tasks=tuple(problem.tasks[task] for task in chosen))


def worth(model: Model) -> Floats:
    """The adjoint: what one row emitted by a task is worth to all tasks below it, when they are replicated."""
    rows = np.zeros(len(model.inputs))
    for task in reversed(range(len(model.inputs))):
        for producer, selectivity, _, fraction in model.inputs[task]:
            if producer >= 0:
                rows[producer] += fraction * (1 + selectivity * rows[task])
    return rows


def _promise(model: Model) -> Floats:
    """Rows that a replicated task keeps, itself and below it, per CPU second."""
    read, made, load = model.rates
    kept = model.probability @ (read + made * worth(model))
    return np.asarray(kept / np.maximum(model.probability @ load, np.finfo(float).tiny))


def _producers(model: Model) -> list[set[int]]:
    return [{producer for producer, *_ in inputs if producer >= 0} for inputs in model.inputs]


def _topological(producers: list[set[int]], key: list[float]) -> list[int]:
    """Of the tasks whose producers have all been chosen, always the one with the smallest key."""
    missing = [len(above) for above in producers]
    consumers = [[task for task, above in enumerate(producers) if producer in above] for producer in range(len(producers))]
    ready = [(key[task], task) for task, above in enumerate(producers) if not above]
    heapify(ready)
    chosen = []
    while ready:
        chosen.append(heappop(ready)[1])
        for consumer in consumers[chosen[-1]]:
            missing[consumer] -= 1
            if missing[consumer] == 0:
                heappush(ready, (key[consumer], consumer))
    return chosen
