"""The chart, rendered, and checked by an API server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from cluster.programs import monitors
from tests.e2e.cluster.chart import (
    CHART,
    RELEASE,
    asked,
    helm,
    of_file,
    pod_specs,
    rendered,
    settings,
)
from tests.e2e.cluster.kube import Kube

pytestmark = pytest.mark.e2e

SETS = [None, *sorted((CHART / "ci").glob("*-values.yaml"))]
EVERYTHING, NAMESPACES, DIGEST = (CHART / "ci" / f"{name}-values.yaml" for name in ("everything", "namespaces", "digest"))
MONITORS = {"PodMonitor": "podmonitors", "PrometheusRule": "prometheusrules"}  # of prometheus-operator
LEFT_OUT = {*MONITORS, "CustomResourceDefinition"}  # of another operator, or too large for a dry run


def name_of(values: Path | None) -> str:
    return values.name.removesuffix("-values.yaml") if values else "default"


each_set = pytest.mark.parametrize("values", SETS, ids=name_of)


@each_set
def test_helm_finds_nothing_wrong(values: Path | None) -> None:
    helm("lint", CHART, "--strict", *of_file(values))


@each_set
def test_no_role_says_everything(values: Path | None) -> None:
    rules = [rule for document in rendered(*of_file(values)) for rule in document.get("rules", ())]
    assert rules
    assert all("*" not in words for rule in rules for words in rule.values()), rules


@each_set
def test_every_pod_is_as_strict_as_can_be(values: Path | None) -> None:
    for spec in pod_specs(rendered(*of_file(values))):
        assert spec["securityContext"]["runAsNonRoot"] is True
        for container in [*spec.get("initContainers", ()), *spec["containers"]]:
            context = container["securityContext"]
            assert context["readOnlyRootFilesystem"] is True
            assert context["allowPrivilegeEscalation"] is False
            assert context["capabilities"] == {"drop": ["ALL"]}
            assert context["seccompProfile"] == {"type": "RuntimeDefault"}
            assert container["resources"]["limits"]["memory"]


@each_set
def test_an_api_server_would_take_all_of_it_without_a_warning(values: Path | None, kube: Kube) -> None:
    kube.run("label", "namespace", kube.namespace, "pod-security.kubernetes.io/warn=restricted")
    found = [document for document in rendered(*of_file(values)) if document["kind"] not in LEFT_OUT]
    strict = [] if values is not None and values.name.startswith("host-path") else ["--warnings-as-errors"]
    assert complaints(kube, found, *strict) == ""


def complaints(kube: Kube, documents: list[Any], *strict: str) -> str:
    """Of the API server, which takes nothing but says what it would take."""
    for document in documents:
        if "namespace" in document["metadata"]:
            document["metadata"]["namespace"] = kube.namespace  # whichever it is, it is there
    told = {"apiVersion": "v1", "kind": "List", "items": documents}
    done = kube.asked("apply", "--dry-run=server", "--filename=-", *strict, given=told)
    return done.stderr if done.returncode else ""


@pytest.fixture
def monitored(kube: Kube) -> Iterator[Kube]:
    """Where prometheus-operator could run, by its own definitions."""
    files = [f"--filename={monitors() / f'monitoring.coreos.com_{plural}.yaml'}" for plural in MONITORS.values()]
    kube.run("apply", "--server-side", *files)
    kube.run("wait", "--for=condition=Established", *files)
    yield kube
    kube.run("delete", *files)


@pytest.mark.own_cluster(because="definitions of another operator are put into it")
def test_prometheus_operator_takes_what_the_chart_makes_for_it_and_no_field_that_it_does_not_know(monitored: Kube) -> None:
    found = [document for values in SETS for document in rendered(*of_file(values)) if document["kind"] in MONITORS]
    assert {document["kind"] for document in found} == set(MONITORS)
    for document in found:
        assert complaints(monitored, [document], "--warnings-as-errors") == ""
        misspelt = document | {"spec": document["spec"] | {"selektor": {}}}
        assert 'unknown field "selektor"' in complaints(monitored, [misspelt])


def test_all_namespaces_are_a_cluster_role_and_a_list_is_a_role_in_each() -> None:
    everywhere, some = rendered(), rendered(*of_file(NAMESPACES))
    assert "pods" in resources(everywhere, "ClusterRole")
    seen_by_people = {"faulttoleranttopologies", "faultexperiments"}  # where they may see things of that kind
    let_go = {f"{name}/status" for name in seen_by_people}
    assert resources(some, "ClusterRole") == {"nodes", "namespaces", "customresourcedefinitions"} | seen_by_people | let_go
    roles = [one["metadata"]["namespace"] for one in some if one["kind"] == "Role" and "pods" in resources([one], "Role")]
    assert roles == ["orders", "shop"]
    readable = [rule for one in some if one["kind"] == "Role" for rule in one["rules"] if rule["resources"] == ["secrets"]]
    assert [rule["resourceNames"] for rule in readable] == [["levee-store"]] * 2


def test_rules_are_those_of_the_file_and_runbooks_are_where_the_values_say() -> None:
    told = yaml.safe_load((CHART / "files" / "rules" / "levee.yaml").read_text(encoding="utf-8"))
    (plain,) = (one for one in rendered("--set=metrics.rules.enabled=true") if one["kind"] == "PrometheusRule")
    assert plain["spec"] == told
    (linked,) = (one for one in rendered(*of_file(EVERYTHING)) if one["kind"] == "PrometheusRule")
    runbooks = {rule["annotations"]["runbook_url"] for group in linked["spec"]["groups"] for rule in group["rules"] if "alert" in rule}
    assert all(one.startswith("https://levee.example.com/docs/runbooks/README.md#levee") for one in runbooks)
    assert linked["metadata"]["labels"]["release"] == "prometheus"


def test_each_dashboard_is_a_config_map_that_grafana_s_sidecar_finds() -> None:
    made = [one for one in rendered("--set=metrics.dashboards.enabled=true") if one["metadata"]["labels"].get("grafana_dashboard") == "1"]
    shipped = {file.name: file.read_text(encoding="utf-8").strip() for file in (CHART / "files" / "dashboards").glob("*.json")}
    assert shipped
    assert {name: text.strip() for one in made for name, text in one["data"].items()} == shipped


def test_the_page_is_served_only_where_it_is_wanted() -> None:
    def told(*words: str) -> tuple[list[Any], list[str], dict[str, Any]]:
        found = rendered(*words)
        services = [one for one in found if one["kind"] == "Service" and one["metadata"]["name"].endswith("-page")]
        (spec, *_) = pod_specs(found)
        (operator,) = spec["containers"]
        return services, [one["name"] for one in operator["ports"]], {one["name"]: one.get("value") for one in operator["env"]}

    services, ports, environment = told()
    assert (services, ports) == ([], ["metrics", "health"])
    assert "LEVEE_PAGE_PORT" not in environment
    (service,), ports, environment = told(*of_file(EVERYTHING))
    assert (service["spec"]["ports"][0]["port"], service["spec"]["ports"][0]["targetPort"]) == (9092, "page")
    assert "page" in ports
    assert environment["LEVEE_PAGE_PORT"] == "9092"
    name = service["metadata"]["name"]
    hosts = ["levee.example.com", name, f"{name}.system", f"{name}.system.svc", f"{name}.system.svc.cluster.local"]
    assert environment["LEVEE_PAGE_HOSTS"].split(",") == hosts


def test_the_network_policy_lets_nobody_to_the_page_whom_it_does_not_name() -> None:
    def told(*words: str) -> dict[str, Any]:
        policies = [one for one in rendered("--set=networkPolicy.enabled=true,page.enabled=true", *words) if one["kind"] == "NetworkPolicy"]
        return {rule["ports"][0]["port"]: rule.get("from") for rule in policies[0]["spec"]["ingress"]}

    assert told() == {"metrics": None}
    assert told(*of_file(EVERYTHING))["page"] == [{"podSelector": {"matchLabels": {"app": "proxy"}}}]


def test_neither_rules_nor_dashboards_are_made_unasked() -> None:
    assert not [one for one in rendered() if one["kind"] == "PrometheusRule" or "grafana_dashboard" in one["metadata"].get("labels", {})]


def resources(documents: list[Any], kind: str) -> set[str]:
    return {name for one in documents if one["kind"] == kind for rule in one["rules"] for name in rule["resources"]}


def test_a_window_of_rates_has_four_scrapes() -> None:
    watched = settings(metrics__podMonitor__enabled="true", prometheus__address="http://prometheus:9090", prometheus__windowSeconds="60")
    assert rendered(*watched)
    with pytest.raises(AssertionError, match=r"a rate needs four scrapes: with .* 1m say 240 or more"):
        rendered(*watched, *settings(metrics__podMonitor__interval="1m"))


CHAOS = settings(chaos__enabled="true", watchNamespaces="{orders,shop}")


def test_experiments_are_off_and_have_rights_in_their_namespaces_alone() -> None:
    assert "LEVEE_CHAOS" not in json.dumps(rendered())
    assert "jobs" not in resources(rendered(), "ClusterRole")
    found = rendered(*CHAOS)
    roles = {(one["metadata"]["namespace"], one["metadata"]["name"]): one["rules"] for one in found if one["kind"] == "Role"}
    mine = {key: rules for key, rules in roles.items() if "chaos" in key[1]}
    assert mine.keys() == {(namespace, f"levee-chaos-{kind}") for namespace in ("orders", "shop") for kind in ("looks", "pods")}
    verbs = {verb for rule in mine["shop", "levee-chaos-looks"] for verb in rule["verbs"]}
    assert verbs == {"get", "list"}
    assert "jobs" in resources(found, "Role"), "the operator makes them"


def test_experiments_may_be_allowed_in_fewer_namespaces_than_are_watched() -> None:
    found = rendered(*CHAOS, *settings(chaos__namespaces="{shop}"))
    accounts = {one["metadata"]["namespace"] for one in found if one["kind"] == "ServiceAccount" and "chaos" in one["metadata"]["name"]}
    assert accounts == {"shop"}
    (spec,) = pod_specs(found)
    assert {"name": "LEVEE_CHAOS_NAMESPACES", "value": "shop"} in spec["containers"][0]["env"]


def test_privileged_pods_are_made_in_one_namespace_by_one_of_the_accounts() -> None:
    found = rendered(*CHAOS, *settings(chaos__privileged="true", chaos__helperNamespace="helpers"))
    makes = [
        one
        for one in found
        if one["kind"] == "Role" and any("create" in rule["verbs"] and "pods" in rule["resources"] for rule in one["rules"])
    ]
    mine = [one["metadata"] for one in makes if "chaos" in one["metadata"]["name"]]
    assert [one["namespace"] for one in mine] == ["helpers"]
    [bound] = [one for one in found if one["kind"] == "RoleBinding" and one["roleRef"]["name"] == mine[0]["name"]]
    assert [(one["name"], one["namespace"]) for one in bound["subjects"]] == [
        ("levee-chaos-nodes", "orders"),
        ("levee-chaos-nodes", "shop"),
    ]


def test_experiments_everywhere_have_to_name_their_namespaces() -> None:
    done = asked("template", RELEASE, CHART, "--namespace=system", *settings(chaos__enabled="true"))
    assert done.returncode != 0
    assert "chaos.enabled needs chaos.namespaces, or watchNamespaces" in done.stderr


def test_a_digest_goes_before_a_tag() -> None:
    (spec,) = pod_specs(rendered(*of_file(DIGEST)))
    (container,) = spec["containers"]
    assert container["image"] == f"registry.example.com/levee/operator@sha256:{'a' * 64}"
    told = {one["name"]: one.get("value") for one in container["env"]}
    assert told["LEVEE_WORKER_IMAGE"] == f"registry.example.com/levee/worker@sha256:{'b' * 64}"
    assert told["LEVEE_WORKER_SERVICE_ACCOUNT"] == "streaming"


def test_workers_get_a_priority_of_their_own() -> None:
    def told(*words: str) -> Any:
        (spec, *_) = pod_specs(rendered(*words))
        return spec.get("priorityClassName"), {one["name"]: one.get("value") for one in spec["containers"][0]["env"]}[
            "LEVEE_WORKER_PRIORITY_CLASS"
        ]

    assert told() == (None, "")
    assert told(*of_file(EVERYTHING)) == ("system-cluster-critical", "streams")


def test_the_operator_knows_the_address_of_the_embedded_store_where_there_is_one() -> None:
    def told(*words: str) -> Any:
        (spec, *_) = pod_specs(rendered(*words))
        return {one["name"]: one.get("value") for one in spec["containers"][0]["env"]}["LEVEE_EMBEDDED_STORE"]

    assert told() == ""
    words = settings(store__embedded__enabled="true")
    (secret,) = (one for one in rendered(*words) if one["kind"] == "Secret")
    assert told(*words) == secret["stringData"]["AWS_ENDPOINT_URL"]


def test_liveness_is_kopfs_to_tell_and_readiness_is_told_beside_the_metrics() -> None:
    (spec,) = pod_specs(rendered())
    (container,) = spec["containers"]
    asked_at = {name: container[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")}
    health, metrics = {"path": "/healthz", "port": "health"}, {"path": "/readyz", "port": "metrics"}
    assert asked_at == {"startup": health, "liveness": health, "readiness": metrics}


def test_operator_and_workers_are_not_the_same_and_workers_may_do_nothing() -> None:
    found = rendered(*of_file(EVERYTHING))
    accounts = {one["metadata"]["name"]: one for one in found if one["kind"] == "ServiceAccount"}
    assert accounts["compute"]["automountServiceAccountToken"] is False
    bound = {subject["name"] for one in found if one["kind"].endswith("RoleBinding") for subject in one["subjects"]}
    assert bound == accounts.keys() - {"compute"}


def test_every_copy_of_the_stores_secret_is_the_same() -> None:
    found = rendered(*settings(store__embedded__enabled="true", watchNamespaces="{orders,shop}"))
    secrets = [one for one in found if one["kind"] == "Secret"]
    assert len(secrets) == 3
    assert len({json.dumps(one["stringData"]) for one in secrets}) == 1


def test_the_resource_definition_is_left_in_the_cluster_unless_it_is_told_to_go() -> None:
    def policy(*words: str) -> Any:
        found = [one for one in rendered(*words) if one["kind"] == "CustomResourceDefinition"]
        assert len(found) == 2
        return {one["metadata"].get("annotations", {}).get("helm.sh/resource-policy") for one in found}

    assert policy() == {"keep"}
    assert policy("--set=crds.keep=false") == {None}
    assert "CustomResourceDefinition" not in {one["kind"] for one in rendered("--set=crds.install=false")}


@pytest.mark.parametrize(
    "value", ["replicas=3", "watchNamespace={orders}", "image.digest=sha256:12", "store.embedded.persistence.hostPath=/srv"]
)
def test_values_that_make_no_sense_are_refused(value: str) -> None:
    done = asked("template", RELEASE, CHART, f"--set={value}")
    assert done.returncode != 0
    assert "values don't meet the specifications of the schema" in done.stderr
