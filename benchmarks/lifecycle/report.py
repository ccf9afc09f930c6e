"""Write docs/results/lifecycle.md from whatever has been measured.

Called by: __main__.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.cluster.rows import Row
from benchmarks.lifecycle import report_failover, report_jobs, verdicts
from benchmarks.lifecycle.resources import SINKS, TASKS
from benchmarks.lifecycle.settings import CORES_USED_MAX, Mode
from benchmarks.planning import machine
from benchmarks.planning.statistics import table
from levee.worlds.kubernetes.parts import FEWEST_PODS

HEAD = """\
# The controller: what was measured

Written by `make bench-lifecycle`; nothing here is typed by hand. The experiment is that of Figure 8 of Jacques-Silva, Challenger,
Degenaro, Giles and Wagle, *Towards Autonomic Fault Recovery in System-S*: topologies are started, the orchestrator is killed while all
of them run, and started again.

- Machine: {machine}; kubernetes client {client}.
- Run: {mode}. Measuring took {minutes:.0f} minutes.
- **Real**: the API server, etcd, scheduler and controller manager ([hack/cluster](../../hack/cluster/README.md)), the operator as its
  own process (`python -m levee.serve`), killed by SIGKILL; an S3 server with plans and control logs.
- **Simulated**, but for failover: nodes and kubelets (kwok). Pods are scheduled and become ready; nothing computes in them. Whoever asks
  a pod how its replicas are is answered, over HTTP and for each pod by itself, by a process that says that they do an epoch a second.
- All of it is on this one machine: what the API server and kwok use, the operator has not. Each topology has {tasks} tasks, one of them
  a source and {sinks} sinks, as in the paper; sources and sinks have two replicas each, so there are more pods than tasks.
- Right before each measurement it is seen how many cores others use; above {cores} it is marked (busy). {busy}
"""
VERDICTS = """
## What was wanted, and what is reached

{table}

Writes are counted over each recovery and 20 s after it, and over 20 s before the crashes. An event counts as independent of the number of
tasks if it costs at most twice as much in the largest topology as in the smallest, where linear would be as many times as there are more
tasks. Topologies of less than {pods} pods are looked at as a whole each time, which costs more than a part of a large one; so the largest
is compared with the smallest of those that are looked at in parts, too. For memory the wanted is what
[the chart](../../helm/levee/README.md) allows the operator by default.
"""
UNFINISHED = """
## What did not come to its end

Asked for, tried, and not finished; the next run tries it again.

{table}
"""
TURNS = """
## What an event costs

One topology, in one process, without a network: `quiet` is a turn in which nothing has happened, `event` are the two turns after a pod
was lost: one starts its successor, the other sees it; `whole` is a look at all tasks, as it comes when a control record or a node has
changed, and besides at most for a tenth of the time. Medians.

{table}
"""
TURNS_HEAD = ("tasks", "pods", "quiet, ms", "event, ms", "whole, ms", "writes of quiet turns")
S_PER_MINUTE = 60


def write(mode: Mode, parts: Mapping[str, Sequence[Row]], unfinished: Sequence[Row], page: Path) -> None:
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("".join(sections(mode, parts, unfinished)), encoding="utf-8")


def sections(mode: Mode, parts: Mapping[str, Sequence[Row]], unfinished: Sequence[Row]) -> Iterable[str]:
    yield head(mode, [row for found in parts.values() for row in found])
    yield VERDICTS.format(table=verdicts.verdicts(parts), pods=FEWEST_PODS)
    if unfinished:
        yield UNFINISHED.format(table=table(("part", "settings", "why"), map(untold, unfinished)))
    yield from report_jobs.sections(parts["jobs"])
    if parts["turn"]:
        yield TURNS.format(table=table(TURNS_HEAD, map(turn, sorted(parts["turn"], key=lambda row: int(row["tasks"])))))
    yield from report_failover.sections(parts["failover"])


def head(mode: Mode, rows: Sequence[Row]) -> str:
    return HEAD.format(
        machine=machine.describe(),
        client=version("kubernetes"),
        mode=mode.describe(),
        minutes=sum(row["took_s"] for row in rows) / S_PER_MINUTE,
        tasks=TASKS,
        sinks=SINKS,
        cores=CORES_USED_MAX,
        busy=f"{sum(row['busy'] for row in rows)} of {len(rows)} are.",
    )


def untold(row: Row) -> tuple[str, ...]:
    """As a cell of a table: on one line, and without its mark."""
    return str(row["part"]), ", ".join(map(str, row["key"])), str(row["why"]).replace("|", "/")


def turn(row: Row) -> tuple[str, ...]:
    costs = (f"{row['quiet_ms']:.1f}", f"{row['event_ms']:.1f}", f"{row['whole_ms']:.0f}")
    return f"{row['tasks']}", f"{row['pods']}", *costs, f"{row['writes']}"
