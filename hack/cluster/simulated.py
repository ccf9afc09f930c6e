"""Simulated nodes: the API server has them, kwok plays their kubelets, and nothing runs on their pods.

Why: a controller for ten thousand pods on a thousand nodes cannot be tried with kubelets on one machine. Nodes bear a taint, so that only
pods that tolerate it stand there, and addresses of their pods are the machine's own: whoever listens on them answers for the pods.
Called by: main, running.
"""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from cluster import control_plane, processes
from cluster.api import Api, connect, is_ready
from cluster.layout import CONTROL, SIMULATED_PODS, Folders
from cluster.programs import kwok
from cluster.shell import attempt
from servers.install import say
from servers.trouble import ServerTrouble

STAGES = Path(__file__).with_name("simulated.yaml")
LABEL = "levee.dev/simulated"  # also the taint
PLAYED_BY_KWOK = "kwok.x-k8s.io/node"
MOST, FEW, MANY = 2000, 20, 200
GRACE_OF_MANY_S, GRACE_OF_MOST_S = 50, 200  # a lease of each node a second, or in ten, is too much for a machine that does all else, too
CORES, MEMORY, PODS = "32", "256Gi", "250"
NODES = "/api/v1/nodes"
AT_ONCE = 8
READY_WITHIN_S, LOOK_S = 300.0, 1.0
ROUTE = ("local", SIMULATED_PODS, "dev", "lo")
T = TypeVar("T")


def grace_s(count: int) -> int:
    """After how long a silent node is not ready, real ones included."""
    if count <= FEW:
        return control_plane.GRACE_S
    return GRACE_OF_MANY_S if count <= MANY else GRACE_OF_MOST_S


def lease_s(count: int) -> int:
    """Renewed in a quarter of it."""
    return max(control_plane.GRACE_S, grace_s(count) * 4 // 5)


def name_of(number: int) -> str:
    return f"simulated-{number:04d}"


def node(number: int) -> dict[str, Any]:
    capacity = {"cpu": CORES, "memory": MEMORY, "pods": PODS}
    labels = {LABEL: "true", "kubernetes.io/hostname": name_of(number), "topology.kubernetes.io/zone": f"zone-{'abc'[number % 3]}"}
    return {
        "metadata": {"name": name_of(number), "labels": labels, "annotations": {PLAYED_BY_KWOK: "fake"}},
        "spec": {"taints": [{"key": LABEL, "value": "true", "effect": "NoSchedule"}]},
        "status": {"allocatable": capacity, "capacity": capacity},
    }


def simulate(count: int, folders: Folders) -> None:
    """So many, from now on; those that there are stay."""
    api = connect(folders)
    before = there(api)
    wanted = {name_of(number) for number in range(1, count + 1)}
    if grace_s(count) != grace_s(len(before)) or (wanted and processes.recorded(folders.processes, "kwok") is None):
        restart(count, folders)
    each(lambda name: remove(api, name), before - wanted)
    each(lambda number: create(api, number), [number for number in range(1, count + 1) if name_of(number) not in before])
    await_nodes(api, wanted, folders)
    say(f"cluster: {count} simulated nodes are ready; a silent node is noticed after {grace_s(count)} s")


def await_nodes(api: Api, wanted: set[str], folders: Folders) -> None:
    deadline_s = time.monotonic() + READY_WITHIN_S
    while there(api, ready=True) != wanted:
        if time.monotonic() > deadline_s:
            raise ServerTrouble(f"The simulated nodes are not ready within {READY_WITHIN_S:.0f} s (see {folders.logs}/kwok.log)")
        time.sleep(LOOK_S)


def restart(count: int, folders: Folders) -> None:
    """The controller manager's patience and kwok's leases must fit."""
    program, kube = kwok(), control_plane.kube()
    for name in ("kwok", "controller-manager"):
        processes.end(folders.processes, name)
    control_plane.start("controller-manager", control_plane.command("controller-manager", kube, folders, grace_s(count)), folders)
    if count:
        attempt(["ip", "route", "replace", *ROUTE])
        control_plane.start("kwok", command(program, count, folders), folders)
    else:
        remove_route()


def command(program: Path, count: int, folders: Folders) -> list[str | Path]:
    leases = ["--node-lease-duration-seconds", str(lease_s(count))]
    nodes = ["--manage-all-nodes=false", f"--manage-nodes-with-annotation-selector={PLAYED_BY_KWOK}=fake"]
    addresses = ["--node-ip", CONTROL, "--cidr", SIMULATED_PODS]
    return [program, "--kubeconfig", folders.config_of("admin"), "--config", STAGES, *nodes, *leases, *addresses]


def remove_route() -> None:
    attempt(["ip", "route", "delete", *ROUTE])


def there(api: Api, *, ready: bool = False) -> set[str]:
    items = api.get(f"{NODES}?labelSelector={LABEL}")["items"]
    return {item["metadata"]["name"] for item in items if not ready or is_ready(item)}


def create(api: Api, number: int) -> None:
    api.create(NODES, node(number))


def remove(api: Api, name: str) -> None:
    status, text = api.ask("DELETE", f"{NODES}/{name}")
    if status not in (200, 404):
        raise ServerTrouble(f"The API server does not delete node {name}: {text.strip()}")


def each(act: Callable[[T], None], things: Iterable[T]) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(act, things))
