"""Placement spreads what must not fall together."""

from hypothesis import given
from hypothesis import strategies as st

from levee.planning.placement import place
from levee.topology.graph import Node
from levee.topology.names import NodeName, TaskId, ZoneName


def node(name: str, zone: str, capacity: float = 1.0) -> Node:
    return Node(NodeName(name), ZoneName(zone), capacity)


THREE = (node("a", "east"), node("b", "east"), node("c", "west"))
TASK = TaskId("op/0")


def test_replicas_of_a_task_stand_in_different_zones_where_there_are_zones() -> None:
    assert "c" in place({TASK: 1.0}, THREE, 2, {})[TASK]


def test_replicas_share_a_node_only_when_there_are_fewer_nodes_than_replicas() -> None:
    assert sorted(place({TASK: 1.0}, THREE[:2], 3, {})[TASK]) == ["a", "a", "b"]


def test_of_nodes_that_are_equal_the_first_is_filled_first_whatever_its_name() -> None:
    assert place({TASK: 1.0}, THREE[::-1], 2, {})[TASK] == ("c", "b")


def test_a_large_node_takes_more() -> None:
    nodes = (node("big", "z", 3.0), node("small", "z", 1.0))
    placed = place({TaskId(f"op/{i}"): 1.0 for i in range(4)}, nodes, 1, {})
    assert sum(names == ("big",) for names in placed.values()) == 3


def test_what_the_user_pinned_stays_and_others_make_room_for_it() -> None:
    pinned = {TASK: (NodeName("a"), NodeName("b"))}
    placed = place({TASK: 5.0, TaskId("op/1"): 1.0}, THREE, 2, pinned)
    assert placed[TASK] == ("a", "b")
    assert placed[TaskId("op/1")][0] == "c"


@given(st.lists(st.floats(0, 10), min_size=1, max_size=12), st.integers(1, 3))
def test_no_node_holds_two_replicas_of_a_task_while_there_are_nodes_enough(loads: list[float], replicas: int) -> None:
    placed = place({TaskId(f"op/{i}"): load for i, load in enumerate(loads)}, THREE, replicas, {})
    assert all(len(set(names)) == replicas for names in placed.values())
