"""The smallest budget whose best plan reaches a fidelity.

Why: people promise a fidelity and pay in replicas; the optimisers are given replicas and answer with a fidelity.
Called by: planning.by_budget, for a target of fidelity.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from levee.planning.result import Result, Stop

P = TypeVar("P")
TOLERANCE = 1e-9


def smallest_budget(solve: Callable[[int], Result[P]], most: int, fidelity: float, stop: Stop = Stop()) -> tuple[int, Result[P]]:
    """By bisection: more budget is never worse. The note says whether it is proven that one less does not do.

    Stopped early it gives the smallest that was found to do; before any was, all that there is.
    """
    low, high = 0, most  # Everything below `low` is too little; `high` is enough, or all there is.
    best: Result[P] | None = None
    highest_below = 0.0
    while low < high and not (stop.asked() or stop.remaining_s() <= 0):
        middle = (low + high) // 2
        found = solve(middle)
        if reaches(found, fidelity):
            best, high = found, middle
        else:
            low, highest_below = middle + 1, _at_most(found)
    result = best if best is not None else solve(high)
    just_below = highest_below if low == high else 1.0  # Stopped before: nobody has tried one less.
    return high, replace(result, notes=(*result.notes, *_note(result, high, fidelity, just_below)))


def reaches(result: Result[P], fidelity: float) -> bool:
    return result.objective is not None and result.objective >= fidelity - TOLERANCE


def _at_most(result: Result[P]) -> float:
    return 1.0 if result.bound is None else max(result.bound, result.objective or 0.0)


def _note(result: Result[P], budget: int, fidelity: float, highest_below: float) -> tuple[str, ...]:
    if not reaches(result, fidelity) or budget == 0:
        return ()
    if highest_below < fidelity - TOLERANCE:
        return (f"{budget} is the smallest budget: with {budget - 1} no plan has more than {highest_below:.4g}",)
    return (f"{budget} is the smallest budget found; it is not proven that {budget - 1} would not do",)
