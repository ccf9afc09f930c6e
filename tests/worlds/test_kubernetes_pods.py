"""Workers as pods: what they may do, how they are called, and what a user's template may change."""

import json
from dataclasses import replace

import pytest

from levee.control.actions import StartWorker
from levee.control.names import ReplicaName, WorkerName
from levee.topology.names import NodeName
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.merge import merged
from levee.worlds.kubernetes.names import LABEL_MAX, Owner
from levee.worlds.kubernetes.pods import Birth, Manifest, PodTerms, pod

OWNER = Owner("shop", "clicks", "1234-uid")
TERMS = PodTerms(OWNER, "levee/worker:1", "clicks-topology-ab12", "levee-worker", "levee-store")
START = StartWorker(WorkerName("node-1-0"), NodeName("node-1.example"), (ReplicaName("vwap/1/0"),), attempt=2, failures=1)
BIRTH = Birth(number=3, record=7, cpu=0.25)


def made(terms: PodTerms = TERMS, start: StartWorker = START) -> Manifest:
    return pod(start, terms, BIRTH)


def container_of(manifest: Manifest) -> Manifest:
    [container] = manifest["spec"]["containers"]
    assert isinstance(container, dict)
    return container


def test_a_pod_may_do_nothing_that_restricted_pod_security_forbids() -> None:
    manifest = made()
    security = container_of(manifest)["securityContext"]
    assert security["allowPrivilegeEscalation"] is False
    assert security["readOnlyRootFilesystem"] is True
    assert security["runAsNonRoot"] is True
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert {next(iter(set(volume) - {"name"})) for volume in manifest["spec"]["volumes"]} <= {"emptyDir", "configMap"}


def test_a_worker_holds_no_credentials_of_kubernetes() -> None:
    assert made()["spec"]["automountServiceAccountToken"] is False


def test_credentials_of_the_store_come_from_the_secret_and_stand_nowhere_else() -> None:
    assert container_of(made())["envFrom"] == [{"secretRef": {"name": "levee-store"}}]
    assert container_of(made(replace(TERMS, secret=None)))["envFrom"] == []


def test_a_pod_may_run_on_the_node_of_the_plan_only() -> None:
    affinity = made()["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert affinity["nodeSelectorTerms"] == [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1.example"]}]}]


def test_a_worker_has_the_priority_of_the_chart_unless_its_template_has_one() -> None:
    assert "priorityClassName" not in made()["spec"]
    terms = replace(TERMS, priority_class="streams")
    assert made(terms)["spec"]["priorityClassName"] == "streams"
    assert made(replace(terms, template={"spec": {"priorityClassName": "urgent"}}))["spec"]["priorityClassName"] == "urgent"


def test_a_worker_is_annotated_for_scraping_where_the_chart_wants_it_and_the_template_says_nothing_else() -> None:
    name = "prometheus.io/scrape"
    assert name not in made()["metadata"]["annotations"]
    assert made(replace(TERMS, scraped=True))["metadata"]["annotations"][name] == "true"
    template = {"metadata": {"annotations": {name: "false"}}}
    assert made(replace(TERMS, scraped=True, template=template))["metadata"]["annotations"][name] == "false"


def test_a_pod_is_named_after_its_replica_and_how_many_there_were() -> None:
    assert made()["metadata"]["name"] == "clicks-vwap-1-0-3"


def test_a_pod_with_several_replicas_is_named_after_its_worker() -> None:
    several = replace(START, replicas=(ReplicaName("vwap/0/0"), ReplicaName("vwap/1/0")))
    assert made(start=several)["metadata"]["name"] == "clicks-node-1-0-3"


def test_its_order_names_an_incarnation_that_never_was_before() -> None:
    env = {one["name"]: one for one in container_of(made())["env"]}
    order = json.loads(env["LEVEE_ORDER"]["value"])
    assert order["worker"] == "$(POD_NAME).$(POD_UID)"
    assert list(env).index("POD_UID") < list(env).index("LEVEE_ORDER"), "only what stands before is put in"
    assert order["replicas"] == ["vwap/1/0"]
    assert (order["attempt"], order["uid"], order["node"]) == (2, "1234-uid", "node-1.example")


