"""The table about failover on the cluster in docs/results/lifecycle.md: ways of coming back, side by side.

Called by: report.
"""

from collections.abc import Iterator, Sequence
from statistics import median

from benchmarks.cluster.rows import Row
from benchmarks.cluster.trades import CHECKPOINT_EVERY, HOLD_MS, PERIOD_MS, TASK
from benchmarks.planning.statistics import table

NAMES = {"static": "active replica", "none": "restart from a checkpoint"}
SECTION = """
## Failover: the pod of a primary is killed

On three real nodes, where containers compute: a source, a filter, an operator with state (`{task}`) and a sink, an epoch every
{period} ms, a hold of {hold} ms, a checkpoint every {every} epochs. The pod of the operator's primary is deleted with a grace of 0, at any
moment between two checkpoints. *gap*: the longest time between two epochs of its stream that ended after that, until all was well again,
by the inode times of the store's objects; and in epochs, of which an undisturbed stream has gaps of one. The start of the lost pod's
successor on the same cores is in it. *undisturbed*: all gaps of the {even} epochs before the faults. *pod alone*: from the deletion until
a pod in its place is ready, which is what a plain restart takes before it has computed anything.

{table}

{beside}
"""


def sections(rows: Sequence[Row]) -> Iterator[str]:
    columns = {NAMES[name]: gaps_of(row) for name in NAMES for row in rows if row["strategy"] == name}
    if not columns:
        return
    trials = [one for row in rows for one in row["trials"]]
    even, pods = [ms for one in trials for ms in one["undisturbed_ms"]], [1000 * one["pod_s"] for one in trials]
    columns = {"undisturbed": even, **columns, "pod alone": pods}
    told = {"task": TASK, "period": PERIOD_MS, "hold": HOLD_MS, "every": CHECKPOINT_EVERY, "even": longest_before(trials)}
    yield SECTION.format(table=table(("", *columns), lines(columns, rows)), beside=beside(columns), **told)


def gaps_of(row: Row) -> list[float]:
    return [one["gap_ms"] for one in row["trials"]]


def longest_before(trials: Sequence[Row]) -> int:
    return max((len(one["undisturbed_ms"]) for one in trials), default=0)


def lines(columns: dict[str, list[float]], rows: Sequence[Row]) -> list[tuple[str, ...]]:
    found = list(columns.values())
    return [
        ("how often", *(f"{len(one)}" for one in found)),
        ("gap, p50, ms", *(f"{median(one):.0f}" for one in found)),
        ("gap, longest, ms", *(f"{max(one):.0f}" for one in found)),
        ("gap, p50, epochs", *(f"{median(one) / PERIOD_MS:.1f}" for one in found)),
        ("gap, longest, epochs", *(f"{max(one) / PERIOD_MS:.1f}" for one in found)),
        ("epochs computed again, p50", *(replayed(name, rows) for name in columns)),
    ]


def replayed(column: str, rows: Sequence[Row]) -> str:
    """An active replica has them already."""
    found = [one["replayed"] for row in rows for one in row["trials"] if NAMES[row["strategy"]] == column and row["replicas"] == 1]
    return f"{median(found):.0f}" if found else "-"


def beside(columns: dict[str, list[float]]) -> str:
    active, restarted = (columns.get(NAMES[name]) for name in ("static", "none"))
    if not active or not restarted:
        return "Only one of the two ways was measured in this run."
    share = median(active) / median(restarted)
    return f"At the median, the gap with an active replica is {share:.2f} of that with a restart from a checkpoint."
