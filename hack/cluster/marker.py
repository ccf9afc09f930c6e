"""Who has a cluster on this machine: one file, and a lock that the kernel lets go of.

Why: addresses and groups are the machine's, so there can be one cluster; and whoever finds its remains must be able to remove them.
Called by: running, main.
"""

import json
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from cluster.layout import Folders, Node, nodes
from images.contents import ROOT
from servers.trouble import ServerTrouble

FILE = Path("/run/levee-cluster.json")
LOCK = "\0levee-cluster"  # a name without a file: it is gone with the process that took it
TOOLS = ("ip", "nsenter", "unshare", "pivot_root", "openssl", "bash", "mount", "umount", "sysctl")
KERNEL_SETTINGS = (  # kubelets set these for the whole machine
    *("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops"),
    *("kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes"),
)


@dataclass(frozen=True, slots=True)
class Marker:
    checkout: str
    state: str
    nodes: int
    kernel: dict[str, str]
    had_spaces: bool  # a folder for network namespaces, before

    def write(self) -> None:
        partial = FILE.with_suffix(".partial")
        partial.write_text(json.dumps(asdict(self)), encoding="utf-8")
        partial.rename(FILE)

    @property
    def is_ours(self) -> bool:
        return self.checkout == str(ROOT)

    @property
    def folders(self) -> Folders:
        return Folders(Path(self.state))

    @property
    def machines(self) -> tuple[Node, ...]:
        return nodes(self.nodes)


def read() -> Marker | None:
    try:
        return Marker(**json.loads(FILE.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def kernel_settings() -> dict[str, str]:
    there = {name: Path("/proc/sys") / name for name in KERNEL_SETTINGS}
    return {name: path.read_text(encoding="ascii").strip() for name, path in there.items() if path.exists()}


def restore(settings: dict[str, str]) -> None:
    for name, value in settings.items():
        (Path("/proc/sys") / name).write_text(value, encoding="ascii")


def require_root() -> None:
    if os.geteuid() != 0:
        raise ServerTrouble(
            "The test cluster needs root, for namespaces and mounts: run this as root, or name a cluster of yours: KUBECONFIG=FILE."
        )
    if missing := [name for name in TOOLS if not shutil.which(name)]:
        raise ServerTrouble(
            f"The test cluster needs {', '.join(missing)}. On Debian and Ubuntu: apt install iproute2 util-linux openssl procps"
        )


@contextmanager
def only_one() -> Iterator[None]:
    """Nobody brings a cluster up or down meanwhile."""
    with socket.socket(socket.AF_UNIX) as lock:
        try:
            lock.bind(LOCK)
        except OSError:
            raise ServerTrouble("Another command is bringing the test cluster up or down: wait for it.") from None
        yield
