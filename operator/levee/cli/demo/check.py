"""Whether this machine can run the demo; said before anything is started.

Called by: cli.demo.run.
"""

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

from levee.cli.demo.memory import free_here_mib
from levee.cli.shared import java
from levee.topology.complaint import Complaint

MEMORY_MIB, DISK_MIB = 3_000, 1_000  # three JVMs with their Python processes; streams, checkpoints and logs


def complaints(directory: Path) -> list[Complaint]:
    return [*java.missing(), *memory(), *disk(directory), *ports()]


def memory() -> Iterator[Complaint]:
    """Where the machine tells, or a container that may have less of it; elsewhere nobody knows."""
    free_mib = min(free_here_mib(), default=None)
    if free_mib is not None and free_mib < MEMORY_MIB:
        fix = "end other programs, or give the container more"
        yield Complaint("memory", f"{free_mib} MiB are free, and the demo needs about {MEMORY_MIB}", fix)


def disk(directory: Path) -> Iterator[Complaint]:
    there = next(one for one in (directory, *directory.parents) if one.exists())
    if not there.is_dir():
        yield Complaint("--directory", f"{there} is not a directory", "name another")
        return
    free_mib = shutil.disk_usage(there).free >> 20
    if free_mib < DISK_MIB:
        yield Complaint("disk", f"{free_mib} MiB are free in {there}, and the demo needs about {DISK_MIB}", "name another --directory")


def ports() -> Iterator[Complaint]:
    try:
        with socket.create_server(("127.0.0.1", 0)):
            return
    except OSError as error:
        yield Complaint("network", f"no port of 127.0.0.1 can be opened: {error.strerror}", "allow programs to listen on loopback")
