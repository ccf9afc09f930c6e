"""Bring the cluster up, and take it down without a trace, whatever state it was left in.

Why: what was left by a command that was killed must neither be in the way nor stay; so everything is found again by its name.
Called by: main.
"""

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from cluster import certificates, cgroups, control_plane, marker, network, node, processes, simulated
from cluster.api import announce_dns, connect
from cluster.layout import CONTROL_CGROUP, Folders, Node, nodes
from cluster.marker import Marker
from cluster.programs import cache, programs
from cluster.seed import pause, seed
from cluster.shell import run_all
from cluster.system import system
from images.archive import Image
from images.contents import ROOT
from servers.install import installed, say
from servers.process import await_until
from servers.s3 import ACCESS_KEY, BUCKET, SECRET_KEY
from servers.trouble import ServerTrouble

KUBECONFIG = ROOT / "build" / "cluster" / "kubeconfig"


def up(count: int, images: Sequence[Image]) -> None:
    """Built first, then started: what can fail slowly fails before anything runs."""
    down()
    parts, images_folder = built(images) if count else (built_programs(), Path())  # images for nobody
    if taken := network.taken():
        raise ServerTrouble(f"The test cluster needs these addresses, but they are routed elsewhere:\n{taken}")
    found = Marker(str(ROOT), str(cache() / "running"), count, marker.kernel_settings(), network.SPACES.exists())
    found.write()
    started_s = time.monotonic()
    start(found.folders, nodes(count), parts, images_folder)
    say(f"cluster: {count} nodes are ready after {time.monotonic() - started_s:.1f} s; KUBECONFIG={KUBECONFIG}")


def built(images: Sequence[Image]) -> tuple[dict[str, Path], Path]:
    """What nodes are made of, and the folder of images that they start from."""
    parts = built_programs()
    return parts, seed([pause(parts["programs"] / "pause"), *images], parts["system"])


def built_programs() -> dict[str, Path]:
    return {"programs": programs(), "system": system()}


def start(folders: Folders, machines: Sequence[Node], parts: dict[str, Path], images_folder: Path) -> None:
    folders.shared.mkdir(parents=True)
    folders.shared.chmod(0o1777)
    certificates.write(folders.keys, machines)
    run_all(network.fabric(machines))
    cgroups.make(CONTROL_CGROUP)
    start_control_plane(folders, parts["programs"])
    for machine in machines:
        node.install(machine, folders, images_folder, len(machines))
        node.start(machine, machines, folders, parts)
    await_nodes(folders, len(machines))


def await_nodes(folders: Folders, count: int) -> None:
    KUBECONFIG.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(folders.config_of("admin"), KUBECONFIG)
    api = connect(folders)
    await_until(lambda: list(api.ready_nodes().values()) == [True] * count, f"The nodes are not ready (see {folders.logs})")


def start_control_plane(folders: Folders, built: Path) -> None:
    """The controllers come last: before the server is ready it forbids them to read, and they end."""
    start_parts(("etcd", "apiserver"), folders, built)
    start_s3(folders)
    api = connect(folders)
    await_until(api.is_ready, f"The API server is not ready (see {folders.logs})")
    start_parts(("controller-manager", "scheduler"), folders, built)
    (folders.state / "Corefile").write_text(control_plane.COREFILE.format(keys=folders.keys), encoding="utf-8")
    control_plane.start("dns", [built / "dns", "-conf", folders.state / "Corefile"], folders)
    announce_dns(api)


def start_parts(names: Sequence[str], folders: Folders, built: Path) -> None:
    for name in names:
        control_plane.start(name, control_plane.command(name, built / "kube", folders), folders)


def start_s3(folders: Folders) -> None:
    (folders.state / "buckets" / BUCKET).mkdir(parents=True)
    extra = {"ROOT_ACCESS_KEY": ACCESS_KEY, "ROOT_SECRET_KEY": SECRET_KEY}
    control_plane.start("s3", control_plane.s3(installed("versitygw"), folders), folders, extra)


def down() -> None:
    """Of what is there: each step bears that what it removes is gone, or never was."""
    found = marker.read()
    if found is None:
        return
    if not found.is_ours and is_alive(found):
        raise ServerTrouble(
            f"{found.checkout} has a cluster on this machine, and there can be only one: end it there with `make cluster-down`."
        )
    end_all(found)
    network.remove(found.machines)
    simulated.remove_route()
    cgroups.remove()
    remove_files(found, found.folders)


def end_all(found: Marker) -> None:
    for machine in found.machines:
        node.lose_power(machine, found.folders)
    for name in processes.names(found.folders.processes):
        processes.end(found.folders.processes, name)
    cgroups.end()


def remove_files(found: Marker, folders: Folders) -> None:
    if not found.had_spaces:
        network.remove_spaces_folder()
    marker.restore(found.kernel)
    shutil.rmtree(folders.state, ignore_errors=True)
    (Path(found.checkout) / KUBECONFIG.relative_to(ROOT)).unlink(missing_ok=True)
    marker.FILE.unlink()


def is_alive(found: Marker) -> bool:
    folder = found.folders.processes
    return any(processes.recorded(folder, name) for name in processes.names(folder))


def present() -> Marker:
    """Of the cluster that runs, ours."""
    found = marker.read()
    if found is None:
        raise ServerTrouble("No cluster is running: make cluster-up.")
    if not found.is_ours:
        raise ServerTrouble(f"The cluster that is running belongs to {found.checkout}.")
    return found


def named(name: str, found: Marker) -> Node:
    for machine in found.machines:
        if name in (machine.name, str(machine.number)):
            return machine
    raise ServerTrouble(f"There is no node {name!r}; there are {', '.join(machine.name for machine in found.machines)}.")
