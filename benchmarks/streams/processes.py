"""CPU and memory of a process and of everything that it has started.

Why: a worker is a Python process, a JVM and Spark's Python processes, which share much; only the proportional share adds up.
Called by: the measuring modules.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from levee.worlds.local.processes import Process, family, identify

PROC = Path("/proc")
TICKS = os.sysconf("SC_CLK_TCK")


def members(pid: int | None = None) -> tuple[Process, ...]:
    found = identify(pid or os.getpid())
    return family(found) if found else ()


def cpu_s(pid: int | None = None) -> float:
    """Of this process, or another, and all its descendants, those that have ended included."""
    return sum(map(cpu_of, members(pid)))


def cpu_of(process: Process) -> float:
    try:
        fields = (PROC / str(process.pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


def pss_mib(processes: Iterable[Process]) -> dict[str, float]:
    """By what they are: the worker's own Python, Java, Spark's Python processes."""
    found: dict[str, float] = {}
    for number, process in enumerate(processes):
        kind = "worker" if number == 0 else kind_of(process)
        found[kind] = found.get(kind, 0.0) + pss_of(process)
    return found


def kind_of(process: Process) -> str:
    try:
        name = (PROC / str(process.pid) / "comm").read_text().strip()
    except OSError:
        return "gone"
    return "java" if name.startswith("java") else "python"


def pss_of(process: Process) -> float:
    try:
        lines = (PROC / str(process.pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
