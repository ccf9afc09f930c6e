"""Plans for a budget of replicas, or for the smallest budget that reaches a fidelity, as plans on nodes.

Why: the fidelity optimisers choose tasks and know neither nodes nor configurations; a plan needs both.
Called by: planning.strategies; levee plan.
"""

from levee.planning.case import FIDELITY_VERIFIER, Case, Found, Objective
from levee.planning.completeness.verify import verify as verify_on_nodes
from levee.planning.fidelity.plan import ActivePlan, Metric, Optimiser
from levee.planning.fidelity.problem import fidelity_problem
from levee.planning.fidelity.verify import verify
from levee.planning.problem import Problem
from levee.planning.result import Result, Stop
from levee.planning.smallest_budget import smallest_budget
from levee.planning.spread import spread
from levee.topology.graph import Topology
from levee.topology.names import TaskId

BISECTIONS_MAX = 12  # 4,096 tasks


def for_completeness(optimiser: Optimiser, case: Case, stop: Stop) -> Found:
    """The most completeness for the budget."""
    return _within(optimiser, case, stop, Metric.IC)


def for_fidelity(optimiser: Optimiser, case: Case, stop: Stop) -> Found:
    """The most fidelity (or what else is the objective) for the budget, or the smallest budget for the fidelity."""
    if case.budget is not None or case.fidelity is None:
        return _within(optimiser, case, stop, Metric.IC if case.objective is Objective.COMPLETENESS else Metric.OF)
    problem = fidelity_problem(case.topology)
    tasks, result = smallest_budget(
        lambda tasks: optimiser(problem, tasks, metric=Metric.OF, stop=part(stop, 1 / BISECTIONS_MAX)),
        len(problem.tasks) if case.problem.replicas > 1 else 0,
        case.fidelity,
        stop,
    )
    return _found(case, result, tasks, Metric.OF)


def _within(optimiser: Optimiser, case: Case, stop: Stop, metric: Metric) -> Found:
    tasks = affordable(case.problem, case.budget or 0)
    return _found(case, optimiser(fidelity_problem(case.topology), tasks, metric=metric, stop=stop), tasks, metric)


def everything(topology: Topology) -> frozenset[TaskId]:
    """All that can be replicated: the sources, too."""
    return frozenset(task.id for task in fidelity_problem(topology).tasks)


def affordable(problem: Problem, budget: int) -> int:
    """How many tasks can have all their replicas active: under a correlated failure it is the wrong one that survives."""
    return budget // (problem.replicas - 1) if problem.replicas > 1 else 0


def _found(case: Case, result: Result[ActivePlan], tasks: int, metric: Metric) -> Found:
    replicated = frozenset() if result.plan is None else result.plan.replicated
    plan = spread(case.problem, replicated)
    return Found(
        result=Result(plan, result.objective, result.bound, result.status, result.notes, result.counters),
        complaints=(*verify(fidelity_problem(case.topology), result, tasks, metric=metric), *verify_on_nodes(case.problem, plan)),
        replicated=replicated,
        budget=tasks * (case.problem.replicas - 1),
        objective_is="fidelity" if metric is Metric.OF else "completeness",
        verifier=FIDELITY_VERIFIER,
    )


def part(stop: Stop, share: float) -> Stop:
    """A stop for one of several searches: it leaves the others their share of the time."""
    left_s = (1 - share) * stop.remaining_s()

    def remaining_s() -> float:
        return max(0.0, stop.remaining_s() - left_s) if left_s != float("inf") else stop.remaining_s()

    return Stop(lambda: stop.asked() or remaining_s() <= 0, remaining_s, stop.report)
