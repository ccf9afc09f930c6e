"""Workers are named by what is in them, so that whoever takes over finds those that are there."""

from levee.control.names import ReplicaName
from levee.control.placing import packed
from levee.topology.names import NodeName

HOMES = {
    ReplicaName("trade-filter/0/0"): NodeName("node1"),
    ReplicaName("aggregator/0/0"): NodeName("node1"),
    ReplicaName("trade-filter/0/1"): NodeName("node2"),
    ReplicaName("aggregator/0/1"): NodeName("node2"),
    ReplicaName("out/0/0"): NodeName("node2"),
}
NODES = [NodeName("node1"), NodeName("node2")]


def test_a_plan_that_is_read_in_another_order_has_the_same_workers() -> None:
    again = dict(sorted(HOMES.items()))
    for per_node in (1, 2, None):
        assert packed(HOMES, NODES, per_node, by_content=True) == packed(again, NODES, per_node, by_content=True)


def test_a_worker_with_other_replicas_in_it_is_another_worker() -> None:
    other = HOMES | {ReplicaName("out/0/1"): NodeName("node1")}
    (one, two), (another, same) = (packed(homes, NODES, 1, by_content=True) for homes in (HOMES, other))
    assert one.worker != another.worker
    assert two == same
