"""Processes of this machine, named so that they are never mistaken: a number alone is soon another's.

Why: a run that crashed leaves numbers in a file; signals must reach those very processes or nobody.
Called by: nodes, workers, faults and the clean-up of what a crashed run has left.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
HAS_PROC = (PROC / "self" / "stat").exists()
ZOMBIES = ("Z", "X")


@dataclass(frozen=True, slots=True)
class Process:
    """A process, by its number and when it started."""

    pid: int
    started: str  # as the system says it; only ever compared


@dataclass(frozen=True, slots=True)
class Look:
    process: Process
    parent: int
    state: str  # of ps: R, S, T (stopped), Z ...


def look(pid: int) -> Look | None:
    """None: there is no such process, or only its remains."""
    found = from_proc(pid) if HAS_PROC else from_ps(pid)
    return None if found is None or found.state[:1] in ZOMBIES else found


def from_proc(pid: int) -> Look | None:
    try:
        text = (PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # a command may hold spaces and brackets
    return Look(Process(pid, fields[19]), int(fields[1]), fields[0])


def from_ps(pid: int) -> Look | None:
    words = subprocess.run(["ps", "-o", "ppid=,state=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout.split()  # noqa: S603, S607
    return Look(Process(pid, " ".join(words[2:])), int(words[0]), words[1]) if len(words) > 2 else None


def identify(pid: int) -> Process | None:
    found = look(pid)
    return found.process if found else None


def lives(process: Process) -> bool:
    return identify(process.pid) == process


def is_paused(process: Process) -> bool:
    found = look(process.pid)
    return found is not None and found.process == process and found.state.startswith(("T", "t"))


def family(process: Process) -> tuple[Process, ...]:
    """A process and all that descends from it, itself first."""
    children: dict[int, list[Look]] = {}
    for one in everybody():
        children.setdefault(one.parent, []).append(one)
    found = [process]
    for member in found:  # grows while it is walked
        found += [child.process for child in children.get(member.pid, ())]
    return tuple(found)


def everybody() -> Iterable[Look]:
    if HAS_PROC:
        pids = [int(entry.name) for entry in PROC.iterdir() if entry.name.isdecimal()]
    else:
        listed = subprocess.run(["ps", "-axo", "pid="], capture_output=True, text=True, check=False).stdout.split()  # noqa: S607
        pids = [int(pid) for pid in listed]
    return [found for pid in pids if (found := look(pid)) is not None]


def send(process: Process, number: signal.Signals, *, to_group: bool = False) -> bool:
    """False: it is no longer there."""
    if not lives(process):
        return False
    try:
        (os.killpg if to_group else os.kill)(process.pid, number)
    except ProcessLookupError:
        return False
    return True


def send_family(process: Process, number: signal.Signals) -> bool:
    """To a worker, its Java and its Python processes."""
    if not lives(process):
        return False
    for one in family(process):
        with contextlib.suppress(PermissionError):
            send(one, number)
    return True
