"""How the tasks of two neighbours are wired, from their counts and from whether keys are given.

Why: the user says how many tasks and by which columns; everything else follows (PPA's four partitionings).
Called by: topology.convert, and the check that says which counts would fit.
"""

from levee.topology.graph import Partitioning


def partitioning(producers: int, consumers: int, *, keyed: bool) -> Partitioning | None:
    """None: these counts fit no partitioning without keys."""
    if producers == consumers and (not keyed or consumers == 1):
        return Partitioning.ONE_TO_ONE
    if consumers == 1:
        return Partitioning.MERGE
    if keyed:
        return Partitioning.FULL
    if consumers % producers == 0:
        return Partitioning.SPLIT
    if producers % consumers == 0:
        return Partitioning.MERGE
    return None


def fitting_counts(producers: tuple[int, ...], wished: int, *, most: int = 5) -> tuple[int, ...]:
    """The counts nearest to the wished one that fit all these producers without keys, smallest first."""
    candidates = range(1, 2 * max(*producers, wished) + 1)
    fitting = [n for n in candidates if all(partitioning(p, n, keyed=False) for p in producers)]
    return tuple(sorted(sorted(fitting, key=lambda n: (abs(n - wished), n))[:most]))
