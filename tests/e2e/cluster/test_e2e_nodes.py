"""Nodes that are drained, cut off, frozen or crash: what becomes of pods, and of a topology that goes on elsewhere meanwhile.

The topology is one for all of them; each test alone begins a life for itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.e2e.cluster.conftest import cluster, mend
from tests.e2e.cluster.kube import Kube, condition, pod, until
from tests.e2e.cluster.one_life import PODS, REPLICAS, lead, life, running
from tests.e2e.cluster.pod_watch import Pod, replicas_of
from tests.e2e.cluster.trades import NAME, PATIENCE_S, Trades, compare, epoch_of, undisturbed

__all__ = ["life", "running"]  # fixtures

pytestmark = [pytest.mark.e2e, pytest.mark.breaks_nodes]


# ---- pods


def test_a_crashed_node_is_given_up_with_its_pods_and_a_reboot_brings_it_back(whole: Kube) -> None:
    whole.create(pod("victim", ["sleep", "600"], node="node2"))
    until(lambda: condition(whole.get("pod", "victim"), "Ready"), "the pod runs")
    cluster("crash", "node2")
    until(lambda: not whole.ready("node2"), "the node is not ready")
    until(lambda: not whole.get("pods")["items"], "the pod is given up")
    cluster("reboot", "node2")
    until(lambda: whole.ready("node2"), "the node is ready")
    whole.create(pod("after", ["hostname"], node="node2"))
    assert whole.finished("after").split() == ["after"]


@pytest.mark.parametrize(("fault", "remedy"), [("freeze", "thaw"), ("partition", "heal")])
def test_a_node_that_falls_silent_comes_back_with_its_pods(whole: Kube, fault: str, remedy: str) -> None:
    survivor = pod("survivor", ["sleep", "600"], node="node3")
    survivor["spec"]["tolerations"] = [{"operator": "Exists"}]
    whole.create(survivor)
    until(lambda: condition(whole.get("pod", "survivor"), "Ready"), "the pod runs")
    container = whole.get("pod", "survivor")["status"]["containerStatuses"][0]["containerID"]
    cluster(fault, "node3")
    until(lambda: not whole.ready("node3"), "the node is not ready")
    cluster(remedy, "node3")
    until(lambda: whole.ready("node3") and condition(whole.get("pod", "survivor"), "Ready"), "node and pod are ready")
    assert whole.get("pod", "survivor")["status"]["containerStatuses"][0]["containerID"] == container


# ---- a topology


@contextmanager
def without(life: Trades, node: str, *, replaced: tuple[Pod, ...] = ()) -> Iterator[None]:
    """What was on a node begins elsewhere, each replica once, and no pod is touched but those that are to be replaced."""
    lost = [one for one in life.watch.there() if one.node == node or one in replaced]
    others = {one.uid for one in life.watch.there()} - {one.uid for one in lost}
    births = len(life.watch.born())
    yield
    life.wait(lambda: life.is_settled(REPLICAS) and not on(life, node), f"all that was on {node} is ready elsewhere")
    life.goes_on()
    assert replicas_of(life.watch.born(births)) == replicas_of(lost)
    assert others <= {one.uid for one in life.watch.there()}


@contextmanager
def home_again(life: Trades, node: str) -> Iterator[None]:
    """What the plan has on a node begins there again, and no pod is touched but those that took its place meanwhile."""
    (planned,) = (one.replicas for one in life.watch.born()[:PODS] if one.node == node)
    others = {one.uid for one in life.watch.there() if set(one.replicas).isdisjoint(planned)}
    births = len(life.watch.born())
    yield
    life.wait(lambda: bool(on(life, node)) and life.is_settled(REPLICAS), f"all that was on {node} is ready there")
    life.goes_on()
    assert [(one.node, one.replicas) for one in life.watch.born(births)] == [(node, planned)]
    assert others <= {one.uid for one in life.watch.there()}


def on(life: Trades, node: str) -> list[Pod]:
    return [one for one in life.watch.there() if one.node == node]


def test_a_node_is_drained_as_soon_as_the_budget_allows_it_and_what_was_there_goes_on_elsewhere(running: Trades) -> None:
    """A pod was deleted just before: until that one is back no other may be taken."""
    deleted, drained = running.watch.there()[:2]
    births = len(running.watch.born())
    words = ["--ignore-daemonsets", "--delete-emptydir-data", f"--pod-selector=levee.dev/topology={NAME}", f"--timeout={PATIENCE_S:.0f}s"]
    try:
        with without(running, drained.node, replaced=(deleted,)):
            running.kube.run("delete", "pod", deleted.name, "--wait=false")
            running.wait(lambda: running.kube.get("pdb", NAME)["status"]["disruptionsAllowed"] == 0, "nobody may be taken")
            running.kube.run("drain", drained.node, *words)
        assert (again := running.watch.born(births)[0]).replicas == deleted.replicas
        assert again.name in drained.beside
        with home_again(running, drained.node):
            running.kube.run("uncordon", drained.node)
    finally:
        running.kube.run("uncordon", drained.node)


def test_what_was_on_a_node_that_is_cut_off_goes_on_elsewhere_and_comes_back_with_it(running: Trades) -> None:
    node = running.watch.there()[0].node
    with without(running, node):
        cluster("partition", node)
    with home_again(running, node):
        cluster("heal", node)


def test_what_was_on_a_node_that_crashes_while_no_operator_lives_goes_on_elsewhere_and_comes_back_with_it(running: Trades) -> None:
    node = running.watch.there()[0].node
    running.edit({"adaptation": {"policy": "advise", "dwell": "5s"}})
    with without(running, node):
        running.operators.kill_all()
        cluster("crash", node)
        running.wait(lambda: not running.kube.ready(node), "its node is given up")
        lead(running, hurried=True)
    running.wait(lambda: is_weighed(running, node), "a plan for the nodes that are left is made and weighed")
    with home_again(running, node):
        mend(running.kube)
    running.wait(lambda: not is_weighed(running, node), "the nodes are those of the plan in force")


def is_weighed(life: Trades, node: str) -> bool:
    """Whether it is worth a switch depends on what is measured."""
    told = life.condition("DescriptorHolds")
    return f"{node} is gone or closed" in told["message"] and told["reason"] in {"NotWorthIt", "NoBetterPlan", "PlanAdvised"}


def test_after_all_that_its_output_is_that_of_an_undisturbed_run(running: Trades) -> None:
    found = running.rows()
    compare(found, undisturbed(max(map(epoch_of, found))))
    running.delete()
    running.wait(lambda: not running.is_there and running.watch.there() == [], "it is gone, and its pods")
