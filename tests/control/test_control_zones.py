"""Two replicas of a task stand in two zones, where there are two with a node for them; else on two nodes."""

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from levee.control.actions import StartWorker, WriteRecord
from levee.control.decide import decide
from levee.control.names import Instant, ReplicaName, replica_name
from levee.control.placing import refuge, with_ends
from levee.control.seen import NodeSeen, Observation
from levee.control.wanted import Wanted
from levee.topology.names import NodeName, TaskId, ZoneName
from tests.control.stage import HEALTHY, NODES, NOW, WANTED, with_dead_node

ENDS = [TaskId(f"end/{index}") for index in range(12)]
A, B, C = map(ZoneName, "abc")


def nodes(count: int) -> list[NodeName]:
    return [NodeName(f"node-{number}") for number in range(count)]


@pytest.mark.parametrize(("in_a", "in_b"), list(product((1, 2, 5), (1, 3))))
def test_both_replicas_of_a_source_or_sink_are_in_different_zones(in_a: int, in_b: int) -> None:
    there = nodes(in_a + in_b)
    zones = {node: A if place < in_a else B for place, node in enumerate(there)}
    homes = with_ends({}, ENDS, there, zones)
    for task in ENDS:
        assert {zones[homes[replica_name(task, number)]] for number in (0, 1)} == {A, B}


def test_in_one_zone_they_are_on_different_nodes_and_on_one_node_there_is_one() -> None:
    there = nodes(3)
    homes = with_ends({}, ENDS, there, dict.fromkeys(there, A))
    assert all(len({homes[replica_name(task, number)] for number in (0, 1)}) == 2 for task in ENDS)
    assert set(Counter(homes.values()).values()) == {8}, "no node has more than another"
    assert len(with_ends({}, ENDS, there[:1], {there[0]: A})) == len(ENDS)
    assert with_ends({}, ENDS, [], {}) == {}


def test_without_zones_they_go_to_the_emptiest_nodes_as_they_always_did() -> None:
    there = nodes(4)
    placement = {TaskId("vwap/0"): (there[0], there[1])}
    homes = with_ends(placement, ENDS[:3], there, {})
    found = [homes[replica_name(task, number)] for task in ENDS[:3] for number in (0, 1)]
    assert found == [there[place] for place in (2, 3, 0, 1, 2, 3)]


def test_within_a_zone_the_emptiest_node_is_taken() -> None:
    there = nodes(4)
    zones = dict(zip(there, (A, A, B, B), strict=True))
    homes = with_ends({TaskId("vwap/0"): (there[0], there[2])}, ENDS[:1], there, zones)
    assert {homes[replica_name(ENDS[0], number)] for number in (0, 1)} == {there[1], there[3]}


def test_who_has_lost_its_node_begins_in_a_zone_where_its_task_is_not_even_if_it_is_fuller_there() -> None:
    lost, other, busy = ReplicaName("vwap/0/0"), ReplicaName("vwap/0/1"), ReplicaName("index/0/0")
    there = nodes(3)
    zones = dict(zip(there, (A, A, B), strict=True))
    homes, loads = {other: there[0], busy: there[2]}, {busy: 1.5, lost: 0.5, other: 0.5}
    assert refuge([lost], homes, there, loads, {}, {}) == {there[1]: (lost,)}
    assert refuge([lost], homes, there, loads, {}, zones) == {there[2]: (lost,)}


def test_if_no_other_zone_is_left_it_begins_on_another_node() -> None:
    lost, other = ReplicaName("vwap/0/0"), ReplicaName("vwap/0/1")
    there = nodes(2)
    assert refuge([lost], {other: there[0]}, there, {}, {}, dict.fromkeys(there, A)) == {there[1]: (lost,)}
    assert refuge([lost], {other: there[0]}, there[:1], {}, {}, {}) == {}


def test_the_controller_leaves_a_dead_node_by_zones() -> None:
    new = NodeName("node-4")
    base = replace(HEALTHY, nodes=(*HEALTHY.nodes, NodeSeen(new, alive=True, since=Instant(0))))
    seen = with_dead_node(0, ago_ms=5_000, base=base)
    [others_lead] = decide(WANTED, seen, NOW).actions
    assert isinstance(others_lead, WriteRecord)
    seen = replace(seen, record=others_lead.record)
    market = ReplicaName("market/0/0")
    assert home_of(market, WANTED, seen) == new, "the emptiest"
    wanted = replace(WANTED, zones={NODES[1]: B, NODES[2]: C, new: B})
    assert home_of(market, wanted, seen) == NODES[2], "its other replica is in the zone of the emptiest"


def home_of(replica: ReplicaName, wanted: Wanted, seen: Observation) -> NodeName:
    [home] = [one.node for one in decide(wanted, seen, NOW).actions if isinstance(one, StartWorker) and replica in one.replicas]
    return home
