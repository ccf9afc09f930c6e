"""Simulated nodes: what they are, and that nothing lands on them unasked."""

import re
from pathlib import Path

import pytest
import yaml

from cluster import control_plane, layout, simulated
from cluster.layout import Folders
from cluster.main import main, parser
from cluster.pins import read_pins


def test_nothing_lands_on_a_simulated_node_that_does_not_tolerate_it() -> None:
    made = simulated.node(7)
    assert made["spec"]["taints"] == [{"key": simulated.LABEL, "value": "true", "effect": "NoSchedule"}]
    assert made["metadata"]["labels"][simulated.LABEL] == "true"


def test_no_two_simulated_nodes_share_a_name_and_they_are_in_three_zones() -> None:
    made = [simulated.node(number) for number in range(1, simulated.MOST + 1)]
    assert len({one["metadata"]["name"] for one in made}) == simulated.MOST
    assert len({one["metadata"]["labels"]["topology.kubernetes.io/zone"] for one in made}) == 3


def test_a_simulated_node_renews_its_lease_before_the_control_plane_loses_patience() -> None:
    for count in (1, simulated.FEW, simulated.FEW + 1, simulated.MANY + 1, simulated.MOST):
        words = list(map(str, simulated.command(Path("/kwok"), count, Folders(Path("/state")))))
        lease_s = int(words[words.index("--node-lease-duration-seconds") + 1])
        assert lease_s <= simulated.grace_s(count)
    assert simulated.grace_s(0) == control_plane.GRACE_S


def test_the_controller_manager_is_told_how_long_a_node_may_be_silent() -> None:
    words = control_plane.command("controller-manager", Path("/k"), Folders(Path("/state")), 50)
    assert "--node-monitor-grace-period=50s" in words


def test_pods_of_simulated_nodes_say_that_their_containers_have_started() -> None:
    stages = {one["metadata"]["name"]: one for one in yaml.safe_load_all(simulated.STAGES.read_text(encoding="utf-8"))}
    assert set(stages) == {"node-ready", "pod-ready", "pod-delete"}
    said = stages["pod-ready"]["spec"]["next"]["statusTemplate"]
    assert "started: true" in said
    assert re.search(r'status: "True"\n\s*type: Ready', said)


def test_addresses_of_simulated_pods_are_nobody_elses() -> None:
    prefixes = [network.rsplit(".", 2)[0] for network in (layout.FABRIC, layout.PODS, layout.SERVICES, layout.SIMULATED_PODS)]
    assert len(set(prefixes)) == 4


def test_kwok_is_pinned_by_its_sum() -> None:
    assert read_pins().kwok.sum.startswith("h1:")
    assert read_pins().kwok.file_name == f"kwok-{read_pins().kwok.version}"


def test_a_cluster_may_be_of_simulated_nodes_alone() -> None:
    chosen = parser().parse_args(["up", "--nodes", "0", "--simulated", "1000"])
    assert (chosen.nodes, chosen.simulated) == (0, 1000)


@pytest.mark.parametrize("words", [["simulate", "-1"], ["simulate", str(simulated.MOST + 1)], ["up", "--nodes", "100"]])
def test_more_nodes_than_there_are_addresses_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(words)
