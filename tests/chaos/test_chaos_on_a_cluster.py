"""Faults on a cluster, up to its API server: whom they find, what they ask for before, what they do, and how it is undone."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from levee.worlds.kubernetes.person import Reached
from levee_chaos import actions, deadman, inflicting, limits, probes, rehearsing
from levee_chaos.keeping import Keeping
from levee_chaos.refusals import NoEffect, NotUndone, Refused
from levee_chaos.worlds import finding
from levee_chaos.worlds.kubernetes import drivers, helped, helpers, nodes, pods
from levee_chaos.worlds.kubernetes.helpers import Helper
from levee_chaos.worlds.world import Where
from tests.chaos.shared_cluster import Shared, clicks
from tests.cli.served_cluster import serving
from tests.serve.plant import PODS

SHOP = Where("clicks", namespace="shop")


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shared]:
    """Whoever runs the experiment is in an empty folder, and may touch two namespaces."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(deadman, "ensure", lambda *_: None)
    with serving(clicks(tmp_path)) as served, limits.limited(["shop", "system"]):
        monkeypatch.setenv("KUBECONFIG", str(served.kubeconfig))
        yield served


def undone() -> list[str]:
    return inflicting.undo_all(Keeping(finding.find(SHOP).folder))


# ---- which world


@pytest.mark.usefixtures("cluster")
def test_a_namespace_and_a_name_that_does_not_run_here_are_of_the_cluster() -> None:
    assert finding.find(SHOP).topology == "shop/clicks"
    assert finding.find(Where("shop/clicks")).topology == "shop/clicks"
    assert finding.find(Where(namespace="shop")).topology == "shop/clicks"
    with pytest.raises(Refused, match="there is no topology 'clikcs' in namespace shop; did you mean 'clicks'"):
        finding.find(Where("clikcs", namespace="shop"))


@pytest.mark.usefixtures("cluster")
def test_without_a_kubeconfig_a_namespace_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "nowhere")
    with pytest.raises(Refused, match=r"there is no kubeconfig at nowhere[\s\S]*or name a directory"):
        finding.find(SHOP)


@pytest.mark.usefixtures("cluster")
def test_the_probes_of_a_run_are_those_of_a_cluster() -> None:
    where: dict[str, Any] = {"topology": "clicks", "namespace": "shop"}
    assert probes.ready(**where)
    assert probes.lag_below(3, **where)
    assert (probes.state(**where), probes.lifecycle_state(**where)) == ("AllReady", "running")


def test_the_guarantee_is_met_as_the_condition_says_it(cluster: Shared) -> None:
    where: dict[str, Any] = {"topology": "clicks", "namespace": "shop"}
    told = cluster.things["/apis/levee.dev/v1alpha1/namespaces/shop/faulttoleranttopologies/clicks"]["status"]["conditions"]
    with pytest.raises(Refused, match="GuaranteeMet: is not known of shop/clicks: its operator has not said it yet"):
        probes.guarantee_met(**where)
    told.append({"type": "GuaranteeMet", "status": "True", "reason": "EnoughActive", "message": "guarantees 0.9 now"})
    assert probes.guarantee_met(**where)
    assert not probes.guarantee_met(0, **where)
    told[-1] |= {"status": "False", "reason": "ReplicasMissing"}
    assert not probes.guarantee_met(**where)
    told[-1] |= {"status": "Unknown", "message": "it does not run yet"}
    with pytest.raises(Refused, match="it does not run yet"):
        probes.guarantee_met(**where)


def test_an_api_server_that_is_away_is_told_in_one_line(cluster: Shared) -> None:
    cluster.refuses["/api/v1/namespaces/shop/pods"] = (503, "", "no")
    with pytest.raises(Refused, match=r"the API server at .* does not answer"):
        probes.ready("clicks", namespace="shop")


# ---- pods


def test_a_crashed_replica_is_its_pod_deleted_without_grace_and_no_namesake(cluster: Shared) -> None:
    found = actions.crash_replica("clicks", operator="count", role="primary", namespace="shop")
    assert found["met"] == "node-1-0 on node-1 with count/0/0 and 2 others"
    [(name, options)] = cluster.deleted
    assert name.startswith("clicks-node-1-0")
    assert (options["gracePeriodSeconds"], options["preconditions"]) == (0, {"uid": "uid-of-node-1"})
    assert undone() == []  # Levee repairs it


