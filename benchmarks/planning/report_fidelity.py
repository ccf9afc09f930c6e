"""The words and tables about fidelity in docs/results/planning.md; every figure comes out of the rows.

Called by: report.
"""

from collections.abc import Sequence

from benchmarks.planning.fidelity import SOLVERS
from benchmarks.planning.settings import RATIOS
from benchmarks.planning.statistics import mean, percentile, share, table, where
from benchmarks.planning.store import Row
from levee.planning.generate.topologies import SETTINGS

LESS = 1e-9


def quality(rows: Sequence[Row]) -> str:
    lines = []
    for setting in SETTINGS:
        for ratio in RATIOS:
            found = where(rows, setting=setting.name, ratio=ratio)
            values = [f"{mean(row[solver]['objective'] for row in found):.4f}" for solver in SOLVERS]
            bound = mean(row["ours"]["bound"] for row in found)
            lines.append((setting.name, ratio, *values, f"{bound:.4f}", f"{share(found, solved):.0%}"))
    return table(("setting", "ratio", *SOLVERS, "bound", "proven"), lines)


def solved(row: Row) -> bool:
    return bool(row["ours"]["status"] == "optimal")


def summary(rows: Sequence[Row]) -> str:
    ours = [row["ours"] for row in rows]
    seconds = [row["cpu_seconds"] for row in ours]
    left = [one["bound"] - one["objective"] for one in ours if one["status"] != "optimal"]
    worse = sum(row["ours"]["objective"] < row["structure-aware"]["objective"] - LESS for row in rows)
    better = share(rows, lambda row: row["ours"]["objective"] > row["structure-aware"]["objective"] + LESS)
    lines = [
        ("problems", len(rows)),
        ("proven optimal", f"{share(rows, solved):.2%}"),
        ("CPU seconds: median, p95, p99, longest", ", ".join(f"{percentile(seconds, p):.3f}" for p in (50, 95, 99, 100))),
        ("distance to the bound where unproven: mean, largest", f"{mean(left):.4f}, {max(left):.4f}" if left else "none unproven"),
        ("below structure-aware", worse),
        ("strictly above structure-aware", f"{better:.1%}"),
    ]
    return table(("ours", ""), lines)


def room(rows: Sequence[Row]) -> str:
    """Panels (setting and ratio) in which ours is not strictly above structure-aware in mean although the bound leaves room."""
    flat = [
        f"{setting.name} at {ratio}"
        for setting in SETTINGS
        for ratio in RATIOS
        if (found := where(rows, setting=setting.name, ratio=ratio)) and _flat(found)
    ]
    return "nowhere" if not flat else ", ".join(flat)


def _flat(rows: Sequence[Row]) -> bool:
    theirs = mean(row["structure-aware"]["objective"] for row in rows)
    has_room = mean(row["ours"]["bound"] for row in rows) > theirs + 1e-6
    return has_room and mean(row["ours"]["objective"] for row in rows) <= theirs + LESS
