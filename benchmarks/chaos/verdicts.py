"""What was to be reached, what was measured, and whether that is so; every figure comes out of the rows.

Called by: report.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from benchmarks.chaos.settings import PERIOD_MS
from benchmarks.cluster.rows import Row
from benchmarks.cluster.trades import HOLD_MS
from benchmarks.lifecycle.verdicts import HEAD, Verdict
from benchmarks.planning.statistics import table

Ways = Mapping[str, Mapping[str, Sequence[Row]]]  # rows by way and fault
GAP_MS_MAX, TIMES_MIN = 2 * PERIOD_MS + HOLD_MS, 20.0


def verdicts(ways: Ways) -> str:
    return table(HEAD, (one.cells() for one in (*exactness(ways), *failovers(ways), *times(ways))))


def exactness(ways: Ways) -> Iterator[Verdict]:
    found = [row for way in ("active", "checkpoint") for rows in ways[way].values() for row in rows]
    counts = {
        "rows of the output lost": sum(row["output"]["lost"] for row in found),
        "rows of the output there twice": sum(row["output"]["duplicated"] for row in found),
        "final epochs lost or changed": sum(len(row["changed"]) for row in found),
    }
    rows, runs = sum(row["output"]["rows"] for row in found), len(found)
    for what, count in counts.items():
        yield Verdict(what, "0", f"{count}, of {rows:,} rows in {runs} runs", count == 0) if found else Verdict(what, "0")


def failovers(ways: Ways) -> Iterator[Verdict]:
    """In each run of each fault."""
    wanted = f"at most two epochs and a hold: {GAP_MS_MAX} ms"
    for fault, rows in ways["active"].items():
        longest = max(row["gap_ms"] for row in rows)
        measured = f"{longest:.0f} ms in the slowest of {len(rows)}"
        yield Verdict(f"failover to an active replica: {fault}", wanted, measured, longest <= GAP_MS_MAX)


def times(ways: Ways) -> Iterator[Verdict]:
    """By medians. What an undisturbed stream has from one epoch to the next is in both; without it, it is told besides."""
    wanted = f"at least {TIMES_MIN:g} times as fast as Spark alone"
    for fault, plain in ways["plain"].items():
        if active := ways["active"].get(fault):
            slow, fast = (median(row["gap_ms"] for row in rows) for rows in (plain, active))
            usual = median(ms for row in active for ms in row["undisturbed_ms"])
            beyond = f"beyond an undisturbed epoch's {usual:.0f} ms: {fast - usual:.0f} ms, {slow - usual:.0f} ms"
            measured = f"{slow / fast:.1f} times ({fast:.0f} ms, {slow:.0f} ms; {beyond})"
            yield Verdict(f"nothing comes out: {fault}", wanted, measured, slow >= TIMES_MIN * fast)
