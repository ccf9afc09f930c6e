"""Write docs/results/lifecycle.md from whatever has been measured.

Called by: __main__.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import mean

from benchmarks.lifecycle.resources import SINKS, TASKS
from benchmarks.lifecycle.rows import Row
from benchmarks.lifecycle.settings import CORES_USED_MAX, IMPORTING, PUBLISHED, Mode, Published
from benchmarks.planning import machine

HEAD = """\
# The controller: what was measured

Written by `make bench-lifecycle`; nothing here is typed by hand. The experiment is that of Figure 8 of Jacques-Silva, Challenger,
Degenaro, Giles and Wagle, *Towards Autonomic Fault Recovery in System-S*: topologies are started, the orchestrator is killed while all
of them run, and started again.

- Machine: {machine}; kubernetes client {client}.
- Run: {mode}.
- **Real**: the API server, etcd, scheduler and controller manager ([hack/cluster](../../hack/cluster/README.md)), the operator as its
  own process (`python -m levee.serve`), killed by SIGKILL; an S3 server with plans and control logs.
- **Simulated**: nodes and kubelets (kwok). Pods are scheduled and become ready; nothing computes in them. Whoever asks a pod how its
  replicas are is answered, over HTTP and for each pod by itself, by a process that says that they do an epoch a second.
- All of it is on this one machine: what the API server and kwok use, the operator has not. Each topology has {tasks} tasks, one of them
  a source and {sinks} sinks, as in the paper; sources and sinks have two replicas each, so there are more pods than tasks.
- Right before each measurement it is seen how many cores others use; above {cores} it is marked (busy). {busy}
"""
STARTS = """
## To start, and to recover

*start*: from the first topology applied until the last one runs, as its status says; every worker has been asked by then, and is ready.
*recover*: from the start of the new operator's process, Python's imports included, until it has looked at all topologies, every worker
has told how its replicas are, and nothing is left to do; mean of {crashes} crashes. The paper's numbers are means of ten runs on up to
90 machines of 2008; ratios compare better than seconds.

{table}

{missing}
"""
WRITES = """
## What a recovery writes, and what the operator costs

*its writes*: requests of the new operator that change anything but its own lease, over the recovery and 20 s after it, in the worst of
the crashes; *all writes*: what the API server counts in that time to pods, topologies, events, ConfigMaps and budgets, by whomever;
*pods changed*: made or gone meanwhile. *idle*: cores that the operator uses while nothing happens. *a lost pod*: from its deletion
until another has its place.

{table}
"""
TURNS = """
## What an event costs

One topology, in one process, without a network: `quiet` is a turn in which nothing has happened, `event` are the two turns after a pod
was lost: one starts its successor, the other sees it; `whole` is a look at all tasks, as it comes when a control record or a node has
changed, and besides at most for a tenth of the time. Medians.

{table}
"""


def write(mode: Mode, parts: Mapping[str, Sequence[Row]], page: Path) -> None:
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("".join(sections(mode, parts)), encoding="utf-8")


def sections(mode: Mode, parts: Mapping[str, Sequence[Row]]) -> Iterable[str]:
    rows = [row for found in parts.values() for row in found]
    yield HEAD.format(
        machine=machine.describe(),
        client=version("kubernetes"),
        mode=mode.describe(),
        tasks=TASKS,
        sinks=SINKS,
        cores=CORES_USED_MAX,
        busy=f"{sum(row['busy'] for row in rows)} of {len(rows)} are.",
    )
    jobs = sorted(parts["jobs"], key=lambda row: (row["tasks"], row["nodes"]))
    if jobs:
        yield STARTS.format(crashes=max(len(row["recoveries"]) for row in jobs), table=starts(jobs), missing=missing(jobs))
        yield WRITES.format(table=costs(jobs))
    if parts["turn"]:
        yield TURNS.format(table=turns(sorted(parts["turn"], key=lambda row: int(row["tasks"]))))


def starts(rows: Sequence[Row]) -> str:
    head = ("nodes", "topologies", "tasks", "pods", "start, s", "recover, s", "recover / start", "paper: start", "recover", "ratio")
    return table(head, [(*sizes(row), *measured(row), *published(paper(row))) for row in rows])


def sizes(row: Row) -> tuple[str, ...]:
    return f"{row['nodes']}", f"{row['topologies']}", f"{row['tasks']}", f"{row['pods']}"


def measured(row: Row) -> tuple[str, ...]:
    busy = " (busy)" if row["busy"] else ""
    return f"{row['start_s']:.1f}{busy}", f"{row['recover_s']:.1f}", f"{row['recover_s'] / row['start_s']:.2f}"


def published(found: Published | None) -> tuple[str, ...]:
    return ("", "", "") if found is None else (f"{found.start_s}", f"{found.recover_s}", f"{found.recover_s / found.start_s:.2f}")


def paper(row: Row) -> Published | None:
    return next((one for one in PUBLISHED if (one.nodes, one.tasks) == (row["nodes"], row["tasks"]) and one is not IMPORTING), None)


def missing(rows: Sequence[Row]) -> str:
    known = {(row["nodes"], row["tasks"]) for row in rows}
    left = [one.test for one in PUBLISHED if (one.nodes, one.tasks) not in known and one is not IMPORTING]
    told = f"Not measured in this run: the paper's tests {', '.join(left)}. " if left else ""
    paper_says = f"{IMPORTING.start_s} s to start, {IMPORTING.recover_s} s to recover there"
    return (
        f"{told}The paper's test {IMPORTING.test}, 104 topologies with {IMPORTING.tasks} tasks that import each other's streams on "
        f"{IMPORTING.nodes} nodes ({paper_says}), is left out: this bench has no topologies that import yet."
    )


def costs(rows: Sequence[Row]) -> str:
    head = (
        "tasks",
        "its writes",
        "all writes",
        "pods changed",
        "leads after, s",
        "CPU of a recovery, s",
        "memory, MiB",
        "idle, cores",
        "a lost pod, s",
    )
    return table(head, [cost(row) for row in rows])


def cost(row: Row) -> tuple[str, ...]:
    found = row["recoveries"]
    worst = (max((one[name] for one in found), default=0) for name in ("own_writes", "writes", "pods_changed"))
    means = (f"{mean(one[name] for one in found):.1f}" for name in ("leads_s", "cpu_s"))
    return f"{row['tasks']}", *map(str, worst), *means, f"{row['memory_mib']:.0f}", f"{row['idle_cores']:.2f}", f"{row['event_s']:.2f}"


def turns(rows: Sequence[Row]) -> str:
    found = [
        (
            f"{row['tasks']}",
            f"{row['pods']}",
            f"{row['quiet_ms']:.1f}",
            f"{row['event_ms']:.1f}",
            f"{row['whole_ms']:.0f}",
            f"{row['writes']}",
        )
        for row in rows
    ]
    return table(("tasks", "pods", "quiet, ms", "event, ms", "whole, ms", "writes of quiet turns"), found)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
