"""Where a curve of guarantee over cost bends most.

Why: people ask which guarantee is worth its price; the point that is farthest from the straight line is a fair first answer.
Called by: cli.frontier.search.
"""

from collections.abc import Sequence


def knee(points: Sequence[tuple[float, float]]) -> int | None:
    """The index of the (cost, guarantee) that lies farthest above the chord from the first to the last; None on a straight line."""
    if len(points) < 3:
        return None
    (x0, y0), (x1, y1) = points[0], points[-1]
    if x1 <= x0 or y1 <= y0:
        return None
    above = [(y - y0) / (y1 - y0) - (x - x0) / (x1 - x0) for x, y in points]
    best = max(range(len(points)), key=lambda index: above[index])
    return best if above[best] > 1e-6 else None
