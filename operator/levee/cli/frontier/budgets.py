"""Which budgets a frontier of fidelity tries: some of all, and below each new level as many as it takes to find its price.

Why: the price of a level is the smallest budget that reaches it, not the one at which it was noticed.
Called by: cli.frontier.search.
"""

from collections.abc import Callable, Mapping
from math import ceil, log2

from levee.planning.case import Found
from levee.planning.result import Status

SAMPLES = 12
TINY = 1e-7

Attempt = Callable[[int, int], Found | None]  # so many tasks, and how many searches may follow; None: no more searches


def tried(attempt: Attempt, most: int) -> dict[int, Found]:
    """Every search that was made, by how many tasks it could replicate; an interruption ends it early."""
    found: dict[int, Found] = {}
    samples = sorted({round(most * step / SAMPLES) for step in range(SAMPLES + 1)} if most > SAMPLES else range(most + 1))
    searches = 1 + ceil(log2(max(1, most / SAMPLES)))
    for index, tasks in enumerate(samples):
        if not _try(attempt, found, tasks, (len(samples) - index) * searches):
            return found
    before = 0
    while len(found) > before:  # Between two levels others may be met.
        before = len(found)
        for tasks in sorted(found):
            less = [other for other in found if other < tasks and fidelity(found[other]) < fidelity(found[tasks]) - TINY]
            if not _narrow(attempt, found, (max(less, default=-1) + 1, tasks), len(samples)):
                return found
    return found


def _narrow(attempt: Attempt, found: dict[int, Found], between: tuple[int, int], left: int) -> bool:
    """Down to the smallest budget that reaches as much as the largest; false when there is no going on."""
    low, largest = between
    high = min(largest, used(found[largest]))
    while low < high:
        middle = (low + high) // 2
        if not _try(attempt, found, middle, left):
            return False
        if fidelity(found[middle]) >= fidelity(found[largest]) - TINY:
            high = min(middle, used(found[middle]))
        else:
            low = middle + 1
    return True


def _try(attempt: Attempt, found: dict[int, Found], tasks: int, left: int) -> bool:
    if tasks not in found:
        one = attempt(tasks, left)
        if one is None:
            return False
        found[tasks] = one
    return True


def fidelity(found: Found) -> float:
    return found.result.objective or 0.0


def used(found: Found) -> int:
    """How many tasks the plan replicates: it may leave some of its budget."""
    return len(found.replicated or ())


def is_smallest(found: Mapping[int, Found], one: Found) -> bool:
    """Whether it is proven that one task less reaches less."""
    less = found.get(used(one) - 1)
    return used(one) == 0 or (less is not None and less.result.status is Status.OPTIMAL and fidelity(less) < fidelity(one) - TINY)
