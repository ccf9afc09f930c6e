"""The strategies by name: what each is, what it needs, and what to call.

Why: the command line and the operator offer the same strategies, and must not import a solver that nobody asked for.
Called by: levee plan.
"""

import os
from dataclasses import replace

from levee.planning.case import Case, Found, Kind, Place, Say, Strategy
from levee.planning.problem import Goal, Plan
from levee.planning.result import Result, Stop
from levee.topology.graph import FailureModel
from levee.topology.names import TaskId


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


def _warm_up_ft_search(say: Say) -> None:
    from levee.planning.completeness import ftsearch_warm

    ftsearch_warm.warm_up(say)


def _beyond_ft_search(case: Case) -> str | None:
    if case.problem.replicas != 2:
        return "knows two replicas of each task only"
    if case.goal.failures is not FailureModel.PESSIMISTIC:
        return "knows pessimistic failures only"
    if case.goal.penalty is not None or case.budget is not None:
        return "knows a completeness only that must be reached"
    return None


def _none(case: Case, _: Stop) -> Found:
    from levee.planning.completeness import baselines

    return _with_sources(case, _baseline(case, baselines.none(case.problem)), frozenset())


def _static(case: Case, _: Stop) -> Found:
    from levee.planning.by_budget import everything
    from levee.planning.completeness import baselines

    return _with_sources(case, _baseline(case, baselines.static(case.problem)), everything(case.topology))


def _greedy(case: Case, _: Stop) -> Found:
    from levee.planning.completeness import baselines

    return _baseline(case, baselines.greedy(case.problem))


def _non_replicated(case: Case, stop: Stop) -> Found:
    """From the plan for completeness 0.5; where there is none, from the one that promises most."""
    from levee.planning.completeness import baselines, exact

    half = exact.solve(case.problem, Goal(0.5), stop=stop).plan
    half = half or exact.highest(case.problem, FailureModel.PESSIMISTIC, stop=stop).plan
    return _baseline(case, baselines.non_replicated(case.problem, half) if half else baselines.none(case.problem))


def _beyond_greedy(case: Case) -> str | None:
    return "knows neither a budget nor a fidelity" if case.sources_fail else None


def _with_sources(case: Case, found: Found, replicated: frozenset[TaskId]) -> Found:
    """Under a budget or a fidelity sources can fail like tasks, and are replicated or not like them."""
    return replace(found, replicated=replicated) if case.sources_fail else found


def _baseline(case: Case, plan: Plan) -> Found:
    """The notes on overloaded nodes are left out: whoever shows the plan measures them."""
    from levee.planning.completeness import baselines

    return verified(case, replace(baselines.result(case.problem, plan), notes=()))


def verified(case: Case, result: Result[Plan], goal: Goal | None = None) -> Found:
    """A completeness plan with its verifier's complaints."""
    from levee.planning.completeness.verify import verify

    if result.plan is None:
        return Found(result)
    complaints = verify(case.problem, result.plan, goal=goal, claimed=result, moved=case.place is Place.JOINT)
    return Found(result, complaints, objective_is="cores" if goal is None or goal.penalty is None else "cores, with the penalty")


def _fidelity(case: Case, stop: Stop) -> Found:
    from levee.planning import by_budget
    from levee.planning.fidelity import exact

    return by_budget.for_fidelity(exact.solve, case, stop)


def _structure_aware(case: Case, stop: Stop) -> Found:
    from levee.planning import by_budget
    from levee.planning.fidelity import structure_aware

    return by_budget.for_fidelity(structure_aware.solve, case, stop)


def _fidelity_greedy(case: Case, stop: Stop) -> Found:
    from levee.planning import by_budget
    from levee.planning.fidelity import greedy

    return by_budget.for_fidelity(greedy.solve, case, stop)


def _dynamic(case: Case, stop: Stop) -> Found:
    from levee.planning import by_budget
    from levee.planning.fidelity import dynamic

    return by_budget.for_fidelity(dynamic.solve, case, stop)


MOST_COMPLETENESS = "most completeness for a budget, exact"

STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        Strategy("none", "one active replica of every task", Kind.BASELINE, _none),
        Strategy("static", "all replicas active, always", Kind.BASELINE, _static),
        Strategy("greedy", "all active, switched off until no node is overloaded", Kind.BASELINE, _greedy, _beyond_greedy),
        Strategy("non-replicated", "one replica of each, those of the plan for half", Kind.BASELINE, _non_replicated, _beyond_greedy),
        Strategy("completeness", "least cost for a completeness, exact", Kind.COMPLETENESS, _exact, says_of_budget=MOST_COMPLETENESS),
        Strategy(
            "ft-search",
            "least cost for a completeness, by the search of LAAR",
            Kind.COMPLETENESS,
            _ft_search,
            _beyond_ft_search,
            warm_up=_warm_up_ft_search,
        ),
        Strategy("fidelity", "most fidelity for a budget, exact", Kind.FIDELITY, _fidelity),
        Strategy("structure-aware", "much fidelity for a budget, by the structure of the graph", Kind.FIDELITY, _structure_aware),
        Strategy("fidelity-greedy", "much fidelity for a budget, task by task", Kind.FIDELITY, _fidelity_greedy),
        Strategy("dynamic-programming", "most fidelity for a budget, by trees; slow", Kind.FIDELITY, _dynamic),
    )
}
