"""What was wanted of the controller, what was measured, and whether that is reached; every figure comes out of the rows.

Called by: report.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.cluster.rows import Row
from benchmarks.planning.statistics import table
from levee.worlds.kubernetes.parts import FEWEST_PODS

PAPERS_MOST, LARGE = 930, 10_000  # tasks
RATIO_MAX, RECOVER_S_MAX, EVENT_TIMES_MAX = 0.1, 5.0, 2.0
MEMORY_MIB_MAX = 1024  # the limit that the chart sets by default
HEAD = ("", "wanted", "measured", "")


@dataclass(frozen=True, slots=True)
class Verdict:
    what: str
    wanted: str
    measured: str = ""
    met: bool | None = None  # None: it was not measured

    def cells(self) -> tuple[str, ...]:
        words = {None: "not measured", True: "reached", False: "**missed**"}
        return self.what, self.wanted, self.measured or "-", words[self.met]


def verdicts(parts: Mapping[str, Sequence[Row]]) -> str:
    jobs, turns = parts["jobs"], parts["turn"]
    found = (*ratios(jobs), *recoveries(jobs), *steadiness(jobs), *events(turns), memory(jobs))
    return table(HEAD, (one.cells() for one in found))


def ratios(rows: Sequence[Row]) -> Iterator[Verdict]:
    wanted = f"at most {RATIO_MAX:g}"
    for row in (same := [row for row in rows if row["tasks"] == PAPERS_MOST]):
        ratio = row["recover_s"] / row["start_s"]
        yield Verdict(f"recover / start, {row['tasks']:,} tasks on {row['nodes']} nodes", wanted, f"{ratio:.3f}", ratio <= RATIO_MAX)
    if not same:
        yield Verdict(f"recover / start, {PAPERS_MOST} tasks", wanted)


def recoveries(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The operator's own start is in it."""
    few, many = [row for row in rows if row["tasks"] <= PAPERS_MOST], [row for row in rows if row["tasks"] >= LARGE]
    for same, tasks in ((few, f"up to {PAPERS_MOST} tasks"), (many, f"{LARGE:,} tasks")):
        slowest = worst(same, "recover_s")
        measured = None if slowest is None else f"{slowest:.1f} s in the slowest of {crashes(same)} crashes"
        yield judged(f"to recover, {tasks}", f"below {RECOVER_S_MAX:g} s", measured, slowest is not None and slowest < RECOVER_S_MAX)


def steadiness(rows: Sequence[Row]) -> Iterator[Verdict]:
    """What the operator says of itself, and what the API server says of everybody."""
    idle = max((row["idle_writes"] for row in rows), default=None)
    yield none("writes of the operator while nothing happens", idle)
    yield none("writes of the operator in a recovery and after it", worst(rows, "own_writes"))
    yield none("all that the API server was asked to write meanwhile", worst(rows, "writes"))
    yield none("pods made or gone meanwhile", worst(rows, "pods_changed"))


def none(what: str, most: float | None) -> Verdict:
    return judged(what, "0", None if most is None else f"{most:.0f} at most", most == 0)


def events(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The largest topology against the smallest; and, more strictly, against the smallest that is looked at in parts, as it is itself."""
    ordered = sorted(rows, key=lambda row: int(row["tasks"]))
    yield event(ordered)
    if (in_parts := [row for row in ordered if row["pods"] >= FEWEST_PODS]) != ordered:
        yield event(in_parts)


def event(ordered: Sequence[Row]) -> Verdict:
    """Linear would be as many times the cost as there are more tasks."""
    what, wanted = "an event, by tasks", f"at most {EVENT_TIMES_MAX:g} times the cost"
    if len(ordered) < 2:
        return Verdict(what, wanted)
    few, many = ordered[0], ordered[-1]
    times, larger = many["event_ms"] / few["event_ms"], many["tasks"] / few["tasks"]
    measured = f"{times:.2f} times ({few['event_ms']:.1f} ms, {many['event_ms']:.1f} ms), {larger:.0f} times as many tasks"
    return Verdict(f"an event, {few['tasks']:,} to {many['tasks']:,} tasks", wanted, measured, times <= EVENT_TIMES_MAX)


def memory(rows: Sequence[Row]) -> Verdict:
    """Of the operator and its planner's processes, before the crashes or after."""
    what, wanted = "memory of the operator", f"at most {MEMORY_MIB_MAX} MiB"
    if not rows:
        return Verdict(what, wanted)
    row = max(rows, key=most_memory)
    most = most_memory(row)
    return Verdict(what, wanted, f"{most:.0f} MiB, {row['tasks']:,} tasks", most <= MEMORY_MIB_MAX)


def most_memory(row: Row) -> float:
    return max(float(row["memory_mib"]), float(row["memory_after_mib"]))


def judged(what: str, wanted: str, measured: str | None, met: bool) -> Verdict:
    return Verdict(what, wanted) if measured is None else Verdict(what, wanted, measured, met)


def worst(rows: Sequence[Row], name: str) -> float | None:
    return max((one[name] for row in rows for one in row["recoveries"]), default=None)


def crashes(rows: Sequence[Row]) -> int:
    return sum(len(row["recoveries"]) for row in rows)
