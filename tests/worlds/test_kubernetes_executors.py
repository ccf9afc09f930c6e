"""Workers that start executors: what they alone may do, and what their executors' pods are made from."""

import json
from dataclasses import replace
from typing import Any

import pytest

from levee.control.actions import StartWorker
from levee.control.names import ReplicaName, WorkerName
from levee.topology.names import NodeName, OperatorName
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.executors import driver_of
from levee.worlds.kubernetes.names import Owner
from levee.worlds.kubernetes.pods import Birth, PodTerms, pod

TERMS = PodTerms(
    Owner("shop", "clicks", "1234-uid"),
    "levee/worker:1",
    "clicks-topology-ab12",
    "levee-worker",
    "levee-store",
    drivers=frozenset({OperatorName("vwap")}),
    driver_account="levee-driver",
    node_selector={"disk": "ssd"},
)
START = StartWorker(WorkerName("node-1-0"), NodeName("node-1"), (ReplicaName("vwap/1/0"),), attempt=2)
BIRTH = Birth(number=3, record=7, cpu=4.0)


def made(terms: PodTerms = TERMS, start: StartWorker = START) -> dict[str, Any]:
    return pod(start, terms, BIRTH, driver_of(start, terms, BIRTH))


def order_of(manifest: dict[str, Any]) -> dict[str, Any]:
    [container] = manifest["spec"]["containers"]
    found: dict[str, Any] = json.loads(next(one["value"] for one in container["env"] if one["name"] == "LEVEE_ORDER"))
    return found


def template(terms: PodTerms = TERMS, start: StartWorker = START) -> dict[str, Any]:
    found: dict[str, Any] = order_of(made(terms, start))["cluster"]["template"]
    return found


def test_only_who_starts_executors_has_an_identity_in_the_cluster() -> None:
    other = replace(START, replicas=(ReplicaName("filter/0/0"),))
    specs = [made()["spec"], made(start=other)["spec"]]
    assert [(one["automountServiceAccountToken"], one["serviceAccountName"]) for one in specs] == [
        (True, "levee-driver"),
        (False, "levee-worker"),
    ]
    assert "cluster" not in order_of(made(start=other))


def test_executors_have_the_priority_of_their_worker() -> None:
    terms = replace(TERMS, priority_class="streams")
    assert [made(terms)["spec"]["priorityClassName"], template(terms)["spec"]["priorityClassName"]] == ["streams", "streams"]


def test_executors_hold_neither_the_clusters_credentials_nor_the_stores() -> None:
    spec = template()["spec"]
    assert (spec["automountServiceAccountToken"], spec["serviceAccountName"]) == (False, "levee-worker")
    assert "levee-store" not in json.dumps(template())


def test_an_executors_pod_may_do_nothing_that_restricted_pod_security_forbids() -> None:
    [container] = template()["spec"]["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "runAsNonRoot": True,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def test_the_controller_does_not_take_executors_for_workers() -> None:
    bold = replace(TERMS, template={"metadata": {"labels": {names.TOPOLOGY: "clicks", "team": "shop"}}})
    labels = template(bold)["metadata"]["labels"]
    assert names.TOPOLOGY not in labels
    assert (labels["team"], labels[names.DRIVER]) == ("shop", made()["metadata"]["name"])


def test_executors_stand_beside_their_driver_and_never_on_a_node_of_another_replica() -> None:
    spec = template()["spec"]
    [near] = spec["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    assert near["preference"]["matchFields"][0]["values"] == ["node-1"]
    [apart] = spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    mine, others = made()["metadata"]["labels"], made(start=replace(START, replicas=(ReplicaName("vwap/1/1"),)))["metadata"]["labels"]
    assert [matches(apart["labelSelector"]["matchExpressions"], labels) for labels in (mine, others)] == [False, True]
    assert spec["nodeSelector"] == {"disk": "ssd"}


def matches(expressions: list[dict[str, Any]], labels: dict[str, str]) -> bool:
    return all((labels.get(one["key"]) in one["values"]) is (one["operator"] == "In") for one in expressions)


@pytest.mark.parametrize("name", ["POD_NAME", "POD_IP"])
def test_a_driver_says_where_it_is_and_who_owns_its_executors(name: str) -> None:
    [container] = made()["spec"]["containers"]
    names_of = [one["name"] for one in container["env"]]
    assert names_of.index(name) < names_of.index("LEVEE_ORDER"), "only what stands before is put in"
    cluster = order_of(made())["cluster"]
    assert (cluster["pod"], cluster["address"], cluster["namespace"]) == ("clicks-vwap-1-0-3", "$(POD_IP)", "shop")


def test_a_driver_asks_for_little_of_a_core_since_its_executors_have_theirs() -> None:
    [container] = made()["spec"]["containers"]
    assert container["resources"]["requests"]["cpu"] == "250m"


def test_what_a_template_says_of_workers_holds_for_executors() -> None:
    mount = {"name": "code", "mountPath": "/code"}
    own = {"spec": {"containers": [{"name": "worker", "volumeMounts": [mount]}], "volumes": [{"name": "code", "emptyDir": {}}]}}
    spec = template(replace(TERMS, template=own))["spec"]
    assert mount in spec["containers"][0]["volumeMounts"]
    assert {"name": "code", "emptyDir": {}} in spec["volumes"]
