"""Faults of a cluster's network and objects, up to its API server: which helpers are made, and what they are told."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from levee.topology.names import TaskId
from levee_chaos import actions, deadman, inflicting, limits, probes
from levee_chaos.keeping import Keeping
from levee_chaos.refusals import Refused
from levee_chaos.worlds import finding
from levee_chaos.worlds.kubernetes.placed import Placed
from levee_chaos.worlds.world import Where
from levee_spark.log.requests import PutIfAbsent
from levee_spark.log.values import EpochObject, Kind, Manifest
from levee_spark.store.local import SCRAPS
from tests.chaos.shared_cluster import Shared, clicks
from tests.cli.served_cluster import serving

SHOP: dict[str, Any] = {"topology": "clicks", "namespace": "shop"}


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shared]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(deadman, "ensure", lambda *_: None)
    with serving(clicks(tmp_path)) as served, limits.limited(["shop", "system"]):
        monkeypatch.setenv("KUBECONFIG", str(served.kubeconfig))
        for number in (1, 2):
            pod_of(served, number)["status"]["podIP"] = f"10.41.{number}.7"
        yield served


def pod_of(cluster: Shared, number: int) -> Any:
    return next(one for path, one in cluster.things.items() if f"/pods/clicks-node-{number}" in path)


def order_of(cluster: Shared) -> dict[str, Any]:
    """To the one helper that was made last, but for its time."""
    told: dict[str, Any] = json.loads(cluster.made[-1]["spec"]["containers"][0]["command"][-1])
    return {name: value for name, value in told.items() if name not in {"do", "pods", "for_s"}}


def undone() -> list[str]:
    return inflicting.undo_all(Keeping(finding.find(Where(**SHOP)).folder))


def test_each_pod_of_the_node_has_a_helper_that_holds_what_reaches_it(cluster: Shared) -> None:
    actions.delay_network(30, 200, 50, node="node-2", **SHOP)
    [made] = cluster.made
    told = json.loads(made["spec"]["containers"][0]["command"][-1])
    assert told == {"do": "packets", "shape": {"delay_s": 0.2, "jitter_s": 0.05}, "sources": [], "for_s": 30, "pods": ["uid-of-node-2"]}
    assert made["spec"]["nodeName"] == "node-2"
    assert undone() == ["delay network: node-2 with 1 worker and 3 replicas"]
    assert [name for name, _ in cluster.deleted] == [made["metadata"]["name"]]


def test_every_fault_of_the_network_is_a_shape(cluster: Shared) -> None:
    actions.partition_node(30, node="node-2", **SHOP)
    assert order_of(cluster)["shape"] == {"loss": 1.0}
    actions.lose_packets(30, 0.2, node="node-2", **SHOP)
    assert order_of(cluster)["shape"] == {"loss": 0.2}
    actions.limit_bandwidth(30, 64, node="node-2", **SHOP)
    assert order_of(cluster)["shape"] == {"bytes_per_s": 65_536}
    assert len(undone()) == 3


def test_a_pair_is_cut_by_the_addresses_of_the_peers_pods(cluster: Shared) -> None:
    actions.partition_node(30, peer="node-1", node="node-2", **SHOP)
    assert order_of(cluster)["sources"] == ["10.41.1.7"]
    cluster.add_operator("levee-1")
    cluster.things["/api/v1/namespaces/system/pods/levee-1"]["status"]["podIP"] = "10.41.9.9"
    actions.partition_node(30, peer="operator", node="node-2", **SHOP)
    assert order_of(cluster)["sources"] == ["10.41.9.9"]
    with pytest.raises(Refused, match=r"'node-7' is no node with a pod of shop/clicks[\s\S]*use one of node-1, node-2, store, or operator"):
        actions.partition_node(30, peer="node-7", node="node-2", **SHOP)
    undone()


def test_what_passes_between_a_pair_can_be_delayed_lost_and_paced(cluster: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Placed, "secret", lambda _: {"AWS_ENDPOINT_URL": "http://127.0.0.7:7070"})
    actions.delay_network(30, 200, peer="node-1", node="node-2", **SHOP)
    assert order_of(cluster) == {"shape": {"delay_s": 0.2, "jitter_s": 0.0}, "sources": ["10.41.1.7"]}
    actions.lose_packets(30, 0.2, peer="node-1", node="node-2", **SHOP)
    assert order_of(cluster) == {"shape": {"loss": 0.2}, "sources": ["10.41.1.7"]}
    actions.limit_bandwidth(30, 64, peer="store", node="node-2", **SHOP)
    assert order_of(cluster) == {"shape": {"bytes_per_s": 65_536}, "sources": ["127.0.0.7"], "port": 7070}
    assert len(undone()) == 3


def test_a_slow_store_is_what_its_address_sends_to_each_pod(cluster: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match="it is not said where it can be reached"):
        actions.slow_store(30, 100, **SHOP)
    monkeypatch.setattr(Placed, "secret", lambda _: {"AWS_ENDPOINT_URL": "http://127.0.0.7:7070"})
    actions.slow_store(30, 100, **SHOP)
    assert order_of(cluster) == {"shape": {"delay_s": 0.1, "jitter_s": 0.0}, "sources": ["127.0.0.7"], "port": 7070}
    assert [made["spec"]["nodeName"] for made in cluster.made] == ["node-1", "node-2"]
    actions.fail_store(30, 0.5, **SHOP)
    assert order_of(cluster)["shape"] == {"loss": 0.5}
    undone()


def test_a_corrupt_object_of_its_store_is_put_back_by_the_journal_alone(cluster: Shared, tmp_path: Path) -> None:
    """With the Secret beside the topology, whatever namespace the kubeconfig says."""
    path = "/apis/levee.dev/v1alpha1/namespaces/shop/faulttoleranttopologies/clicks"
    cluster.things[path]["spec"]["store"] |= {"secret": "store"}
    cluster.things["/api/v1/namespaces/shop/secrets/store"] = {"metadata": {"name": "store"}, "data": {}}
    (tmp_path / "store" / SCRAPS).mkdir(parents=True)
    manifest = Manifest(1, Kind.FINAL, 1, "d", "l", 1, "count/0/0")
    with finding.find(Where(**SHOP)).reading() as (wiring, driver):
        key = wiring.layout.epoch(TaskId("count/0"), 1)
        driver.answer(PutIfAbsent(key, EpochObject(manifest, b"sixteen bytes or so")))
    file = tmp_path / "store" / key
    was = file.read_bytes()
    actions.corrupt_object("epoch", "count/0", **SHOP)
    assert file.read_bytes() != was
    assert undone() == ["corrupt object: shop/clicks"]
    assert file.read_bytes() == was


def test_nonsense_in_the_status_is_noticed_when_it_is_written_anew_and_else_written_back(cluster: Shared) -> None:
    path = "/apis/levee.dev/v1alpha1/namespaces/shop/faulttoleranttopologies/clicks"
    status = cluster.things[path]["status"]
    status["replicas"] = {"active": 4, "desired": 4}
    actions.corrupt_status("replicas", **SHOP)
    assert cluster.things[path]["status"]["replicas"] == {"active": 9_999, "desired": 9_999}
    with pytest.raises(Refused, match="replicas of the status is corrupt, and nobody has said so"):
        probes.corruption_noticed(0, **SHOP)
    undone()
    assert cluster.things[path]["status"]["replicas"] == {"active": 4, "desired": 4}
    assert probes.corruption_noticed(0, **SHOP) == "written anew"
    actions.corrupt_status("state", **SHOP)
    assert (status["state"], undone(), status["state"]) == ("submitted", ["corrupt status: shop/clicks"], "running")
    cluster.may_not.add(("patch", "faulttoleranttopologies/status"))
    with pytest.raises(Refused, match="you may not patch faulttoleranttopologies/status"):
        actions.corrupt_status("lagEpochs", **SHOP)


@pytest.mark.usefixtures("cluster")
def test_what_only_a_run_of_this_machine_can_be_told_is_refused() -> None:
    with pytest.raises(Refused, match=r"cannot be done on a cluster[\s\S]*levee-chaos run"):
        actions.fill_disk(5, **SHOP)
    with pytest.raises(Refused, match="'skew store clock' cannot be done on a cluster"):
        actions.skew_store_clock(5, 60, **SHOP)
