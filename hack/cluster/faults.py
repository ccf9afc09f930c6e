"""What can happen to a node, and how it is undone.

Why: a crash, a stall and a cut cable look alike from afar and differ in what comes back; the operator must bear all three.
Called by: main, tests/e2e/cluster.
"""

from collections.abc import Callable
from pathlib import Path

from cluster import cgroups, network, node, processes
from cluster.layout import Node
from cluster.marker import Marker
from cluster.programs import programs_folder
from cluster.system import system
from servers.trouble import ServerTrouble


def crash(machine: Node, found: Marker) -> None:
    """Its power is cut: processes, memory and network are gone at once, its disk stays. `reboot` brings it back."""
    require_running(machine, found)
    node.lose_power(machine, found.folders)


def reboot(machine: Node, found: Marker) -> None:
    """With or without a crash before."""
    node.lose_power(machine, found.folders)
    node.start(machine, found.machines, found.folders, {"programs": programs_folder(), "system": system()})


def freeze(machine: Node, found: Marker) -> None:
    """Nothing on it computes, its connections stay open. `thaw` lets it go on as if nothing had been."""
    require_running(machine, found)
    cgroups.freeze(machine, frozen=True)


def thaw(machine: Node, found: Marker) -> None:
    """A frozen node goes on."""
    require_running(machine, found)
    cgroups.freeze(machine, frozen=False)


def partition(machine: Node, found: Marker) -> None:
    """It goes on computing, and nobody hears of it. `heal` plugs the cable in again."""
    require_running(machine, found)
    network.switch(machine, connected=False)


def heal(machine: Node, found: Marker) -> None:
    """A partitioned node is connected again."""
    require_running(machine, found)
    network.switch(machine, connected=True)


def require_running(machine: Node, found: Marker) -> None:
    if processes.recorded(found.folders.processes, machine.name) is None:
        raise ServerTrouble(f"{machine.name} has crashed: `reboot {machine.name}` brings it back.")


def state_of(machine: Node, found: Marker) -> str:
    if processes.recorded(found.folders.processes, machine.name) is None:
        return "crashed"
    if cgroups.is_frozen(machine):
        return "frozen"
    state = Path(f"/sys/class/net/{machine.link}/flags").read_text(encoding="ascii")
    return "running" if int(state, 16) & 1 else "partitioned"


FAULTS: dict[str, Callable[[Node, Marker], None]] = {fault.__name__: fault for fault in (crash, reboot, freeze, thaw, partition, heal)}
