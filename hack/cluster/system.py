"""The file system that all nodes start from, made of Debian packages.

Why: a node of its own file system depends on nothing that the machine has installed, and leaves nothing there.
Called by: running; seed, for containerd's programs.
"""

import hashlib
import subprocess
from pathlib import Path

from cluster.pins import read_pins
from cluster.programs import cache
from images.debian import fetch, read_lock
from images.tree import Tree
from servers.cache import only_one, unfinished
from servers.install import say

FOLDERS = ("dev", "etc/cluster", "etc/cni/net.d", "old", "opt/cluster", "proc", "root", "run", "shared", "sys", "tmp", "var/lib", "var/log")
FILTERS = ("iptables", "iptables-restore", "iptables-save", "ip6tables", "ip6tables-restore", "ip6tables-save")
FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\n",
    "etc/group": "root:x:0:\n",
    "etc/hosts": "127.0.0.1 localhost\n",
    "etc/machine-id": "0" * 31 + "1\n",
}


def system() -> Path:
    """Its folder; it is made first if need be."""
    lock = read_lock()
    packages = lock.chosen(read_pins().node)
    text = "\n".join(package.sha256 for package in packages) + Path(__file__).read_text(encoding="utf-8")
    target = cache() / f"system-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    if not target.exists():
        with only_one(cache()):
            say("cluster: unpacking the nodes' file system ...")
            unpack(fetch(packages, lock.day, cache() / "debian"), target)
    return target


def unpack(debs: list[Path], target: Path) -> None:
    with unfinished(target) as work:
        with Tree(work / "layer.tar") as tree:
            tree.packages(debs, lambda _: True)
            complete(tree)
        (work / target.name).mkdir(mode=0o755)
        subprocess.run(["tar", "-C", work / target.name, "-xpf", work / "layer.tar"], check=True)


def complete(tree: Tree) -> None:
    for name in FOLDERS:
        tree.folder(name)
    for name in FILTERS:  # Debian leaves the choice between two kinds to a script
        tree.link(f"usr/sbin/{name}", "xtables-nft-multi")
    for name, text in FILES.items():
        tree.file(name, text.encode())


def tool(system_folder: Path, name: str) -> list[str | Path]:
    """A program of that file system, run on the machine itself: by its own loader, with its own libraries."""
    libraries = system_folder / "usr" / "lib" / "x86_64-linux-gnu"
    return [libraries / "ld-linux-x86-64.so.2", "--library-path", libraries, system_folder / "usr" / "bin" / name]
