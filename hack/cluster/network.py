"""The cables: a bridge on the machine, and a link to it from the control plane and from every node.

Why: a node that loses power must fall silent, and one that is cut off must go on computing; both are a matter of its one link.
No node has a default route, so nothing in the cluster reaches the outside.
Called by: running, faults.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from cluster.layout import BRIDGE, CONTROL, CONTROL_LINK, CONTROL_SPACE, FABRIC, HOST, PODS, SERVICES, SIMULATED_PODS, Node
from cluster.shell import Command, attempt, run

SPACES = Path("/run/netns")


def fabric(nodes: Iterable[Node]) -> Iterator[Command]:
    """The machine routes to the pods, too: tests ask them directly."""
    yield ["ip", "link", "add", BRIDGE, "type", "bridge"]
    yield ["ip", "address", "add", f"{HOST}/24", "dev", BRIDGE]
    yield ["ip", "link", "set", BRIDGE, "up"]
    yield from machine(CONTROL_SPACE, CONTROL_LINK, CONTROL)
    for node in nodes:
        yield ["ip", "route", "add", node.pods, "via", node.address]
        yield ["ip", "-n", CONTROL_SPACE, "route", "add", node.pods, "via", node.address]


def machine(space: str, link: str, address: str) -> Iterator[Command]:
    yield ["ip", "netns", "add", space]
    yield ["ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space]
    yield ["ip", "link", "set", link, "master", BRIDGE, "up"]
    yield ["ip", "-n", space, "link", "set", "lo", "up"]
    yield ["ip", "-n", space, "address", "add", f"{address}/24", "dev", "eth0"]
    yield ["ip", "-n", space, "link", "set", "eth0", "up"]


def cables(node: Node, others: Iterable[Node]) -> Iterator[Command]:
    """Packets to a service need some route to get as far as the rules that send them elsewhere."""
    yield from machine(node.space, node.link, node.address)
    yield ["ip", "-n", node.space, "route", "add", SERVICES, "dev", "eth0"]
    for other in others:
        if other != node:
            yield ["ip", "-n", node.space, "route", "add", other.pods, "via", other.address]
    yield ["ip", "netns", "exec", node.space, "sysctl", "-qw", "net.ipv4.ip_forward=1"]


def unplug(link: str, space: str) -> None:
    """The link first: sockets in their last throes keep a removed namespace, and with it the link, for minutes."""
    attempt(["ip", "link", "delete", link])
    attempt(["ip", "netns", "delete", space])


def switch(node: Node, *, connected: bool) -> None:
    run(["ip", "link", "set", node.link, "up" if connected else "down"])


def remove(nodes: Iterable[Node]) -> None:
    for node in nodes:
        unplug(node.link, node.space)
    unplug(CONTROL_LINK, CONTROL_SPACE)
    attempt(["ip", "link", "delete", BRIDGE])  # and the machine's routes with it


def remove_spaces_folder() -> None:
    """`ip netns` makes it, and a mount on it, for the first namespace; who had none before gets none."""
    if SPACES.exists() and not any(SPACES.iterdir()):
        attempt(["umount", SPACES])
        SPACES.rmdir()


def taken() -> str:
    """Somebody else's routes to our addresses, one a line."""
    ours = (FABRIC, PODS, SERVICES, SIMULATED_PODS)
    prefixes = tuple(".".join(network.split(".")[:2]) + "." for network in ours)
    rows = run(["ip", "-4", "route", "show", "table", "main"]).splitlines()
    return "\n".join(f"  {row}" for row in rows if row.startswith(prefixes) and BRIDGE not in row)
