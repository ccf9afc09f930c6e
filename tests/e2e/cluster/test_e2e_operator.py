"""One topology on a real cluster, through everything that may happen to it and to its operators: its output is that of an undisturbed run
elsewhere, no epoch changes, and only those pods are started anew that have to be.

Pods are what takes time, so these tests follow each other on one life of it, in this order; each alone begins a life for itself.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.e2e.cluster.conftest import new_namespace
from tests.e2e.cluster.one_life import PODS, REPLICAS, lead, life, running
from tests.e2e.cluster.operators import Operator
from tests.e2e.cluster.pod_watch import Pod, PodWatch, replicas_of, watching
from tests.e2e.cluster.trades import (
    KILL_JAVA,
    NAME,
    WITH_CODE,
    Trades,
    by_key,
    compare,
    epoch_of,
    no_pod_moves,
    undisturbed,
)

__all__ = ["life", "running"]  # fixtures

pytestmark = [pytest.mark.e2e, pytest.mark.needs_store]

HALF = 2  # of its pods
MORE = "more"  # what another graph has besides: an operator and a sink that reads it
WITH_MORE = sorted([*REPLICAS, *(f"{task}/0/{number}" for task in (MORE, "of-more") for number in (0, 1))])
EDITED = "edited:aggregator"  # computes the same under another name
STARTS_A_POD, ENDS_A_POD = "POST .*/pods ", "DELETE .*/pods/"
STORES_CANCELING = 'PATCH .*/status .*"state": "canceling"'


def standby(life: Trades) -> Operator:
    one = life.operators.start()
    life.wait(lambda: one.identity is not None, "another operator stands by")
    return one


@contextmanager
def only(life: Trades, *lost: Pod) -> Iterator[None]:
    """Those are replaced, each once and on its own node, and no other pod is touched."""
    others = {one.uid for one in life.watch.there()} - {one.uid for one in lost}
    births = len(life.watch.born())
    yield
    life.wait(lambda: life.watch.born(births) != [] and life.is_settled(REPLICAS), "all pods are ready again")
    life.goes_on()
    born = life.watch.born(births)
    assert sorted((one.node, one.replicas) for one in born) == sorted((one.node, one.replicas) for one in lost)
    assert {one.uid for one in life.watch.there()} == others | {one.uid for one in born}


# ---- operators that die


def test_when_an_operator_dies_after_half_of_the_pods_another_one_starts_the_rest(life: Trades) -> None:
    first = life.operators.start(dies_after=(STARTS_A_POD, HALF))
    life.wait(lambda: life.operators.leader() is first, "it leads")
    second = standby(life)
    life.create(podTemplate=WITH_CODE)
    life.wait(lambda: not first.lives and len(life.watch.born()) >= HALF, "it dies")
    assert len(life.watch.born()) == HALF
    life.wait(lambda: life.state() == "running" and life.is_settled(REPLICAS), "it runs, all pods are ready")
    assert life.operators.leader() is second
    assert len(life.watch.born()) == PODS
    assert replicas_of(life.watch.born()) == REPLICAS, "each is started once"
    assert life.status()["attempts"] == 0


def test_a_topology_that_imports_its_stream_computes_the_same_of_it(running: Trades) -> None:
    """Each has a clock of its own, so rows are compared, and not which epoch they are in."""
    with watching(running.kube, "echo") as watch, no_pod_moves(running):
        echo = Trades(running.kube, watch, running.operators, "echo")
        imported = {"name": "trade-filter", "import": {"topology": NAME, "stream": "trade-filter"}, "configurations": [{"rate": 60}]}
        again = [one for one in running.kube.get("ftt", NAME)["spec"]["operators"] if one["name"] == "aggregator"]
        echo.create(store={"uri": f"{running.prefix}/store", "secret": "store"}, sources=[imported], operators=again, **echo.one_pod())
        echo.wait(lambda: len(echo.delivered()) > 2, "it has computed something")
        echo.delete()
        echo.wait(lambda: not echo.is_there and watch.there() == [], "it is gone, and its pod")
        assert len(watch.born()) == 1
    made, wanted = by_key(echo.rows()), by_key(running.rows())
    assert made == wanted[: len(made)], "all rows from the first one on, as far as it came"


def test_when_the_leader_is_killed_another_one_leads_and_no_pod_moves(running: Trades) -> None:
    first, second = lead(running), standby(running)
    history = running.status()["history"]
    with no_pod_moves(running):
        first.kill()
        running.wait(lambda: running.operators.leader() is second, "the other one leads")
        running.goes_on()
    assert running.status()["history"] == history, "what runs is left as it is"


def test_a_leader_that_was_asleep_for_longer_than_its_lease_does_no_harm_when_it_wakes_up(running: Trades) -> None:
    """And what was lost while nobody led is replaced once."""
    first, second = lead(running), standby(running)
    victim = running.watch.there()[0]
    with only(running, victim):
        first.signal(signal.SIGSTOP)
        running.kube.run("delete", "pod", victim.name, "--wait=false")
        running.wait(lambda: running.operators.leader() is second, "the other one leads")
        running.wait(lambda: victim.gone, "the pod is gone")
        first.signal(signal.SIGCONT)
    first.kill()


def test_two_operators_that_both_lead_replace_a_pod_whose_jvm_is_killed_once(running: Trades) -> None:
    """They hold different leases, so nothing but the way they act keeps them from doing things twice."""
    with new_namespace() as elsewhere:
        other = running.operators.start(lease_in=elsewhere.namespace)
        running.wait(lambda: f'"{other.identity}"' in elsewhere.run("get", "leases", "--output=json"), "both lead")
        victim = running.watch.there()[1]
        with only(running, victim):
            running.kube.run("exec", victim.name, "--", "sh", "-c", KILL_JAVA)
        other.kill()


# ---- primaries that are lost


@contextmanager
def another_leads(life: Trades, task: str) -> Iterator[Pod]:
    """The pod of a primary, which is to be lost while one operator is there: it alone is replaced, and another replica leads meanwhile."""
    leader = lead(life)
    for one in life.operators.started:
        if one.lives and one is not leader:
            one.kill()
    life.wait(lambda: life.primary(task) is not None, f"{task} has a primary")
    victim = life.primary(task)
    assert victim is not None
    with only(life, victim):
        yield victim
        life.wait(lambda: (now := life.primary(task)) is not None and now.uid != victim.uid, f"another replica of {task} leads")


def test_the_pod_of_a_primary_that_is_deleted_is_the_only_one_that_is_replaced(running: Trades) -> None:
    with another_leads(running, "aggregator/0") as victim:
        running.kube.run("delete", "pod", victim.name, "--wait=false")


def test_the_pod_of_a_primary_whose_jvm_is_killed_is_the_only_one_that_is_replaced(running: Trades) -> None:
    with another_leads(running, "aggregator/0") as victim:
        running.kube.run("exec", victim.name, "--", "sh", "-c", KILL_JAVA)


# ---- what its user does


def test_another_target_is_taken_up_and_no_pod_moves(running: Trades) -> None:
    def target(completeness: float) -> None:
        running.edit({"faultTolerance": {"target": {"completeness": completeness}}})

    with no_pod_moves(running):
        desired = running.status()["replicas"]["desired"]
        target(0.1)
        running.wait(lambda: running.status()["replicas"]["desired"] < desired, "fewer replicas are active")
        running.goes_on()
        target(0.9)
        running.wait(lambda: running.condition("Ready")["status"] == "True", "the others have caught up")


def test_edited_into_nonsense_it_goes_on_as_before_and_says_why(running: Trades) -> None:
    def read_from(stream: str) -> None:
        running.patch([{"op": "replace", "path": "/spec/operators/1/inputs/0/from", "value": stream}], "json")

    with no_pod_moves(running):
        read_from("nowhere")
        running.wait(lambda: "'nowhere'" in running.condition("Planned")["message"], "it says what is wrong")
        running.wait(lambda: running.state() == "running", "it goes on")
        running.goes_on()
        assert running.condition("Planned")["status"] == "False"
        read_from("trade-filter")
        running.wait(lambda: running.state() == "running" and running.condition("Planned")["status"] == "True", "it is taken up")


def test_another_function_is_tried_in_a_pod_of_its_own_and_takes_over_in_the_workers_that_are_there(running: Trades) -> None:
    with no_pod_moves(running):
        running.patch([{"op": "replace", "path": "/spec/operators/1/function", "value": EDITED}], "json")
        generation = running.kube.get("ftt", NAME)["metadata"]["generation"]
        name = f"{NAME}-trial-{generation}"
        running.wait(lambda: name in running.watch.trials, "a pod tries it on the state that is there")
        running.wait(lambda: running.is_planned(generation), "it is taken up")
        running.wait(lambda: not running.watch.trials[name], "the trial is gone")
        assert running.functions()["aggregator"] == EDITED
        for _ in range(3):
            running.goes_on()
    found = running.rows()
    compare(found, undisturbed(max(map(epoch_of, found))))


def test_one_that_makes_no_sense_from_the_start_starts_nothing_and_says_why(running: Trades) -> None:
    bad = Trades(running.kube, PodWatch(), running.operators, "bad")
    with no_pod_moves(running):
        bad.create(sinks=[{"name": "out", "from": "nowhere", "spark": {"format": "console"}}])
        bad.wait(lambda: bad.state() == "failed", "it fails")
        assert "'nowhere'" in bad.condition("Ready")["message"]
        bad.wait(lambda: "nowhere" in bad.kube.run("get", "events.events.k8s.io", "--output=jsonpath={..note}"), "an event says so")
        assert bad.kube.get("pods", "--selector=levee.dev/topology=bad")["items"] == []
        bad.delete()
        bad.wait(lambda: not bad.is_there, "it is gone")


def test_one_that_is_deleted_while_its_pods_start_leaves_nothing(running: Trades) -> None:
    with watching(running.kube, "brief") as watch, no_pod_moves(running):
        brief = Trades(running.kube, watch, running.operators, "brief")
        brief.create(**brief.one_pod())
        brief.wait(lambda: watch.born() != [], "its pod starts")
        brief.delete()
        brief.wait(lambda: not brief.is_there and watch.there() == [], "it is gone, and its pod")
        assert len(watch.born()) == 1


def test_it_stops_for_another_graph_and_goes_on_with_it_and_suspended_it_is_given_the_one_before(running: Trades) -> None:
    births = len(running.watch.born())
    function, path = "levee_spark.examples.bargains:trade_filter", f"{running.prefix}/more"
    operator = {"name": MORE, "function": function, "inputs": [{"from": "market", "cost": "10us"}]}
    sink = {"name": "of-more", "from": MORE, "spark": {"format": "parquet", "options": {"path": path}}}
    added = [{"op": "add", "path": f"/spec/{part}/-", "value": value} for part, value in (("operators", operator), ("sinks", sink))]
    running.patch(added, "json")
    running.wait(lambda: running.state() == "running" and running.is_settled(WITH_MORE), "it runs with the other graph")
    running.goes_on()
    assert replicas_of(running.watch.born(births)) == WITH_MORE, "each is started once"

    births = len(running.watch.born())
    running.patch({"spec": {"suspend": True}})
    running.wait(lambda: running.state() == "suspended" and running.watch.there() == [], "it is suspended")
    last = running.last_epochs()
    assert len(set(last.values())) == 1, "all streams end with the same epoch"
    removed = [{"op": "remove", "path": f"/spec/{part}"} for part in ("operators/2", "sinks/1", "suspend")]
    running.patch(removed, "json")
    running.wait(lambda: running.state() == "running" and running.is_settled(REPLICAS), "it runs again")
    running.goes_on()
    assert replicas_of(running.watch.born(births)) == REPLICAS, "each is started once"
    assert min(without_more(running).values()) > max(last.values())


def without_more(life: Trades) -> dict[str, int]:
    return {stream: epoch for stream, epoch in life.last_epochs().items() if not stream.rpartition("/")[2].startswith(f"{MORE}.")}


# ---- the end


def test_deleted_it_ends_at_one_epoch_though_operators_die_and_its_output_is_that_of_an_undisturbed_run(running: Trades) -> None:
    """One dies as soon as the end is noted and before anything was done for it, the next after the first of the pods."""
    births = len(running.watch.born())
    running.operators.kill_all()
    first = running.operators.start(dies_after=(STORES_CANCELING, 1))
    running.wait(lambda: running.operators.leader() is first, "an operator leads")
    running.delete()
    running.wait(lambda: not first.lives, "it dies")
    assert running.state() == "canceling"
    second = running.operators.start(dies_after=(ENDS_A_POD, 1))
    running.wait(lambda: not second.lives, "the next one dies")
    lead(running)
    running.wait(lambda: not running.is_there and running.watch.there() == [], "it is gone, and its pods")
    assert running.watch.born(births) == []
    (last,) = set(without_more(running).values())
    compare(running.rows(), undisturbed(last))
