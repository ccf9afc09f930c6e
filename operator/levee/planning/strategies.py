"""The strategies by name: what each is, what it needs, and what to call.

Why: the command line and the operator offer the same strategies, and must not import a solver that nobody asked for.
Called by: levee plan.
"""

import os

from levee.planning.case import Case, Found, Kind, Place, Strategy
from levee.planning.problem import Goal, Plan
from levee.planning.result import Result, Status, Stop
from levee.planning.spread import spread


def _exact(case: Case, stop: Stop) -> Found:
    """With a budget instead of a goal: the most completeness for so many replicas."""
    from levee.planning.completeness import exact

    if case.budget is not None:
        from levee.planning import by_budget
        from levee.planning.fidelity import exact as within

        return by_budget.for_completeness(within.solve, case, stop)
    if case.place is Place.JOINT:
        from levee.planning.completeness import joint
        from levee.planning.expand import pinned

        return verified(case, joint.solve(case.problem, case.goal, stop=stop, pinned=frozenset(pinned(case.topology))), case.goal)
    return verified(case, exact.solve(case.problem, case.goal, stop=stop, start=case.start), case.goal)


def _ft_search(case: Case, stop: Stop) -> Found:
    from levee.planning.completeness import ftsearch

    return verified(case, ftsearch.solve(case.problem, case.goal, stop=stop, threads=os.cpu_count() or 1), case.goal)


def _none(case: Case, _: Stop) -> Found:
    return _baseline(case, spread(case.problem, frozenset()))


def _static(case: Case, _: Stop) -> Found:
    return _baseline(case, spread(case.problem, {task.id for task in case.problem.tasks}))


def _baseline(case: Case, plan: Plan) -> Found:
    from levee.planning.completeness.model import Model, cost_cores

    return verified(case, Result(plan, cost_cores(Model(case.problem), plan.active), None, Status.FEASIBLE))


def verified(case: Case, result: Result[Plan], goal: Goal | None = None) -> Found:
    """A completeness plan with its verifier's complaints."""
    from levee.planning.completeness.verify import verify

    if result.plan is None:
        return Found(result)
    return Found(result, verify(case.problem, result.plan, goal=goal, claimed=result, moved=case.place is Place.JOINT))


def _fidelity(case: Case, stop: Stop) -> Found:
    from levee.planning import by_budget
    from levee.planning.fidelity import exact

    return by_budget.for_fidelity(exact.solve, case, stop)


STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        Strategy("none", "one active replica of every task", Kind.BASELINE, _none),
        Strategy("static", "all replicas active, always", Kind.BASELINE, _static),
        Strategy("completeness", "least cost for a completeness, exact", Kind.COMPLETENESS, _exact),
        Strategy("ft-search", "least cost for a completeness, by the search of LAAR", Kind.COMPLETENESS, _ft_search),
        Strategy("fidelity", "most fidelity for a budget, exact", Kind.FIDELITY, _fidelity),
    )
}
