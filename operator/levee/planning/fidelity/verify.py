"""The verifier beside the fidelity optimisers: it knows the definitions and none of the tricks.

Why: a plan is put into force only after every claim made for it has been computed anew.
Called by: levee plan and the operator, before a plan is applied; tests.
"""

from collections.abc import Iterator

from levee.planning.fidelity.definition import objective
from levee.planning.fidelity.plan import ActivePlan, Metric
from levee.planning.fidelity.problem import FidelityProblem
from levee.planning.result import Result, Status
from levee.topology.complaint import Complaint

TOLERANCE = 1e-6


def verify(problem: FidelityProblem, result: Result[ActivePlan], budget: int, *, metric: Metric = Metric.OF) -> tuple[Complaint, ...]:
    """Recompute every claim of the result from the definitions; empty means it holds."""
    return tuple(_complaints(problem, result, budget, metric))


def _complaints(problem: FidelityProblem, result: Result[ActivePlan], budget: int, metric: Metric) -> Iterator[Complaint]:
    if result.plan is None or result.objective is None:
        yield Complaint("plan", "there is none, although the empty plan is always possible", "report this as a bug of the optimiser")
        return
    unknown = result.plan.replicated - {task.id for task in problem.tasks}
    if unknown:
        yield Complaint("plan", f"it replicates tasks that do not exist: {', '.join(sorted(unknown))}", "plan anew for this topology")
    if len(result.plan.replicated) > budget:
        yield Complaint("plan", f"{len(result.plan.replicated)} active replicas, but the budget is {budget}", "plan anew with this budget")
    value = objective(problem, result.plan, metric)
    if abs(value - result.objective) > TOLERANCE:
        yield Complaint("objective", f"{metric} is said to be {result.objective:.6f}, but is {value:.6f}", f"use {value:.6f}")
    if result.bound is not None and result.bound < value - TOLERANCE:
        yield Complaint("bound", f"the bound {result.bound:.6f} is below the plan's {value:.6f}", "report this as a bug of the optimiser")
    if result.status is Status.OPTIMAL and (result.bound is None or result.bound > value + TOLERANCE):
        yield Complaint("status", f"optimal is claimed, but the bound is {result.bound}", "read it as feasible")
