"""Start a node, or take its power away.

Why: a crash must be all of it at once: processes, network, memory; what stays is the disk, and a reboot finds it.
Called by: running, faults.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from cluster import cgroups, network, processes, settings
from cluster.layout import Folders, Node
from cluster.shell import Command, run_all

INIT = Path(__file__).with_name("node-init.sh")
CONTAINERD = "lib/containerd"
DATABASES = ("io.containerd.snapshotter.v1.overlayfs/metadata.db", "io.containerd.metadata.v1.bolt/meta.db")
STARTS_WITHIN_S = 20.0
APART = ("unshare", "--cgroup", "--ipc", "--uts", "--pid", "--mount", "--propagation", "private", "--fork", "--kill-child")


def start(node: Node, others: Sequence[Node], folders: Folders, parts: Mapping[str, Path]) -> None:
    """`parts`: where the programs and the file system are."""
    network.unplug(node.link, node.space)
    run_all(network.cables(node, others))
    groups = cgroups.make(node.cgroup)
    inside: Command = ["nsenter", f"--net=/run/netns/{node.space}", *APART, "bash", INIT]
    extra = environment(node, folders, parts)
    pid = processes.start(inside, folders.logs / f"{node.name}.log", before=lambda: cgroups.enter(groups), extra=extra)
    processes.record(folders.processes, f"{node.name}-outside", pid)
    processes.record(folders.processes, node.name, processes.child_of(pid, within_s=STARTS_WITHIN_S))


def environment(node: Node, folders: Folders, parts: Mapping[str, Path]) -> dict[str, str]:
    groups = " ".join(f"{name}:{options}" for name, options in cgroups.mounted().items())
    told = {
        "NODE": node.name,
        "ADDRESS": node.address,
        "ZONE": node.zone,
        "CGROUPS": groups,
        "SHARED": str(folders.shared),
        "DISK": str(folders.disk(node)),
    }
    return told | {name.upper(): str(path) for name, path in parts.items()}


def lose_power(node: Node, folders: Folders) -> None:
    cgroups.freeze(node, frozen=False)
    processes.end(folders.processes, node.name)
    processes.end(folders.processes, f"{node.name}-outside")
    cgroups.end(node.cgroup)
    network.unplug(node.link, node.space)


def install(node: Node, folders: Folders, seed: Path, count: int) -> None:
    """A new disk: the images, and who the node is."""
    etc = folders.disk(node) / "etc"
    (etc / "cni").mkdir(parents=True)
    total_mib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    for name, text in settings.files(node, settings.reserved_mib(total_mib, count)).items():
        (etc / name).write_text(text, encoding="utf-8")
    keys = {f"{node.name}.crt": "node.crt", f"{node.name}.key": "node.key", f"{node.name}.kubeconfig": "kubeconfig"}
    for source, name in (keys | {"authority.crt": "authority.crt", "proxy.kubeconfig": "proxy.kubeconfig"}).items():
        shutil.copy(folders.keys / source, etc / name)
    copy_images(seed, folders.disk(node) / CONTAINERD)


def copy_images(seed: Path, target: Path) -> None:
    """Hard links: what is committed there is never written again. Its two databases are, so they are copied."""
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-al", seed, target], check=True)
    for name in DATABASES:
        (target / name).unlink()
        shutil.copy(seed / name, target / name)
