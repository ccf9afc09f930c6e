"""Algorithm 2 of Su and Zhou: replicate the tasks whose single failure hurts most.

Why: the paper's baseline; it knows nothing of trees.
Called by: levee plan, fidelity.exact for an incumbent, benchmarks of planning. Equal tasks are taken in topological order.
"""

import numpy as np

from levee.planning.fidelity.model import Model
from levee.planning.fidelity.plan import ActivePlan, Metric, named
from levee.planning.fidelity.problem import FidelityProblem
from levee.planning.result import Result, Status, Stop


def solve(problem: FidelityProblem, budget: int, *, metric: Metric = Metric.OF, stop: Stop = Stop()) -> Result[ActivePlan]:
    """Never long enough to be stopped."""
    del stop
    model = Model(problem, metric)
    alone_failed = model.values(~np.eye(len(problem.tasks), dtype=bool))
    chosen = frozenset(int(task) for task in np.argsort(alone_failed.round(12), kind="stable")[:budget])
    return Result(named(problem, chosen), model.value(chosen), None, Status.FEASIBLE)