def test_a_pod_that_does_not_go_is_no_effect(cluster: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pods, "PATIENCE_S", 0.0)
    cluster.keeps = True
    with pytest.raises(NoEffect, match="no effect on pod shop/clicks-node-1-0"):
        actions.crash_worker("node-1-0", "clicks", namespace="shop")


def test_without_the_right_to_delete_pods_nothing_is_done(cluster: Shared) -> None:
    cluster.may_not.add(("delete", "pods"))
    with pytest.raises(Refused, match="you may not delete pods in namespace shop"):
        actions.crash_replica("clicks", operator="count", namespace="shop")
    assert cluster.deleted == []


def test_a_namespace_that_is_not_named_is_not_touched(cluster: Shared) -> None:
    with limits.limited(["system"]), pytest.raises(Refused, match="shop/clicks is in none of those that are named"):
        actions.crash_replica("clicks", operator="count", namespace="shop")
    with limits.limited(), pytest.raises(Refused, match="none is named"):
        actions.crash_replica("clicks", operator="count", namespace="shop")
    assert cluster.deleted == []


# ---- helpers


def test_a_helper_stands_on_the_node_of_whom_it_hits_and_ends_by_itself(cluster: Shared) -> None:
    actions.pause_replica(30, "clicks", operator="count", role="primary", namespace="shop")
    [made] = cluster.made
    spec = made["spec"]
    [container] = spec["containers"]
    assert (spec["nodeName"], spec["hostPID"], spec["restartPolicy"], spec["activeDeadlineSeconds"]) == ("node-1", True, "Never", 60)
    assert (container["image"], container["imagePullPolicy"]) == ("levee/worker", "Never")
    assert not spec["automountServiceAccountToken"]
    assert '"pods": ["uid-of-node-1"]' in container["command"][-1]
    assert isinstance(compile(container["command"][2], "helper", "exec"), CodeType)


def test_doing_it_again_finds_the_helper_that_is_there_and_undoing_it_twice_is_once(cluster: Shared) -> None:
    first = actions.pause_replica(30, "clicks", operator="count", role="primary", namespace="shop")
    again = actions.pause_replica(30, "clicks", replica="count/0/0", namespace="shop")
    assert (again["name"], again["stoodAlready"], len(cluster.made)) == (first["name"], True, 1)
    assert undone() == ["pause replica: node-1-0 on node-1 with count/0/0 and 2 others"]
    assert undone() == []
    assert [name for name, _ in cluster.deleted] == [cluster.made[0]["metadata"]["name"]]


def test_a_helper_that_has_ended_is_replaced(cluster: Shared) -> None:
    """Left by an experiment whose machine is gone."""
    actions.pause_replica(30, "clicks", operator="count", namespace="shop")
    [left] = cluster.made
    cluster.things[f"{PODS}/{left['metadata']['name']}"]["status"]["phase"] = "Succeeded"
    actions.pause_replica(30, "clicks", operator="count", namespace="shop")
    assert [one["metadata"]["name"] for one in cluster.made] == [left["metadata"]["name"]] * 2
    assert cluster.things[f"{PODS}/{left['metadata']['name']}"]["status"]["phase"] == "Running"


def test_of_the_named_namespaces_the_first_that_admits_a_helper_has_it(cluster: Shared) -> None:
    cluster.strict.add("shop")
    actions.slow_replica(30, 0.5, "clicks", operator="count", namespace="shop")
    assert cluster.made[0]["metadata"]["namespace"] == "system"
    undone()
    cluster.strict.add("system")
    with pytest.raises(Refused, match=r"shop: pods .* violates PodSecurity[\s\S]*system: [\s\S]*name a namespace under `namespaces`"):
        actions.slow_replica(30, 0.5, "clicks", operator="count", namespace="shop")


