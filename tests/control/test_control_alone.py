"""Replicas that share a worker with nobody, however the others are packed."""

import pytest

from levee.control.names import ReplicaName
from levee.control.placing import packed
from levee.topology.names import NodeName, OperatorName

NODES = (NodeName("a"), NodeName("b"))
HOMES = {ReplicaName(name): NODES[index % 2] for index, name in enumerate(("x/0/0", "x/0/1", "heavy/0/0", "heavy/0/1", "y/0/0", "y/0/1"))}


@pytest.mark.parametrize("per_node", [1, 2, None])
def test_a_replica_of_an_operator_that_is_to_be_alone_has_a_worker_of_its_own(per_node: int | None) -> None:
    placed = packed(HOMES, NODES, per_node, by_content=True, alone={OperatorName("heavy")})
    assert [one.replicas for one in placed if any("heavy" in replica for replica in one.replicas)] == [("heavy/0/0",), ("heavy/0/1",)]
    assert sorted(replica for one in placed for replica in one.replicas) == sorted(HOMES)
    assert len({one.worker for one in placed}) == len(placed)
