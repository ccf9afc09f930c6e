"""A release of the chart: installed, upgraded and removed; what its operator may do, and does."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.cluster.chart import CHART, CRD, FORMERLY, IMAGES, RELEASE, ROOT, asked, helm, previous, put
from tests.e2e.cluster.conftest import new_namespace
from tests.e2e.cluster.kube import Kube, condition, until
from tests.e2e.cluster.store import store_of_tests

pytestmark = [pytest.mark.e2e, pytest.mark.alone(because="it puts the resource definitions of an older chart in place of today's")]

STORE = store_of_tests()
NEEDED = {
    "levee.dev/faulttoleranttopologies": ["get", "list", "watch", "patch"],
    "levee.dev/faulttoleranttopologies/status": ["patch"],
    "levee.dev/faultexperiments": ["get", "list", "watch", "patch", "delete"],
    "levee.dev/faultexperiments/status": ["patch"],
    "/pods": ["get", "list", "watch", "create", "delete"],
    "/configmaps": ["get", "list", "create", "delete"],
    "/secrets//levee-store": ["get"],
    "/nodes": ["get", "list", "watch"],
    "/namespaces": ["get", "list", "watch"],
    "apiextensions.k8s.io/customresourcedefinitions": ["list", "watch"],
    "events.k8s.io/events": ["create"],
    "coordination.k8s.io/leases": ["create"],
    "coordination.k8s.io/leases//levee-operator": ["get", "update"],
    "policy/poddisruptionbudgets": ["get", "create", "patch", "delete"],
}
TOO_MUCH = {
    "levee.dev/faulttoleranttopologies": ["create", "delete"],
    "/pods": ["patch"],
    "/configmaps": ["patch", "update", "watch"],
    "/pods/exec": ["create"],
    "/pods/log": ["get"],
    "batch/jobs": ["create"],
    "/secrets": ["list", "watch", "create", "delete"],
    "/nodes": ["patch", "delete"],
    "/serviceaccounts/token": ["create"],
    "apiextensions.k8s.io/customresourcedefinitions": ["patch", "update"],
}
LEFT = "deployments,services,configmaps,secrets,serviceaccounts,roles,rolebindings"


def test_it_is_installed_upgraded_and_removed(kube: Kube, tmp_path: Path) -> None:
    try:
        helm(*put(kube), previous(tmp_path), *IMAGES, kube=kube)
        assert FORMERLY in kube.run("get", "crd", CRD, "--output=yaml")
        said = helm(*put(kube), CHART, *IMAGES, "--set=replicas=2", kube=kube)
        assert f"kubectl --namespace {kube.namespace} get ftt" in said
        found = kube.get("deployment", RELEASE)
        assert condition(found, "Available")
        assert found["status"]["readyReplicas"] == 2
        rights(kube)
        rights_of_people(kube)
        until(lambda: kube.run("get", "lease", "levee-operator", "--output=jsonpath={.spec.holderIdentity}") != "", "one of them acts")
    finally:
        asked("uninstall", RELEASE, "--wait", kube=kube)
    assert kube.run("get", LEFT, "--selector=app.kubernetes.io/managed-by=Helm", "--output=name") == ""
    kept = kube.get("crd", CRD)
    assert condition(kept, "Established")
    assert FORMERLY not in json.dumps(kept)


@pytest.mark.needs_store
def test_the_operator_may_do_all_that_it_does(kube: Kube) -> None:
    """From a resource to pods and back, by pods whose image is nowhere: they cost nothing."""
    kube.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "levee-store"}, "stringData": STORE.secret})
    try:
        helm(*put(kube), CHART, *IMAGES, "--set=rbac.secretNames={levee-store},page.enabled=true", kube=kube)
        kube.create(topology(kube.namespace))
        until(lambda: len(workers(kube)) > 0, "the operator starts workers")
        assert {one["spec"]["serviceAccountName"] for one in workers(kube)} == {"levee-worker"}
        until(lambda: RELEASE in kube.run("get", "events.events.k8s.io", "--output=jsonpath={..reportingInstance}"), "it says so")
        assert shown_by_the_page(kube)["name"] == f"{kube.namespace}/idle"
        kube.run("delete", "ftt", "idle", "--timeout=120s")
        until(lambda: not workers(kube), "its workers are gone")
        assert "orbidden" not in kube.run("logs", f"deployment/{RELEASE}")
    finally:
        asked("uninstall", RELEASE, "--wait", kube=kube)


@pytest.mark.needs_store
def test_a_watched_namespace_is_deleted_and_the_others_are_looked_after(kube: Kube) -> None:
    """Its Role goes before what is in it; and it stays in the list that the operator was given."""
    with new_namespace() as other:
        try:
            helm(*put(kube), CHART, *IMAGES, f"--set=watchNamespaces={{{kube.namespace},{other.namespace}}}", kube=kube)
            for one in (other, kube):
                one.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "levee-store"}, "stringData": STORE.secret})
            other.create(topology(other.namespace))
            until(lambda: len(workers(other)) > 0, "the operator starts workers there")
            kube.run("delete", "namespace", other.namespace, "--wait=false")
            until(lambda: other.namespace not in kube.run("get", "namespaces", "--output=name"), "the namespace is gone")
            kube.run("rollout", "restart", f"deployment/{RELEASE}")
            kube.run("rollout", "status", f"deployment/{RELEASE}", "--timeout=120s")
            kube.create(topology(kube.namespace))
            until(lambda: len(workers(kube)) > 0, "the operator starts workers here")
            kube.run("delete", "ftt", "idle", "--timeout=120s")
        finally:
            asked("uninstall", RELEASE, "--wait", kube=kube)


def workers(kube: Kube) -> list[Any]:
    found: list[Any] = kube.get("pods", "--selector=levee.dev/topology=idle")["items"]
    return found


def shown_by_the_page(kube: Kube) -> Any:
    """Through the API server, for who may."""
    path = f"/api/v1/namespaces/{kube.namespace}/services/{RELEASE}-page:8082/proxy/picture.json"
    return json.loads(kube.run("get", "--raw", path))["shown"]


def topology(prefix: str) -> Any:
    """The smallest of the examples, on whatever nodes there are."""
    document = yaml.safe_load((ROOT / "examples" / "pipeline.yaml").read_text(encoding="utf-8"))
    document["metadata"]["name"] = "idle"
    changes = {"image": "localhost/levee/nowhere:dev", "store": {"uri": f"{STORE.uri}/{prefix}", "secret": "levee-store"}}
    document["spec"] |= changes | {"placement": {"capacity": "1"}}
    return document


def rights_of_people(kube: Kube) -> None:
    """Who may see or change what is in a namespace may do that with topologies, too."""
    topologies, changing = "levee.dev/faulttoleranttopologies", ["create", "patch", "delete"]
    for role in ("view", "edit"):
        kube.run("create", "rolebinding", f"may-{role}", f"--clusterrole={role}", f"--user=may-{role}")
    until(lambda: is_allowed(kube, "may-edit", "patch", topologies), "Kubernetes' own roles have taken up ours")
    assert all(is_allowed(kube, user, "watch", topologies) for user in ("may-view", "may-edit"))
    assert [verb for verb in changing if is_allowed(kube, "may-edit", verb, topologies)] == changing
    assert not any(is_allowed(kube, "may-view", verb, topologies) for verb in changing)


def rights(kube: Kube) -> None:
    """What the API server itself says of them."""
    denied = [f"{verb} {what}" for what, verbs in NEEDED.items() for verb in verbs if not may(kube, RELEASE, verb, what)]
    assert denied == []
    granted = [f"{verb} {what}" for what, verbs in TOO_MUCH.items() for verb in verbs if may(kube, RELEASE, verb, what)]
    assert granted == []
    assert not may(kube, RELEASE, "create", "/pods", namespace="default")
    assert not may(kube, "levee-worker", "get", "/pods")


def may(kube: Kube, account: str, verb: str, what: str, namespace: str = "") -> bool:
    return is_allowed(kube, f"system:serviceaccount:{kube.namespace}:{account}", verb, what, namespace)


def is_allowed(kube: Kube, user: str, verb: str, what: str, namespace: str = "") -> bool:
    """`what`: group/resource/subresource/name."""
    group, resource, subresource, name = (what + "///").split("/")[:4]
    asked_for = {"verb": verb, "group": group, "resource": resource, "subresource": subresource, "name": name}
    spec = {"user": user, "resourceAttributes": {"namespace": namespace or kube.namespace, **asked_for}}
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    answer = json.loads(kube.run("create", "--filename=-", "--output=json", given=review))
    return bool(answer["status"]["allowed"])
