"""The CPU time of a worker: its own, the JVM's, and that of Spark's Python processes.

Why: most of what a worker costs is spent by its children, which Prometheus' own collector does not see.
Called by: metrics.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    command: str
    cpu_s: float  # with that of the children that it has waited for


def cpu_seconds(root: int, proc: Path = Path("/proc")) -> dict[str, float]:
    """By kind; of the worker alone where the machine has no /proc."""
    if not (proc / str(root) / "stat").exists():
        return {"worker": sum(os.times()[:2])}
    spent = {"worker": 0.0, "jvm": 0.0, "python": 0.0}
    for process in family(root, processes(proc)):
        kind = "worker" if process.pid == root else "jvm" if process.command == "java" else "python"
        spent[kind] += process.cpu_s
    return spent


def processes(proc: Path) -> Iterator[Process]:
    for folder in proc.iterdir():
        if folder.name.isdecimal():
            try:
                yield parsed(int(folder.name), (folder / "stat").read_text())
            except (OSError, ValueError):  # it has just ended
                continue


def parsed(pid: int, stat: str) -> Process:
    """A command may hold spaces and parentheses, so one counts from the last of those."""
    command, _, rest = stat.partition("(")[2].rpartition(")")
    fields = rest.split()
    return Process(pid, int(fields[1]), command, sum(map(int, fields[11:15])) / TICKS_PER_S)


def family(root: int, there: Iterator[Process]) -> Iterator[Process]:
    children: dict[int, list[Process]] = {}
    known = {}
    for process in there:
        children.setdefault(process.parent, []).append(process)
        known[process.pid] = process
    waiting = [known[root]] if root in known else []
    while waiting:
        process = waiting.pop()
        yield process
        waiting.extend(children.get(process.pid, ()))
