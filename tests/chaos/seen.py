"""A topology as its status shows it, for whoever aims at it.

Called by: the tests of chaos.
"""

from levee.control.names import ReplicaName, WorkerName, task_of
from levee.topology.names import NodeName
from levee.worlds.local.rows import ReplicaRow
from levee_chaos.aim import Seen


def row(replica: str, node: str, role: str, status: str = "running") -> ReplicaRow:
    name = ReplicaName(replica)
    return ReplicaRow(name, task_of(name), NodeName(node), WorkerName(f"{node}-0"), 1, role, status, 7, 0, 0, 1.0, "")


SEEN = Seen(
    "shop/clicks",
    (
        row("market/0/0", "node-1", "primary"),
        row("market/0/1", "node-2", "standby"),
        row("vwap/0/0", "node-1", "secondary"),
        row("vwap/0/1", "node-2", "primary"),
        row("vwap/1/0", "node-2", "secondary"),
        row("vwap/1/1", "node-3", "primary"),
        row("out/0/0", "node-4", "none", "node lost"),
    ),
    {NodeName("node-1"): True, NodeName("node-2"): True, NodeName("node-3"): True, NodeName("node-4"): False, NodeName("node-5"): True},
    {NodeName("node-1"): "zone-a", NodeName("node-2"): "zone-b", NodeName("node-3"): "zone-a", NodeName("node-4"): "zone-b"},
)
