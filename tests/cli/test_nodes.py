"""--nodes: how people name the nodes to plan for."""

from dataclasses import replace
from pathlib import Path

import pytest

from levee.plans.ending import Exit, Refused
from levee.plans.nodes import choose
from levee.topology.graph import Node, Topology
from levee.topology.load import load
from levee.topology.names import NodeName, ZoneName
from tests.cli.stage import BARGAINS


@pytest.fixture
def topology() -> Topology:
    loaded = load(Path(BARGAINS).read_text(), origin="bargains")[0].topology
    assert loaded is not None
    return replace(loaded, nodes=(), capacity_cores=2.0)


def node(name: str, zone: str, cores: float) -> Node:
    return Node(NodeName(name), ZoneName(zone), cores)


def test_a_number_makes_nodes_in_three_zones(topology: Topology) -> None:
    nodes = choose("4", topology).nodes
    assert nodes == (node("node-1", "zone-1", 2), node("node-2", "zone-2", 2), node("node-3", "zone-3", 2), node("node-4", "zone-1", 2))


def test_named_nodes_fail_alone(topology: Topology) -> None:
    assert choose("a=4,b=500m", topology).nodes == (node("a", "a", 4), node("b", "b", 0.5))


def test_without_a_word_there_are_three_and_that_is_said(topology: Topology) -> None:
    chosen = choose(None, topology)
    assert [each.zone for each in chosen.nodes] == ["zone-1", "zone-2", "zone-3"]
    assert chosen.whence == "assumed: the topology names none; 2 cores each, in 3 zones"


def test_the_topology_may_name_them(topology: Topology) -> None:
    mine = (node("n", "z", 1),)
    assert choose(None, replace(topology, nodes=mine)).nodes == mine


def test_a_file_may_name_them(topology: Topology, tmp_path: Path) -> None:
    path = tmp_path / "nodes.yaml"
    path.write_text("- {name: a, zone: east, capacity: 4}\n- {name: b, capacity: 1500m}\n- {name: c}\n")
    assert choose(str(path), topology).nodes == (node("a", "east", 4), node("b", "b", 1.5), node("c", "c", 2))


def test_what_kubectl_prints_will_do(topology: Topology, tmp_path: Path) -> None:
    path = tmp_path / "nodes.yaml"
    path.write_text(
        "apiVersion: v1\nkind: List\nitems:\n- kind: Node\n  metadata: {name: a, labels: {topology.kubernetes.io/zone: east}}\n"
        "  status: {allocatable: {cpu: 3920m}}\n"
    )
    assert choose(str(path), topology).nodes == (node("a", "east", 3.92),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no list of nodes"),
        ("{}", "holds no list of nodes"),
        ("- 3", "is not a node"),
        ("- {name: a, cpacity: 3}", "there is no field 'cpacity'"),
        ("- {name: a, capacity: 0}", "more than"),
        ("- {name: a}\n- {name: a}", "named twice"),
        ("- {name: 'a", "line"),
    ],
)
def test_a_file_that_names_none_is_refused(text: str, told: str, topology: Topology, tmp_path: Path) -> None:
    path = tmp_path / "nodes.yaml"
    path.write_text(text or "[]")
    with pytest.raises(Refused) as refused:
        choose(str(path), topology)
    assert told in refused.value.text


@pytest.mark.parametrize("text", ["0", "abc", " "])
def test_what_is_no_number_of_nodes_is_wrong_usage(topology: Topology, text: str) -> None:
    with pytest.raises(Refused) as refused:
        choose(text, topology)
    assert refused.value.code is Exit.USAGE
