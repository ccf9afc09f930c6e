"""Processes that outlive the command that started them, and are found and ended by their number.

Why: a number is given again once its process is gone; with the time of its start beside it, we never end somebody else's.
Called by: control_plane, node, running.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from cluster.shell import Command
from servers.trouble import ServerTrouble

DIES_WITHIN_S = 10.0


def start(command: Command, log: Path, *, before: Callable[[], None] | None = None, extra: Mapping[str, str] | None = None) -> int:
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        running = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=before,  # noqa: PLW1509 - one thread
            env={**os.environ, **(extra or {})},
        )
    running.returncode = 0  # nobody waits for it: it is to stay
    return running.pid


def record(folder: Path, name: str, pid: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"{pid} {started(pid)}", encoding="ascii")


def recorded(folder: Path, name: str) -> int | None:
    """Its number, if it still runs."""
    with suppress(FileNotFoundError, ValueError):
        pid, since = (folder / name).read_text(encoding="ascii").split()
        return int(pid) if started(int(pid)) == since else None
    return None


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*"))


def started(pid: int) -> str:
    """In ticks since the machine's start; "" for a process that is gone or a zombie."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if words[0] in ("Z", "X") else words[19]


def end(folder: Path, name: str) -> None:
    """At once: what is to be seen after a crash is seen after this, too."""
    if (pid := recorded(folder, name)) is not None:
        with suppress(ProcessLookupError):
            kill(pid)
    (folder / name).unlink(missing_ok=True)


def kill(pid: int) -> None:
    handle = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        if not select.select([handle], [], [], DIES_WITHIN_S)[0]:
            raise ServerTrouble(f"Process {pid} does not die within {DIES_WITHIN_S:.0f} s")
    finally:
        os.close(handle)


def child_of(pid: int, *, within_s: float) -> int:
    """Of a process that starts exactly one."""
    deadline_s = time.monotonic() + within_s
    while not (children := Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()):
        if time.monotonic() > deadline_s:
            raise ServerTrouble(f"Process {pid} has started nothing within {within_s:.0f} s")
        time.sleep(0.01)
    return int(children[0])
