"""The command behind `make cluster-up` and its kin.

Why: people and tests bring a cluster up, hurt its nodes and take it down by the same words.
Called by: __main__.
"""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from cluster import marker, processes, running, simulated
from cluster.api import connect
from cluster.faults import FAULTS, state_of
from cluster.layout import MOST_NODES
from cluster.programs import monitors, programs_folder
from cluster.seed import into_node
from cluster.system import system
from images.archive import Image
from images.build import TAG, build
from images.contents import ROOT
from servers.install import install
from servers.trouble import ServerTrouble

STORE = ("versitygw",)
TOOLS = ("kubectl", "helm")  # theirs are all the words that follow


def main(arguments: Sequence[str]) -> int:
    try:
        if arguments and arguments[0] in TOOLS:
            return tool(arguments[0], arguments[1:])
        chosen = parser().parse_args(arguments)
        if chosen.verb == "run" and names_another_cluster():
            return subprocess.run(chosen.command, check=False).returncode
        if chosen.verb == "build" and names_another_cluster():
            return 0
        marker.require_root()
        return perform(chosen)
    except ServerTrouble as trouble:
        print(trouble, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def perform(chosen: argparse.Namespace) -> int:
    match chosen.verb:
        case "up":
            bring_up(chosen.nodes, build(chosen.image) if chosen.nodes else ())
            simulate(chosen.simulated)
        case "simulate":
            simulate(chosen.count)
        case "build":
            install(STORE)
            running.built(build())
            monitors()
        case "down":
            with marker.only_one():
                running.down()
        case "status":
            print("\n".join(status()))
        case "load-image":
            load(build(chosen.image, tag=chosen.tag, source=chosen.source))
        case "run":
            return run(chosen.nodes, chosen.command)
        case _:
            found = running.present()
            FAULTS[chosen.verb](running.named(chosen.node, found), found)
    return 0


def bring_up(count: int, images: Sequence[Image]) -> None:
    install(STORE)
    with marker.only_one():
        running.up(count, images)


def simulate(count: int) -> None:
    """Of those only, so that who wants none waits for nothing."""
    folders = running.present().folders
    if count or simulated.there(connect(folders)):
        with marker.only_one():
            simulated.simulate(count, folders)


def load(images: Sequence[Image]) -> None:
    found = running.present()
    for machine in found.machines:
        if pid := processes.recorded(found.folders.processes, machine.name):
            into_node(pid, images, system())


def status() -> list[str]:
    found = running.present()
    ready = connect(found.folders).ready_nodes() if connect(found.folders).is_ready() else {}
    words = {True: "Ready", False: "NotReady", None: "unknown"}
    head = [f"KUBECONFIG={running.KUBECONFIG}", *(f"{name:20} ended" for name in ended(found.folders.processes))]
    rows = [(machine, state_of(machine, found), words[ready.get(machine.name)]) for machine in found.machines]
    return [*head, *(f"{machine.name:8} {machine.zone}  {machine.address:12} {state:12} {said}" for machine, state, said in rows)]


def ended(folder: Path) -> list[str]:
    """What should run and does not; crashed nodes are told of as such."""
    return [name for name in processes.names(folder) if not name.startswith("node") and processes.recorded(folder, name) is None]


def names_another_cluster() -> bool:
    return os.environ.get("KUBECONFIG", str(running.KUBECONFIG)) not in ("", str(running.KUBECONFIG))


def run(count: int, command: Sequence[str]) -> int:
    """With a cluster that is up already, or with one for this alone."""
    found = marker.read()
    mine = found is None or not found.is_ours or not running.is_alive(found)
    try:
        images = build()
        bring_up(count, images) if mine else load(images)
        with subprocess.Popen(command, env={**os.environ, "KUBECONFIG": str(running.KUBECONFIG)}) as started:
            signal.signal(signal.SIGTERM, lambda *_: started.terminate())
            signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C has reached the command, too
        return started.returncode if started.returncode >= 0 else 128 - started.returncode
    finally:
        if mine:
            with marker.only_one():
                running.down()


def tool(name: str, arguments: Sequence[str]) -> int:
    words = [programs_folder() / "kube", "kubectl"] if name == "kubectl" else [programs_folder() / name]
    environment = {"KUBECONFIG": str(running.KUBECONFIG), **os.environ}
    return subprocess.run([*words, *arguments], env=environment, check=False).returncode


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m hack.cluster", description="A real Kubernetes of several nodes on this machine, for tests."
    )
    verbs = top.add_subparsers(dest="verb", required=True)
    starting = verbs.add_parser("up", help="build what is missing, and start; what an earlier one left is removed first")
    running_one = verbs.add_parser(
        "run", help="run a command while a cluster is up: the one that KUBECONFIG names, or ours, with images of the code as it is"
    )
    for verb in (starting, running_one):
        verb.add_argument("--nodes", type=number_of_nodes, default=3)
    starting.add_argument("--simulated", type=number_of_simulated, default=0, metavar="COUNT", help="nodes without kubelets besides")
    simulating = verbs.add_parser(
        "simulate", help="have so many simulated nodes from now on; pods that tolerate their taint seem to run there"
    )
    simulating.add_argument("count", type=number_of_simulated, metavar="COUNT")
    running_one.add_argument("command", nargs="+", metavar="COMMAND")
    loading = verbs.add_parser("load-image", help="build images anew, and put what has changed into the running nodes")
    for verb in (starting, loading):
        verb.add_argument("--image", action="append", default=[], metavar="NAME", help="of docker/contents.toml; none: all")
    loading.add_argument("--tag", default=TAG, help=f"instead of {TAG}: beside those images, not in their place")
    loading.add_argument("--source", type=Path, default=ROOT, metavar="FOLDER", help="another checkout, whose code is to be in them")
    verbs.add_parser("build", help="build what `up` would, and start nothing; nothing at all if KUBECONFIG names another cluster")
    verbs.add_parser("down", help="stop, and remove every trace")
    verbs.add_parser("status", help="say how the nodes are")
    for name, fault in FAULTS.items():
        verbs.add_parser(name, help=(fault.__doc__ or "").split(".")[0]).add_argument("node")
    for name in TOOLS:
        verbs.add_parser(name, help=f"{name}, of the cluster's version and for this cluster", add_help=False)
    return top


def number_of_nodes(text: str) -> int:
    return number_within(text, MOST_NODES)


def number_of_simulated(text: str) -> int:
    return number_within(text, simulated.MOST)


def number_within(text: str, most: int) -> int:
    if not 0 <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"between 0 and {most}")
    return int(text)
