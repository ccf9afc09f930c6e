"""The failover bench, as far as it needs no cluster: gaps in a stream, where replicas stand, and who has taken a pod's place."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cluster import gaps, nodes, trades, watched
from benchmarks.cluster.waiting import Unfinished
from benchmarks.lifecycle import failover
from benchmarks.lifecycle.settings import FULL
from cluster import layout, marker
from levee.control import placing
from levee.control.names import task_of
from levee.topology.load import load_bytes
from levee.topology.names import NodeName, TaskId
from levee.worlds.kubernetes import names
from levee_spark.log.keys import Layout

NODES = ["node1", "node2", "node3"]
ENDS = (TaskId("market/0"), TaskId("out/0"))


def test_the_gap_is_the_longest_time_between_two_epochs_that_ended_after_the_fault() -> None:
    stamps = {1: 0.0, 2: 3000.0, 3: 4000.0, 4: 6500.0, 5: 6600.0, 6: 7700.0}
    assert gaps.longest(stamps, 4100.0) == gaps.Gap(3, 2500.0, 6500.0)
    assert gaps.before(stamps, 4100.0, 2) == [3000.0, 1000.0]
    assert gaps.before(stamps, 4100.0, 1) == [1000.0]


def test_the_gap_of_a_fault_is_the_one_that_it_came_in_and_not_a_longer_one_that_follows() -> None:
    stamps = {1: 0.0, 2: 1000.0, 3: 3000.0, 4: 8000.0}
    assert gaps.at(stamps, 900.0, 1200.0) == gaps.Gap(2, 2000.0, 3000.0)
    assert gaps.longest(stamps, 900.0) == gaps.Gap(3, 5000.0, 8000.0)


def test_of_epochs_that_were_trimmed_no_gap_is_known() -> None:
    assert gaps.gaps({1: 0.0, 5: 9000.0, 6: 10_000.0}) == [gaps.Gap(5, 1000.0, 10_000.0)]


def test_stamps_are_those_of_the_objects_in_the_servers_folder(tmp_path: Path) -> None:
    folder = tmp_path / Layout("shop/trades", "u1").epochs(trades.TASK)
    assert gaps.stamps(folder) == {}
    folder.mkdir(parents=True)
    for epoch in (1, 2):
        (tmp_path / Layout("shop/trades", "u1").epoch(trades.TASK, epoch)).write_bytes(b"x")
    (folder / ".partial").write_bytes(b"x")
    found = gaps.stamps(folder)
    assert list(found) == gaps.numbers(folder) == [1, 2]
    assert found[1] == pytest.approx(folder.stat().st_ctime * 1000, abs=10_000), "in milliseconds"


@pytest.mark.parametrize("strategy", trades.STRATEGIES)
def test_the_topology_is_valid(strategy: str) -> None:
    [loaded] = load_bytes(json.dumps(trades.trades(strategy, "shop", "s3://levee/x", NODES)).encode(), origin="bench")
    assert loaded.complaints == ()
    assert loaded.topology is not None


@pytest.mark.parametrize("strategy", trades.STRATEGIES)
def test_whoever_is_killed_with_the_watched_operator_leads_nothing_else(strategy: str) -> None:
    assigned = {TaskId(f"{name}/0"): tuple(map(NodeName, on)) for name, on in trades.assignment(strategy, NODES).items()}
    homes = placing.with_ends(assigned, ENDS, [NodeName(one) for one in NODES], {})
    assert set(homes.values()) == set(NODES), "one pod on each"
    for mine in (node for replica, node in homes.items() if task_of(replica) == trades.TASK):
        beside = [replica for replica, node in homes.items() if node == mine and task_of(replica) != trades.TASK]
        assert all(replica.endswith("/1") for replica in beside)


def test_both_ways_are_measured_as_often() -> None:
    assert failover.keys(FULL) == [("static", FULL.kills), ("none", FULL.kills)]


def test_where_the_cluster_says_what_is_whose() -> None:
    assert marker.FILE == watched.CLUSTER
    assert "state" in {one.name for one in fields(marker.Marker)}
    assert layout.Folders(Path("/x")).state == Path("/x")


def test_simulated_nodes_and_those_that_are_not_ready_are_not_counted() -> None:
    taint = [{"key": "levee.dev/simulated", "value": "true", "effect": "NoSchedule"}]
    api = Answering([node("node2"), node("node1"), node("node3", ready="Unknown"), node("simulated-0001", taints=taint)])
    assert nodes.ready(api) == ["node1", "node2"]  # type: ignore[arg-type]  # as far as it is asked
    with pytest.raises(Unfinished, match="it needs 3 real nodes that are ready, and the cluster has 2"):
        watched.prepared(api)  # type: ignore[arg-type]


class Answering:
    def __init__(self, items: list[dict[str, Any]]) -> None:
        self.items = items

    def ask(self, verb: str, path: str) -> dict[str, Any]:
        return {"items": self.items}


def node(name: str, *, ready: str = "True", taints: list[dict[str, str]] | None = None) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"taints": taints or []}, "status": {"conditions": [{"type": "Ready", "status": ready}]}}


def pod(uid: str, replicas: str, *, ready: str = "True") -> dict[str, Any]:
    return {
        "metadata": {"uid": uid, "annotations": {names.REPLICAS: replicas}},
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }


def test_a_pods_successor_has_its_replicas_and_is_ready() -> None:
    victim = pod("u1", "aggregator/0/0,market/0/1")
    assert watched.succeeds(pod("u2", "aggregator/0/0,market/0/1"), victim)
    assert not watched.succeeds(victim, victim)
    assert not watched.succeeds(pod("u2", "aggregator/0/0,market/0/1", ready="False"), victim)
    assert not watched.succeeds(pod("u3", "aggregator/0/1"), victim)
