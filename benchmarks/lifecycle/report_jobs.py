"""The tables about starts and recoveries in docs/results/lifecycle.md, with the paper's figures beside ours.

Called by: report.
"""

from collections.abc import Iterator, Sequence
from statistics import mean

from benchmarks.cluster.rows import Row
from benchmarks.lifecycle.settings import PUBLISHED, Published
from benchmarks.lifecycle.verdicts import most_memory
from benchmarks.planning.statistics import table

STARTS = """
## To start, and to recover

*start*: from the first topology applied until the last one runs, as its status says; every worker has been asked by then, and is ready.
*recover*: from the start of the new operator's process, Python's imports included, until it has looked at all topologies, every worker
has told how its replicas are, and nothing is left to do: mean, and the slowest. The paper's numbers are means of ten runs on up to
90 machines of 2008, its time to recover begins with the start of the orchestrator, too; ratios compare better than seconds.

{table}

{beside}
"""
IMPORTS = """
The paper's test {test} is of jobs that share elements and streams; it does not say which. Here half of the {topologies} topologies import
one or two streams of others, and wait in `mapping` until the exporter runs and has its first epoch. They look again after 1, 2, 4, 8 ...
seconds, which is in the time to start.
"""
WRITES = """
## What a recovery writes, and what the operator costs

*its writes*: requests of the new operator that change anything but its own lease, over the recovery and 20 s after it, in the worst of
the crashes; *all writes*: what the API server counts in that time to pods, topologies, events, ConfigMaps and budgets, by whomever;
*pods changed*: made or gone meanwhile. *idle*: cores that the operator uses while nothing happens, and what it writes in 20 s of that.
*memory*: of the operator and its planner's processes, at its highest. *a lost pod*: from its deletion until another has its place.

{table}
"""
START_HEAD = ("nodes", "topologies", "tasks", "pods", "start, s", "recover, s", "slowest", "recover / start")
PAPER_HEAD = ("paper's test", "start, s", "recover, s", "ratio")
COSTS_HEAD = (
    *("tasks", "its writes", "all writes", "pods changed", "leads after, s", "CPU of a recovery, s"),
    *("memory, MiB", "idle, cores", "idle, writes", "a lost pod, s"),
)


def sections(rows: Sequence[Row]) -> Iterator[str]:
    ordered = sorted(rows, key=lambda row: (row["tasks"], row["nodes"]))
    if not ordered:
        return
    lines = [(*sizes(row), *measured(row), *published(paper(row))) for row in ordered]
    yield STARTS.format(table=table((*START_HEAD, *PAPER_HEAD), lines), beside=beside(ordered))
    for row, told in ((row, paper(row)) for row in ordered):
        if told is PUBLISHED[-1]:
            yield IMPORTS.format(test=told.test, topologies=row["topologies"])
    yield WRITES.format(table=table(COSTS_HEAD, map(cost, ordered)))


def sizes(row: Row) -> tuple[str, ...]:
    return f"{row['nodes']}", f"{row['topologies']}", f"{row['tasks']}", f"{row['pods']}"


def measured(row: Row) -> tuple[str, ...]:
    busy = " (busy)" if row["busy"] else ""
    slowest = max(one["recover_s"] for one in row["recoveries"])
    return f"{row['start_s']:.1f}{busy}", f"{row['recover_s']:.1f}", f"{slowest:.1f}", f"{row['recover_s'] / row['start_s']:.2f}"


def published(found: Published | None) -> tuple[str, ...]:
    if found is None:
        return ("-",) * len(PAPER_HEAD)
    return found.test, f"{found.start_s}", f"{found.recover_s}", f"{found.recover_s / found.start_s:.2f}"


def paper(row: Row) -> Published | None:
    return next((one for one in PUBLISHED if (one.nodes, one.tasks) == (row["nodes"], row["tasks"])), None)


def beside(rows: Sequence[Row]) -> str:
    """In words; and which of its tests are not there."""
    there = [(row, told) for row in rows if (told := paper(row)) is not None]
    left = [one.test for one in PUBLISHED if one not in [told for _, told in there]]
    said = [compared(*there[0], *there[-1])] if len(there) > 1 else []
    return "\n\n".join([*said, *([f"Not measured in this run: the paper's tests {', '.join(left)}."] if left else [])])


def compared(few: Row, told_few: Published, many: Row, told_many: Published) -> str:
    sooner = told_many.recover_s / many["recover_s"]
    return (
        f"From {few['tasks']} to {many['tasks']} tasks the time to recover grows {many['recover_s'] / few['recover_s']:.1f} times here and "
        f"{told_many.recover_s / told_few.recover_s:.1f} times in the paper, the time to start {many['start_s'] / few['start_s']:.1f} and "
        f"{told_many.start_s / told_few.start_s:.1f} times. At {many['tasks']} tasks on {many['nodes']} nodes a recovery takes "
        f"{many['recover_s'] / many['start_s']:.2f} of a start, in the paper {told_many.recover_s / told_many.start_s:.2f}; "
        f"in seconds it is {sooner:.1f} times as fast, on one machine where the paper had {told_many.nodes}."
    )


def cost(row: Row) -> tuple[str, ...]:
    found = row["recoveries"]
    worst = (f"{max(one[name] for one in found)}" for name in ("own_writes", "writes", "pods_changed"))
    means = (f"{mean(one[name] for one in found):.1f}" for name in ("leads_s", "cpu_s"))
    own = (f"{most_memory(row):.0f}", f"{row['idle_cores']:.2f}", f"{row['idle_writes']}", f"{row['event_s']:.2f}")
    return f"{row['tasks']}", *worst, *means, *own