def test_the_record_behind_an_act_and_the_count_of_failures_stand_on_the_pod() -> None:
    said = made()["metadata"]["annotations"]
    assert (said[names.RECORD], said[names.FAILURES], said[names.ATTEMPT]) == ("7", "1", "2")


def test_resources_follow_from_the_plan() -> None:
    assert container_of(made())["resources"]["requests"]["cpu"] == "250m"


def test_a_template_changes_what_its_user_wants_and_keeps_the_rest() -> None:
    template = {
        "metadata": {"labels": {"team": "shop"}},
        "spec": {
            "priorityClassName": "streams",
            "containers": [{"name": "worker", "resources": {"limits": {"memory": "4Gi"}}, "env": [{"name": "TZ", "value": "UTC"}]}],
            "volumes": [{"name": "code", "configMap": {"name": "functions"}}],
        },
    }
    manifest = made(replace(TERMS, template=template))
    container = container_of(manifest)
    assert manifest["spec"]["priorityClassName"] == "streams"
    assert manifest["metadata"]["labels"]["team"] == "shop"
    assert container["resources"]["limits"]["memory"] == "4Gi"
    assert container["resources"]["requests"]["cpu"] == "250m"
    assert [one["name"] for one in container["env"]] == ["POD_NAME", "POD_UID", "LEVEE_ORDER", "TZ"]
    assert [one["name"] for one in manifest["spec"]["volumes"]] == ["work", "tmp", "memory", "topology", "code"]


@pytest.mark.parametrize(
    "template",
    [
        {"metadata": {"name": "other", "labels": {names.TOPOLOGY: "other"}, "annotations": {names.ATTEMPT: "9"}, "ownerReferences": []}},
        {"spec": {"restartPolicy": "Always", "affinity": {"nodeAffinity": None}}},
        {"spec": {"affinity": None}},
        {"spec": {"nodeName": "node-9"}},
        {"spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}}},
    ],
)
def test_no_template_can_hide_a_pod_or_move_it_elsewhere(template: Manifest) -> None:
    plain, manifest = made(), made(replace(TERMS, template=template))
    assert manifest["metadata"] == plain["metadata"]
    assert manifest["spec"]["restartPolicy"] == "Never"
    assert "nodeName" not in manifest["spec"]
    assert manifest["spec"]["affinity"]["nodeAffinity"] == plain["spec"]["affinity"]["nodeAffinity"]


@pytest.mark.parametrize(
    ("below", "above", "found"),
    [
        ({"a": 1, "b": 2}, {"b": None}, {"a": 1}),
        ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
        ([1, 2], [3], [3]),
        ([{"name": "a", "x": 1}], [{"name": "a", "y": 2}, {"name": "b"}], [{"name": "a", "x": 1, "y": 2}, {"name": "b"}]),
        ([{"mountPath": "/a"}], [{"mountPath": "/b"}], [{"mountPath": "/a"}, {"mountPath": "/b"}]),
        (None, {"a": None, "b": {"c": None}}, {"b": {}}),
    ],
)
def test_templates_are_laid_over_as_kubectl_does(below: object, above: object, found: object) -> None:
    assert merged(below, above) == found


def test_long_names_fit_and_stay_apart() -> None:
    one, other = (names.fitted("a" * 80 + ending, "-12") for ending in "xy")
    assert one != other
    assert len(one) <= LABEL_MAX
    assert one.endswith("-12")


def test_names_that_no_object_may_bear_are_made_fit() -> None:
    assert names.fitted("ip-10-0-0-1.Example") != "ip-10-0-0-1.Example"
    assert set(names.fitted("ip-10-0-0-1.Example")) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
