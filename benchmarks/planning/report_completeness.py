"""The words and tables about completeness in docs/results/planning.md; every figure comes out of the rows.

Called by: report.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import isclose

from benchmarks.planning.completeness import MODEL_GOALS, MODEL_TASKS_MAX, OPTIMISERS, Optimiser
from benchmarks.planning.figures import PAPER_NAMES, PRUNINGS
from benchmarks.planning.settings import GOALS
from benchmarks.planning.statistics import mean, percentile, proven, share, table, where
from benchmarks.planning.store import Row
from levee.topology.graph import FailureModel


def speed(rows: Mapping[str, Sequence[Row]]) -> str:
    head = ("", "problems", "proven", "median", "p90", "p99", "longest", "largest gap left")
    return table(head, [_speed(OPTIMISERS[name], found) for name, found in rows.items()])


def _speed(optimiser: Optimiser, rows: Sequence[Row]) -> tuple[object, ...]:
    name = f"{optimiser.label}, {'wall' if optimiser.alone else 'CPU'} time"
    seconds = [row[optimiser.clock] for row in rows]
    times = [f"{percentile(seconds, percent):.3f} s" for percent in (50, 90, 99, 100)]
    left = [row for row in rows if not proven(row)]
    gaps = [row["gap"] for row in left if row["gap"] is not None]
    unplanned = sum(row["objective"] is None for row in left)
    gap = f"{max(gaps):.2%}" if gaps else "none"
    return name, len(rows), f"{share(rows, proven):.2%}", *times, gap + (f", {unplanned} without a plan" if unplanned else "")


def classes(rows: Mapping[str, Sequence[Row]]) -> str:
    names = [f"{status} ({short})" for status, short in PAPER_NAMES.items()]
    lines = [
        (f"{OPTIMISERS[name].label}, {goal}", *(len(where(found, goal=goal, status=status)) for status in PAPER_NAMES))
        for name, found in rows.items()
        for goal in GOALS
    ]
    return table(("optimiser, goal", *names), lines)


def first_ratios(search: Sequence[Row]) -> tuple[list[float], list[float]]:
    """Cost and time of FT-Search's first plan against its best, where it proved the best."""
    done = [row for row in where(search, status="optimal") if row["counters"].get("best_seconds")]
    costs = [row["counters"]["first_cost"] / row["objective"] for row in done]
    return costs, [row["counters"]["first_seconds"] / row["counters"]["best_seconds"] for row in done]


def pruning_shares(search: Sequence[Row]) -> tuple[list[float], list[float]]:
    """Share of the values that each pruning cut, and the mean height of its cuts, averaged over the problems."""
    counts = [sum(row["counters"][f"pruned_{name}"] for row in search) for name in PRUNINGS]
    heights = [mean(row["counters"][f"height_{name}"] for row in search if row["counters"][f"pruned_{name}"] > 0) for name in PRUNINGS]
    return [count / max(1.0, sum(counts)) for count in counts], heights


def agreement(exact: Sequence[Row], search: Sequence[Row]) -> Iterator[str]:
    pairs = list(zip(exact, search, strict=True))
    both = [(ours, theirs) for ours, theirs in pairs if proven(ours) and proven(theirs)]
    same = sum(_same(ours, theirs) for ours, theirs in both)
    worse = [theirs["objective"] / ours["objective"] for ours, theirs in pairs if _comparable(ours, theirs)]
    yield f"Where both finished ({len(both)} problems) they agree on {same}."
    if worse:
        yield f"Where FT-Search ended with an unproven plan and ours is proven ({len(worse)}), at {mean(worse):.3f} times the cost."
    only = sum(proven(ours) and not proven(theirs) for ours, theirs in pairs)
    reverse = sum(proven(theirs) and not proven(ours) for ours, theirs in pairs)
    yield f"Proven by the exact solver alone: {only}; by FT-Search alone: {reverse}."


def _same(ours: Row, theirs: Row) -> bool:
    if ours["status"] != theirs["status"]:
        return False
    return ours["objective"] is None or isclose(ours["objective"], theirs["objective"], rel_tol=1e-5)


def _comparable(ours: Row, theirs: Row) -> bool:
    return bool(ours["status"] == "optimal" and theirs["status"] == "feasible")


def models(rows: Sequence[Row]) -> str:
    """What the same promise costs under each failure model, where all three have a plan."""
    lines = []
    for goal in MODEL_GOALS:
        by_model = [where(rows, goal=goal, failures=model.value) for model in FailureModel]
        common = [found for found in zip(*by_model, strict=True) if all(row["objective"] is not None for row in found)]
        reached = [len([row for row in found if row["objective"] is not None]) for found in by_model]
        ratios = [mean(found[place]["objective"] / found[0]["objective"] for found in common) for place in range(len(by_model))]
        ended = [share(found, proven) for found in by_model]
        cells = [f"{ratio:.3f} ({count} reached, {end:.0%} proven)" for ratio, count, end in zip(ratios, reached, ended, strict=True)]
        lines.append((goal, len(common), *cells))
    head = ("goal", "all three have a plan", *(f"{model.value}: cost / pessimistic" for model in FailureModel))
    return f"Applications of at most {MODEL_TASKS_MAX} tasks, the published placement.\n\n" + table(head, lines)


def joint(rows: Sequence[Row], fixed: Sequence[Row]) -> str:
    """Placement planned together with the activation against the given placement."""
    lines = []
    for goal in MODEL_GOALS:
        ours, given = where(rows, goal=goal), where(fixed, goal=goal, failures="pessimistic")[: len(where(rows, goal=goal))]
        pairs = [(a, b) for a, b in zip(ours, given, strict=True) if a["objective"] is not None and b["objective"] is not None]
        gaps = [row["gap"] for row in ours if row["gap"] is not None]
        reached = [sum(row["objective"] is not None for row in found) for found in (given, ours)]
        ratio = mean(a["objective"] / b["objective"] for a, b in pairs)
        lines.append((goal, *reached, f"{ratio:.4f}", f"{share(ours, proven):.0%}", f"{mean(gaps):.2%}", f"{max(gaps, default=0):.2%}"))
    return table(("goal", "reached as placed", "reached jointly", "cost, joint / as placed", "proven", "mean gap", "largest gap"), lines)