def test_what_the_helper_has_measured_decides(cluster: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helped, "PATIENCE_S", 0.0)
    cluster.said = '{"left": ["process 7"]}\n'
    with pytest.raises(NoEffect, match="no effect on process 7; what was done is undone"):
        actions.pause_node(30, "clicks", node="node-2", namespace="shop")
    assert [name for name, _ in cluster.deleted] == [cluster.made[0]["metadata"]["name"]]


def test_a_helper_that_does_not_end_is_not_undone(cluster: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helpers, "GONE_S", 0.0)
    actions.pause_replica(30, "clicks", operator="count", namespace="shop")
    cluster.keeps = True
    with pytest.raises(Refused, match="does not end"):
        undone()
    cluster.keeps = False
    monkeypatch.setattr(helpers, "GONE_S", 60.0)
    assert len(undone()) == 1


def test_a_cluster_that_does_not_answer_is_not_undone(cluster: Shared) -> None:
    actions.pause_replica(30, "clicks", operator="count", namespace="shop")
    [entry] = Keeping(finding.find(SHOP).folder).standing().values()
    assert entry.undo is not None
    cluster.refuses["/api/v1/namespaces/shop/pods"] = (503, "", "no")
    with pytest.raises(NotUndone, match="does not answer"):
        finding.undo(entry.undo)


def test_a_node_that_is_not_ready_has_no_helper(cluster: Shared) -> None:
    cluster.things["/api/v1/nodes/node-2"]["status"]["conditions"][0]["status"] = "Unknown"
    with pytest.raises(Refused, match="node-2 is dead already"):
        actions.pause_node(30, "clicks", node="node-2", namespace="shop")


# ---- nodes


def crashing(cluster: Shared) -> dict[str, str]:
    """Command lines that leave a note; the note of a crash makes the node not ready."""
    program = "import pathlib,sys; pathlib.Path(sys.argv[1]).write_text('')"
    line = f"{shlex.quote(sys.executable)} -c {shlex.quote(program)}"
    return {"command": f"{line} {cluster.folder}/crashed-{{node}}", "revive_command": f"{line} {cluster.folder}/revived-{{node}}"}


