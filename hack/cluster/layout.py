"""Names, addresses and folders of the cluster.

Why: the certificates, the routes and the configuration files must agree on them.
Called by: all modules here.
"""

from dataclasses import dataclass
from pathlib import Path

BRIDGE = "levee0"
HOST, CONTROL = "10.40.0.1", "10.40.0.2"  # the machine itself, and the control plane, as pods and nodes see them
FABRIC, PODS, SERVICES = "10.40.0.0/24", "10.41.0.0/16", "10.43.0.0/16"
SIMULATED_PODS = "10.42.0.0/16"  # of simulated nodes: the machine itself answers for them
API_SERVICE, DNS_SERVICE = "10.43.0.1", "10.43.0.10"
API = f"https://{CONTROL}:6443"
S3_PORT = 7070
DOMAIN = "cluster.local"
CONTROL_SPACE, CONTROL_LINK = "levee-control", "levee-control0"
CGROUP = "levee"
CONTROL_CGROUP = f"{CGROUP}/control"
PAUSE = "localhost/levee/pause:1"
MOST_NODES = 99  # their addresses are 10.40.0.101 to .199


@dataclass(frozen=True, slots=True)
class Node:
    number: int

    @property
    def name(self) -> str:
        return f"node{self.number}"

    @property
    def zone(self) -> str:
        return f"zone-{'abc'[(self.number - 1) % 3]}"

    @property
    def address(self) -> str:
        return f"10.40.0.{100 + self.number}"

    @property
    def pods(self) -> str:
        return f"10.41.{self.number}.0/24"

    @property
    def space(self) -> str:
        """Its network namespace."""
        return f"levee-{self.name}"

    @property
    def link(self) -> str:
        """Its cable, at the machine's end."""
        return f"levee-{self.name}"

    @property
    def cgroup(self) -> str:
        return f"{CGROUP}/{self.name}"


def nodes(count: int) -> tuple[Node, ...]:
    return tuple(Node(number) for number in range(1, count + 1))


@dataclass(frozen=True, slots=True)
class Folders:
    """Everything a running cluster writes is below `state`, and goes with it."""

    state: Path

    @property
    def keys(self) -> Path:
        return self.state / "keys"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    @property
    def processes(self) -> Path:
        return self.state / "processes"

    @property
    def shared(self) -> Path:
        """What every node sees as /shared."""
        return self.state / "shared"

    def config_of(self, name: str) -> Path:
        return self.keys / f"{name}.kubeconfig"

    def disk(self, node: Node) -> Path:
        """What outlives a crash of the node."""
        return self.state / node.name
