"""Experiments as resources on a real cluster: one passes while a second one waits, what makes no sense is refused, and one that is deleted
while what it has paused stands still lets it go on.

They share one topology, since its pods are what takes time; each alone begins one for itself.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from levee.experiments.crd import FOR_GOOD
from levee.experiments.orders import MADE_BY
from tests.e2e.cluster.chart import CHART, helm, settings
from tests.e2e.cluster.conftest import new_namespace
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.trades import Trades, living

pytestmark = [pytest.mark.e2e, pytest.mark.needs_store]

IMAGE = "localhost/levee/chaos:dev"
PRIVILEGED = {"pod-security.kubernetes.io/enforce": "privileged"}
STEADY = {"probes": [{"probe": "ready"}, {"probe": "no_epoch_lost_or_changed"}], "recovery": "5m"}
SAFETY = {"lostFor": "6m", "timeLimit": "9m"}
CRASH = {"action": "crash_replica", "arguments": {"operator": "aggregator", "role": "primary"}}


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trades]:
    with new_namespace() as kube, new_namespace(PRIVILEGED) as helpers, living(kube, tmp_path_factory.mktemp("operators")) as life:
        try:
            for one in identities(kube, helpers):
                (helpers if one["metadata"].get("namespace") == helpers.namespace else kube).run("apply", "--filename=-", given=one)
            life.operators.start(
                LEVEE_CHAOS_IMAGE=IMAGE,
                LEVEE_CHAOS_NAMESPACES=kube.namespace,
                LEVEE_CHAOS_PRIVILEGED="true",
                LEVEE_CHAOS_HELPERS=helpers.namespace,
            )
            life.create(**life.one_pod())
            life.wait(lambda: life.state() == "running" and life.condition("Ready")["status"] == "True", "it runs")
            life.goes_on()
            yield life
        finally:
            kube.run("delete", "clusterrole,clusterrolebinding", f"levee-{kube.namespace}-chaos", "--ignore-not-found")


def identities(kube: Kube, helpers: Kube) -> list[Any]:
    """Of the chart, for an operator that runs outside of the cluster."""
    chosen = settings(chaos__enabled="true", chaos__privileged="true", chaos__helperNamespace=helpers.namespace)
    named = settings(watchNamespaces=f"{{{kube.namespace}}}", fullnameOverride=kube.namespace)
    text = helm("template", "levee", CHART, "--namespace=levee", "--show-only=templates/chaos.yaml", *chosen, *named)
    return [one for one in yaml.safe_load_all(text) if one]


def begin(life: Trades, name: str, *steps: Any, **spec: Any) -> None:
    told = {"topology": life.name, "steps": list(steps), "steadyState": STEADY, "safety": SAFETY} | spec
    life.kube.create({"apiVersion": "levee.dev/v1alpha1", "kind": "FaultExperiment", "metadata": {"name": name}, "spec": told})


def status(life: Trades, name: str) -> Any:
    return life.kube.get("fx", name).get("status", {})


def told_by(life: Trades, name: str) -> str:
    """By its Job, as it goes on."""
    job = status(life, name).get("job")
    return life.kube.asked("logs", f"job/{job}").stdout if job else ""


def has_ended(life: Trades, name: str) -> bool:
    return any(one["type"] == "Complete" and one["status"] == "True" for one in status(life, name).get("conditions", ()))


def is_there(life: Trades, name: str) -> bool:
    return f"faultexperiment.levee.dev/{name}" in life.kube.run("get", "fx", "--output=name").split()


def helpers(life: Trades, selector: str) -> list[Any]:
    found: list[Any] = life.kube.get("pods", "--all-namespaces", f"--selector={selector}")["items"]
    return found


def test_one_passes_while_the_second_waits_and_both_say_so(life: Trades) -> None:
    before, pods = life.epochs(), {one.uid for one in life.watch.there()}
    begin(life, "crash", CRASH | {"when": {"epoch": max(life.last_epochs().values()) + 3}})
    life.wait(lambda: status(life, "crash").get("phase") == "Running", "it has begun")
    begin(life, "second", {"probe": "goes_on", "arguments": {"epochs": 1}})
    life.wait(lambda: status(life, "second").get("phase") == "Pending", "the second one waits")
    assert (status(life, "second")["reason"], status(life, "second")["waitsFor"]) == ("WaitsForAnother", "crash")
    life.wait(lambda: has_ended(life, "crash"), "it has its verdict")
    said = status(life, "crash")
    assert (said["phase"], said["reason"], said["undone"]) == ("Passed", "Survived", True), said
    figures = said["figures"]
    assert (figures["faults"], figures["epochsLost"], figures["epochsChanged"]) == (1, 0, 0)
    assert figures["gapSeconds"] > 0
    assert [one["phase"] for one in said["steps"]] == ["Done"]
    assert pods.isdisjoint(one.uid for one in life.watch.there()), "another pod works"
    after = life.epochs()
    assert {path: tag for path, tag in before.items() if path in after and after[path] != tag} == {}
    report = life.kube.get("configmap", said["report"])["data"]
    assert json.loads(report["verdict.json"])["figures"] == figures
    assert json.loads(report["journal.json"])["status"] == "completed"
    shown = life.kube.run("get", "fx", "crash").splitlines()[1].split()
    assert shown[:5] == ["crash", life.name, "Passed", "Survived", "1"]
    assert "Passed" in life.kube.run("describe", "fx", "crash")
    life.wait(lambda: has_ended(life, "second"), "its turn came")
    assert status(life, "second")["phase"] == "Passed", status(life, "second")


def test_steps_wait_for_a_rate_and_for_a_passage_of_its_life(life: Trades) -> None:
    """A rate that never comes shows nothing, and what was to follow is not done."""
    goes_on = {"probe": "goes_on", "arguments": {"epochs": 1}}
    edited = {"transition": {"from": "running", "to": "updating"}, "within": "5m"}
    begin(life, "moments", goes_on | {"when": {"rate": {"source": "market", "atLeast": 1}}}, goes_on | {"when": edited})
    life.wait(lambda: '"begins", "activity": "2-goes-on-waits"' in told_by(life, "moments"), "the rate was there")
    life.edit({"faultTolerance": {"failureTimeout": "70s"}})
    life.wait(lambda: has_ended(life, "moments"), "it has seen the edit")
    assert status(life, "moments")["phase"] == "Passed", (status(life, "moments"), life.status()["history"])
    begin(life, "never", CRASH | {"when": {"rate": {"source": "market", "atLeast": 100_000}, "within": "5s"}})
    life.wait(lambda: has_ended(life, "never"), "it has waited for long enough")
    said = status(life, "never")
    assert (said["phase"], said["reason"], said["figures"]["faults"]) == ("Inconclusive", "NeverFired", 0), said


def test_what_makes_no_sense_is_refused_before_anything_happens(life: Trades) -> None:
    begin(life, "nobody", {"action": "crash_replica", "arguments": {"operator": "aggregators"}})
    life.wait(lambda: has_ended(life, "nobody"), "it is refused")
    said = status(life, "nobody")
    assert (said["phase"], said["reason"]) == ("Refused", "NotValid")
    assert "the topology has no operator 'aggregators'" in said["message"]
    assert "Fix: use 'aggregator'" in said["message"]
    assert "job" not in said
    with pytest.raises(AssertionError, match=FOR_GOOD):
        life.kube.run("patch", "fx", "nobody", "--type=merge", '--patch={"spec": {"topology": "other"}}')
    life.kube.run("delete", "fx", "nobody", "--timeout=30s")


def test_deleted_while_its_pause_stands_it_goes_when_that_is_undone(life: Trades) -> None:
    life.goes_on()
    begin(life, "pause", {"action": "pause_replica", "arguments": {"operator": "aggregator", "for_s": 500}})
    mine = f"{MADE_BY}={life.kube.get('fx', 'pause')['metadata']['uid']}"
    life.wait(lambda: any(stands_still(life, one) for one in helpers(life, mine)), "its helper has paused the worker")
    life.kube.run("delete", "fx", "pause", "--wait=false")
    life.wait(lambda: not is_there(life, "pause"), "the experiment is gone")
    assert helpers(life, mine) == []
    life.goes_on()


def stands_still(life: Trades, helper: Any) -> bool:
    """As the helper has measured it."""
    if helper["status"].get("phase") != "Running":
        return False
    return '{"left": []}' in life.kube.run("logs", helper["metadata"]["name"], f"--namespace={helper['metadata']['namespace']}")


def test_deleted_they_leave_nothing(life: Trades) -> None:
    for name in ("crash", "second", "moments", "never"):
        if is_there(life, name):
            life.kube.run("delete", "fx", name, "--timeout=60s")
    life.wait(lambda: life.kube.get("jobs", "--selector=levee.dev/experiment")["items"] == [], "their Jobs go with them")
    assert [one["metadata"]["name"] for one in life.kube.get("configmaps")["items"] if "-report-" in one["metadata"]["name"]] == []