def noticing(cluster: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster sees that a node has gone."""
    crash = drivers.Command.crash

    def noticed(driver: drivers.Command, node: str) -> None:
        crash(driver, node)
        cluster.add_node(int(node.rpartition("-")[2]), ready=False)

    monkeypatch.setattr(drivers.Command, "crash", noticed)


def test_a_node_is_crashed_and_revived_by_command_lines(cluster: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    noticing(cluster, monkeypatch)
    actions.crash_node("clicks", node="node-2", namespace="shop", **crashing(cluster))
    assert (cluster.folder / "crashed-node-2").exists()
    assert undone() == ["crash node: node-2 with 1 worker and 3 replicas"]
    assert (cluster.folder / "revived-node-2").exists()


def test_a_node_that_is_not_missed_yet_is_not_crashed_again(cluster: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    crashed: list[str] = []
    looks = iter([True, True, False])
    monkeypatch.setattr(nodes, "PATIENCE_S", 1.0)
    monkeypatch.setattr(nodes.NodeCrash, "standing", lambda self: [str(one) for one in self.nodes if next(looks, False)])
    monkeypatch.setattr(drivers.Command, "crash", lambda _, node: crashed.append(node))
    actions.crash_node("clicks", node="node-2", namespace="shop", **crashing(cluster))
    assert crashed == ["node-2"]


def test_a_command_that_fails_is_told_and_nothing_of_it_stands(cluster: Shared) -> None:
    program = f"{shlex.quote(sys.executable)} -c"
    fails, revives = f"{program} 'import sys; sys.exit(\"no power\")' {{node}}", crashing(cluster)["revive_command"]
    with pytest.raises(Refused, match="ended with exit code 1: no power"):
        actions.crash_node("clicks", node="node-2", namespace="shop", command=fails, revive_command=revives)
    assert (cluster.folder / "revived-node-2").exists()
    assert undone() == []
    with pytest.raises(Refused, match=r"no power[\s\S]*it is tried again and again"):
        actions.crash_node("clicks", node="node-2", namespace="shop", command=fails, revive_command=fails)
    assert len(Keeping(finding.find(SHOP).folder).standing()) == 1


def test_a_zone_is_crashed_node_by_node(cluster: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    noticing(cluster, monkeypatch)
    found = actions.crash_zone("clicks", operator="count", role="primary", namespace="shop", **crashing(cluster))
    assert str(found["met"]).startswith("zone-1: node-1 with")
    assert (cluster.folder / "crashed-node-1").exists()


@pytest.mark.usefixtures("cluster")
def test_how_a_node_is_crashed_has_to_be_said_and_to_be_there() -> None:
    def refused(**how: str) -> str:
        with pytest.raises(Refused) as wrong:
            actions.crash_node("clicks", node="node-2", namespace="shop", **how)
        return str(wrong.value)

    assert "it is not said how a node is crashed here" in refused()
    assert "there is no driver 'azrue'" in refused(driver="azrue")
    assert "does not say {node}" in refused(command="reboot")
    assert "there is no program 'no-such-thing'" in refused(command="no-such-thing {node}")


def test_the_only_node_of_the_control_plane_is_not_crashed(cluster: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster.things["/api/v1/nodes/node-2"]["metadata"]["labels"]["node-role.kubernetes.io/control-plane"] = ""
    with pytest.raises(Refused, match=r"node-2 is all that runs the control plane[\s\S]*allow_last: true"):
        actions.crash_node("clicks", node="node-2", namespace="shop", **crashing(cluster))
    assert not (cluster.folder / "crashed-node-2").exists()
    noticing(cluster, monkeypatch)
    with limits.limited(["shop"], allow_last=True):
        actions.crash_node("clicks", node="node-2", namespace="shop", **crashing(cluster))
    assert (cluster.folder / "crashed-node-2").exists()


def test_by_sysrq_a_helper_has_the_kernel_boot_and_the_node_comes_back_by_itself(cluster: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure = helpers.ensure

    def noticed(reached: Reached, helper: Helper) -> None:
        ensure(reached, helper)
        cluster.add_node(2, ready=False)

    monkeypatch.setattr(helpers, "ensure", noticed)
    actions.crash_node("clicks", node="node-2", driver="sysrq", namespace="shop")
    [made] = cluster.made
    assert (made["spec"]["nodeName"], '"do": "reboot"' in made["spec"]["containers"][0]["command"][-1]) == ("node-2", True)
    assert undone() == ["crash node: node-2 with 1 worker and 3 replicas"]
    assert [name for name, _ in cluster.deleted] == [made["metadata"]["name"]]
    cluster.add_node(3)
    with pytest.raises(Refused, match="has no pod of this topology, so that it is not known which image is there"):
        actions.crash_node("clicks", node="node-3", driver="sysrq", namespace="shop")


def test_a_driver_is_plugged_in_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plugged:
        name = "cloud"

        def load(self) -> Any:
            return drivers.command

    monkeypatch.setattr(drivers, "entry_points", lambda group: [Plugged()] if group == "levee_chaos.node_drivers" else [])
    made = drivers.driver({"driver": "cloud", "command": "stop {node}"})
    assert made == drivers.Command("stop {node}")


# ---- the operator


def test_of_the_operators_that_watch_the_topology_the_one_that_acts_is_hit(cluster: Shared) -> None:
    cluster.add_operator("levee-a", watches="shop")
    cluster.add_operator("levee-b", watches="shop")
    cluster.add_operator("levee-c", watches="other")
    cluster.add_lease("levee-b")
    actions.crash_operator("clicks", namespace="shop")
    assert [name for name, _ in cluster.deleted] == ["levee-b"]


def test_an_operator_outside_of_the_named_namespaces_is_not_found(cluster: Shared) -> None:
    cluster.add_operator("levee-a", namespace="elsewhere")
    with pytest.raises(Refused, match=r"none that watches shop/clicks is in namespace shop or system[\s\S]*namespace of the operator"):
        actions.crash_operator("clicks", namespace="shop")


def test_an_operator_whom_nobody_would_start_again_is_spared(cluster: Shared) -> None:
    cluster.add_operator("levee-a", owned=False)
    with pytest.raises(Refused, match="belongs to nobody who would start it again"):
        actions.crash_operator("clicks", namespace="shop")
    assert cluster.deleted == []


def test_an_operator_is_cut_off_by_a_helper_beside_it(cluster: Shared) -> None:
    cluster.add_operator("levee-a")
    actions.cut_operator(20, "clicks", namespace="shop")
    [made] = cluster.made
    assert made["spec"]["containers"][0]["image"] == "levee/operator"
    assert '"do": "cut", "pods": ["uid-of-levee-a"]' in made["spec"]["containers"][0]["command"][-1]


def test_an_operator_in_the_network_of_its_node_is_not_cut_off(cluster: Shared) -> None:
    cluster.add_operator("levee-a")
    cluster.things["/api/v1/namespaces/system/pods/levee-a"]["spec"]["hostNetwork"] = True
    with pytest.raises(Refused, match="so would the whole node be cut off"):
        actions.cut_operator(20, "clicks", namespace="shop")


# ---- before an experiment


def activity(func: str, **arguments: Any) -> dict[str, Any]:
    provider = {"type": "python", "module": "levee_chaos.actions", "func": func, "arguments": {"namespace": "shop"} | arguments}
    return {"name": func, "type": "action", "provider": provider}


def test_everything_that_will_be_refused_is_refused_before_anything_is_done(cluster: Shared) -> None:
    method = [
        activity("crash_replica", operator="${who}"),
        activity("crash_replica", operator="cuont"),
        activity("crash_node", node="node-2"),
        activity("crash_replica", operator="count", by="magic"),
        activity("undo_faults"),
    ]
    with pytest.raises(Refused) as wrong:
        rehearsing.rehearse(method, {"who": "count"}, {})
    assert "crash_replica: operator: there is no operator 'cuont'" in str(wrong.value)
    assert "crash_node: driver: it is not said how a node is crashed" in str(wrong.value)
    assert "crash_replica: by: 'magic' is none" in str(wrong.value)
    assert (cluster.deleted, cluster.made) == ([], [])


def test_who_is_not_there_yet_may_come(cluster: Shared) -> None:
    cluster.things.pop(next(path for path in cluster.things if path.startswith(f"{PODS}/clicks-node-1")))
    rehearsing.rehearse([activity("crash_replica", operator="count", role="primary")], {}, {})


def crash(**whom: str) -> dict[str, Any]:
    return activity("crash_zone" if "zone" in whom else "crash_node", driver="command", command="true {node}", **whom)


def test_nodes_that_several_steps_take_add_up_whatever_finds_them(cluster: Shared) -> None:
    """By role, and by zone; up to where they are given back."""
    for number, one in enumerate(("east", "west"), start=1):
        cluster.things[f"/api/v1/nodes/node-{number}"]["metadata"]["labels"] = {"topology.kubernetes.io/zone": one}
    first, second = crash(operator="count", role="primary"), crash(zone="west")
    rehearsing.rehearse([first], {}, {})
    rehearsing.rehearse([second], {}, {})
    rehearsing.rehearse([first, activity("undo_faults"), second], {}, {})
    with pytest.raises(Refused, match="crash_zone: node: with node-2 no node would be left, after node-1"):
        rehearsing.rehearse([first, second], {}, {})
    rehearsing.rehearse([second], {}, {})  # of another experiment


def test_steps_that_together_take_the_control_plane_are_refused(cluster: Shared) -> None:
    for number in (1, 2):
        cluster.things[f"/api/v1/nodes/node-{number}"]["metadata"]["labels"] = {"node-role.kubernetes.io/control-plane": ""}
    cluster.things["/api/v1/nodes/node-3"] = json.loads(json.dumps(cluster.things["/api/v1/nodes/node-1"]))
    cluster.things["/api/v1/nodes/node-3"]["metadata"] |= {"name": "node-3", "labels": {}}
    rehearsing.rehearse([crash(node="node-1")], {}, {})
    with pytest.raises(Refused, match="node-1 and node-2 is all that runs the control plane"):
        rehearsing.rehearse([crash(node="node-1"), crash(node="node-2")], {}, {})
