"""Small statistics over rows: shares, percentiles, means.

Called by: report and figures.
"""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from benchmarks.planning.store import Row

PROVEN = ("optimal", "infeasible")


def where(rows: Iterable[Row], **wanted: object) -> list[Row]:
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def share(rows: Sequence[Row], test: Callable[[Row], bool]) -> float:
    return sum(map(test, rows)) / len(rows) if rows else 0.0


def proven(row: Row) -> bool:
    return row["status"] in PROVEN


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(percent / 100 * (len(ordered) - 1)))] if ordered else float("nan")


def mean(values: Iterable[float]) -> float:
    found = list(values)
    return fmean(found) if found else float("nan")


def table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)
