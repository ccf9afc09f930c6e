"""A node's share of the machine: one group in every hierarchy, with its pods' groups below.

Why: what a node runs can be frozen as a whole, and is counted as a whole; inside, the group looks like the root of the machine.
Called by: node, control_plane, faults, running.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from cluster.layout import CGROUP, Node
from servers.trouble import ServerTrouble

ROOT = Path("/sys/fs/cgroup")
PATIENCE_S, PAUSE_S = 6.0, 0.1
INHERITED = ("cpuset.cpus", "cpuset.mems")  # empty in a new group, and then nothing may enter it


def hierarchies(mounts: str) -> dict[str, str]:
    """Folder name to mount options, of the lines of /proc/mounts: {"cpu,cpuacct": "cpu,cpuacct", "systemd": "none,name=systemd"}."""
    rows = [line.split() for line in mounts.splitlines()]
    return {
        Path(row[1]).name: "none,name=systemd" if "name=systemd" in row[3] else Path(row[1]).name
        for row in rows
        if row[2] == "cgroup" and Path(row[1]).parent == ROOT
    }


def mounted() -> dict[str, str]:
    found = hierarchies(Path("/proc/mounts").read_text(encoding="utf-8"))
    if "memory" not in found or "freezer" not in found:
        raise ServerTrouble(
            "The test cluster needs cgroup v1 hierarchies (memory, freezer, ...); this machine has none. See hack/cluster/README.md."
        )
    return found


def make(group: str) -> list[Path]:
    """In all hierarchies, new and empty: with the old ones of a crashed node a kubelet needs 12 s more to come up."""
    remove(group)
    made = [ROOT / name / group for name in mounted()]
    for path in made:
        path.mkdir(parents=True)
        for folder in (path.parent, path):
            inherit(folder)
    return made


def inherit(group: Path) -> None:
    for name in INHERITED:
        if (group / name).exists():
            (group / name).write_text((group.parent / name).read_text(encoding="ascii"), encoding="ascii")


def enter(groups: list[Path]) -> None:
    for group in groups:
        (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")


def freeze(node: Node, *, frozen: bool) -> None:
    """Frozen processes do not even die, so thaw before a kill."""
    state = ROOT / "freezer" / node.cgroup / "freezer.state"
    if not frozen and not state.exists():
        return
    wanted = "FROZEN" if frozen else "THAWED"
    state.write_text(wanted, encoding="ascii")
    deadline_s = time.monotonic() + PATIENCE_S
    while state.read_text(encoding="ascii").strip() != wanted:
        if time.monotonic() > deadline_s:
            raise ServerTrouble(f"{node.name} is not {wanted.lower()} after {PATIENCE_S:.0f} s")
        time.sleep(PAUSE_S)


def is_frozen(node: Node) -> bool:
    return (ROOT / "freezer" / node.cgroup / "freezer.state").read_text(encoding="ascii").strip() != "THAWED"


def end(group: str = CGROUP) -> None:
    """Of all that is in it, and in groups below: what a command started that was killed before it could write down a number."""
    deadline_s = time.monotonic() + PATIENCE_S
    while pids := members(group):
        if time.monotonic() > deadline_s:
            raise ServerTrouble(f"These processes do not die: {pids}")
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(PAUSE_S / 10)


def members(group: str) -> list[int]:
    texts = [path.read_text(encoding="ascii") for path in (ROOT / "freezer" / group).rglob("cgroup.procs")]
    return [int(pid) for text in texts for pid in text.split()]


def remove(group: str = CGROUP) -> None:
    """A group goes once the last of its processes is buried."""
    deadline_s = time.monotonic() + PATIENCE_S
    while left := [path for path in groups_named(group) if not removed(path)]:
        if time.monotonic() > deadline_s:
            raise ServerTrouble(f"These groups still hold processes: {', '.join(map(str, left))}")
        time.sleep(PAUSE_S)


def groups_named(group: str) -> Iterator[Path]:
    return (path for path in ROOT.glob(f"*/{group}") if path.is_dir())


def removed(group: Path) -> bool:
    for folder, _, _ in os.walk(group, topdown=False):
        with suppress(OSError):
            Path(folder).rmdir()
    return not group.exists()
