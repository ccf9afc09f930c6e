"""Images in the nodes: put once into a folder that new nodes start from, or into the nodes that run.

Why: unpacking an image takes longer than starting the cluster, so it is done once for all nodes, and anew only for layers that are new.
Called by: running (`up`), main (`load-image`).
"""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cluster.layout import PAUSE
from cluster.node import copy_images
from cluster.programs import cache
from cluster.settings import UNUSED
from cluster.shell import Command, run
from cluster.system import tool
from images import archive
from images.archive import Image, config
from images.layers import made
from servers.cache import clear_unfinished, only_one, unfinished
from servers.install import say
from servers.process import await_until
from servers.trouble import ServerTrouble

PREFIX, KEPT = "seed-", 2
SETTINGS = """version = 2
root = "{root}"
state = "{work}/state"
disabled_plugins = {unused}
[grpc]
  address = "{work}/socket"
"""


def pause(program: Path) -> Image:
    """What holds the namespaces of a pod; a program without libraries is an image by itself."""
    layer = made("pause", hashlib.sha256(program.read_bytes()).hexdigest(), lambda tree: tree.copy("pause", program))
    return Image(PAUSE, (layer,), 65534, {}, ("/pause",))


def seed(images: Sequence[Image], system: Path) -> Path:
    """Its folder; made from the one before, so that only what has changed is unpacked."""
    text = "\n".join(sorted(f"{image.name} {config(image).digest}" for image in images))
    target = cache() / f"{PREFIX}{hashlib.sha256((text + system.name).encode()).hexdigest()[:12]}"
    with only_one(cache()):
        if not target.exists():
            clear_unfinished(cache())
            started_s = time.monotonic()
            with unfinished(target) as work:
                begin(work / target.name)
                with running(system, work / target.name) as ctr:
                    load(ctr, images)
            say(f"cluster: images unpacked for the nodes after {time.monotonic() - started_s:.0f} s")
        os.utime(target)
        forget_old()
    return target


def begin(target: Path) -> None:
    if before := newest_first():
        copy_images(before[0], target)
    else:
        target.mkdir()


def newest_first() -> list[Path]:
    return sorted(cache().glob(f"{PREFIX}*"), key=lambda path: path.stat().st_mtime, reverse=True)


def forget_old() -> None:
    for path in newest_first()[KEPT:]:
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def running(system: Path, root: Path) -> Iterator[Command]:
    """A containerd for this alone; yields the command that talks to it."""
    with tempfile.TemporaryDirectory(prefix="levee-seed-") as work:
        settings, socket = Path(work) / "settings.toml", Path(work) / "socket"
        settings.write_text(
            SETTINGS.format(root=root, work=work, unused=json.dumps(["io.containerd.grpc.v1.cri", *UNUSED])), encoding="utf-8"
        )
        log = (Path(work) / "log").open("wb")
        daemon = subprocess.Popen([*tool(system, "containerd"), "--config", settings], stdout=log, stderr=log)
        try:
            await_until(lambda: socket.exists() or daemon.poll() is not None, "containerd does not answer")
            yield talk(system, socket)
        finally:
            daemon.terminate()
            daemon.wait()
            log.close()


def talk(system: Path, socket: Path) -> Command:
    return [*tool(system, "ctr"), "--address", socket, "--namespace", "k8s.io"]


def into_node(node_pid: int, images: Sequence[Image], system: Path) -> None:
    load(talk(system, Path(f"/proc/{node_pid}/root/run/containerd/containerd.sock")), images)


def load(ctr: Command, images: Sequence[Image]) -> None:
    """Layers that are there already are not sent; the label is by which kubelets know an image."""
    present = set(run([*ctr, "content", "ls", "-q"]).split())
    send([*ctr, "images", "import", "-"], images, present)
    for image in images:
        run([*ctr, "images", "label", image.name, "io.cri-containerd.image=managed"])


def send(command: Command, images: Sequence[Image], present: Collection[str]) -> None:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as importing:
        assert importing.stdin is not None and importing.stdout is not None
        try:
            archive.write(images, importing.stdin, present=present)
            importing.stdin.close()
        except BrokenPipeError:
            pass  # it will have said why
        said = importing.stdout.read().decode()
    if importing.returncode != 0:
        raise ServerTrouble(f"The images cannot be imported: {said.strip()}")
