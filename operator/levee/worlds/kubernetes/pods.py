"""A worker as a pod: one container that may do nothing but compute and reach the store.

Why: everything a pod may and may not do is decided here, in one value that tests can read.
Called by: world, for every worker that is to start.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from levee.control.actions import StartWorker
from levee.topology.names import OperatorName
from levee.topology.spec import API_VERSION, KIND
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.merge import merged
from levee.worlds.kubernetes.names import Owner

Manifest: TypeAlias = dict[str, Any]

PORT = 8080
CONTAINER = "worker"
ORDER = "LEVEE_ORDER"
FOLDER, RESOURCE_FOLDER, RESOURCE_FILE = "/work", "/etc/levee", "topology.yaml"
GRACE_S = 5  # a worker ends at once and loses nothing
MEMORY_MIB, MEMORY_MIB_PER_REPLICA, SHARED_MIB = 576, 128, 256
LEAST_CPU = 0.05
DRIVER_MIB, DRIVER_CPU = 384, 0.25  # more memory, and less of a core, than who computes by itself
DOWNWARD, DRIVERS_DOWNWARD = {"POD_NAME": "metadata.name", "POD_UID": "metadata.uid"}, {"POD_IP": "status.podIP"}
SCRAPED = {"prometheus.io/scrape": "true", "prometheus.io/port": str(PORT), "prometheus.io/path": "/metrics"}
RESTRICTED: Mapping[str, Any] = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


@dataclass(frozen=True, slots=True)
class PodTerms:
    """What all workers of a topology have in common."""

    owner: Owner
    image: str
    config_map: str  # holds the resource as it was planned
    service_account: str | None = None
    secret: str | None = None  # with the store's credentials
    nonce: int = 0  # the restartNonce by which they are started
    tolerate_s: int = 5
    template: Mapping[str, Any] = field(default_factory=dict)  # what the user wants to be otherwise
    drivers: frozenset[OperatorName] = frozenset()  # operators that executors compute
    driver_account: str | None = None  # which may start them
    node_selector: Mapping[str, str] = field(default_factory=dict)  # of the nodes where they may run
    priority_class: str | None = None  # where the template says nothing else
    scraped: bool = False  # by a Prometheus that goes by annotations


@dataclass(frozen=True, slots=True)
class Birth:
    """What is new of one incarnation."""

    number: int  # among those of the same replicas
    record: int  # the control record behind it
    cpu: float  # cores that its replicas are planned to use at the highest rates


@dataclass(frozen=True, slots=True)
class Driver:
    """A worker that starts executors: the only one with an identity in the cluster."""

    account: str | None
    cluster: Manifest  # of its order
    labels: Mapping[str, str]


def pod(start: StartWorker, terms: PodTerms, birth: Birth, driver: Driver | None = None) -> Manifest:
    made: Manifest = {"apiVersion": "v1", "kind": "Pod"}
    made |= {"metadata": metadata(start, terms, birth), "spec": spec(start, terms, birth.cpu, driver)}
    if driver is not None:
        made["metadata"]["labels"] |= driver.labels
    wanted = guarded(laid_over(made, terms.template), made)
    if terms.scraped:
        wanted["metadata"]["annotations"] = SCRAPED | wanted["metadata"]["annotations"]  # the template may say otherwise
    return wanted


def metadata(start: StartWorker, terms: PodTerms, birth: Birth) -> Manifest:
    owner = terms.owner
    return {
        "name": names.pod_name(owner, start, birth.number),
        "namespace": owner.namespace,
        "labels": names.labels(owner, CONTAINER) | {names.WORKER: names.fitted(start.worker)},
        "annotations": {
            names.WORKER: start.worker,
            names.REPLICAS: ",".join(start.replicas),
            names.ATTEMPT: str(start.attempt),
            names.FAILURES: str(start.failures),
            names.INCARNATION: str(birth.number),
            names.RECORD: str(birth.record),
            names.NONCE: str(terms.nonce),
        },
        "ownerReferences": [names.reference(owner, API_VERSION, KIND)],
    }


def spec(start: StartWorker, terms: PodTerms, cpu: float, driver: Driver | None) -> Manifest:
    account = terms.service_account if driver is None else driver.account
    found: Manifest = {
        "restartPolicy": "Never",  # who starts it anew is decided, and counted, by the controller
        "terminationGracePeriodSeconds": GRACE_S,
        "automountServiceAccountToken": driver is not None,
        "enableServiceLinks": False,
        "securityContext": {"runAsNonRoot": True, "seccompProfile": dict(RESTRICTED["seccompProfile"])},
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [only(start.node)]}}},
        "tolerations": tolerations(terms.tolerate_s),
        "containers": [container(start, terms, cpu, driver)],
        "volumes": [
            {"name": "work", "emptyDir": {}},
            {"name": "tmp", "emptyDir": {}},
            {"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": f"{SHARED_MIB}Mi"}},
            {"name": "topology", "configMap": {"name": terms.config_map}},
        ],
    }
    return found | ({"serviceAccountName": account} if account else {}) | priority(terms)


def priority(terms: PodTerms) -> Manifest:
    return {"priorityClassName": terms.priority_class} if terms.priority_class else {}


def only(node: str) -> Manifest:
    """By the node's name, which nobody can change, unlike its labels."""
    return {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}


def tolerations(seconds: int) -> list[Manifest]:
    """Of a node that is lost, for so long; by itself Kubernetes would wait five minutes."""
    lost = (f"node.kubernetes.io/{taint}" for taint in ("not-ready", "unreachable"))
    return [{"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds} for key in lost]


def container(start: StartWorker, terms: PodTerms, cpu: float, driver: Driver | None) -> Manifest:
    memory_mib = MEMORY_MIB + MEMORY_MIB_PER_REPLICA * len(start.replicas) + (DRIVER_MIB if driver else 0)
    told, known = order(start, terms, driver), DOWNWARD | (DRIVERS_DOWNWARD if driver else {})
    return {
        "name": CONTAINER,
        "image": terms.image,
        "env": [*(downward(name, path) for name, path in known.items()), {"name": ORDER, "value": told}],
        "envFrom": [{"secretRef": {"name": terms.secret}}] if terms.secret else [],
        "ports": [{"name": "http", "containerPort": PORT}],
        "resources": {
            "requests": {"cpu": f"{round(1000 * max(LEAST_CPU, min(cpu, DRIVER_CPU) if driver else cpu))}m", "memory": f"{memory_mib}Mi"},
            "limits": {"memory": f"{2 * memory_mib}Mi"},
        },
        "startupProbe": probe("/readyz", every_s=1, misses=600),  # the controller has less patience
        "readinessProbe": probe("/readyz", every_s=2, misses=3),
        "livenessProbe": probe("/healthz", every_s=10, misses=6),
        "securityContext": dict(RESTRICTED),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            {"name": "work", "mountPath": FOLDER},
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108  (the pod's own)
            {"name": "memory", "mountPath": "/dev/shm"},  # noqa: S108
            {"name": "topology", "mountPath": RESOURCE_FOLDER, "readOnly": True},
        ],
    }


def order(start: StartWorker, terms: PodTerms, driver: Driver | None) -> str:
    """The kubelet puts the pod's name and UID in: no two incarnations bear the same name."""
    told = {
        "resource": f"{RESOURCE_FOLDER}/{RESOURCE_FILE}",
        "uid": terms.owner.uid,
        "worker": "$(POD_NAME).$(POD_UID)",
        "node": start.node,
        "directory": FOLDER,
        "replicas": list(start.replicas),
        "host": "",  # every address of the pod
        "port": PORT,
        "attempt": start.attempt,
    } | ({"cluster": driver.cluster} if driver else {})
    return json.dumps(told, separators=(",", ":"))


def downward(name: str, path: str) -> Manifest:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def probe(path: str, every_s: int, misses: int) -> Manifest:
    return {"httpGet": {"path": path, "port": "http"}, "periodSeconds": every_s, "timeoutSeconds": 5, "failureThreshold": misses}


def laid_over(made: Manifest, template: Mapping[str, Any]) -> Manifest:
    """Whoever tolerates some taint more has not said that he waits longer for a lost node, unless he says just that."""
    wanted: Manifest = merged(made, template)
    users = wanted["spec"].get("tolerations") or []
    named = {one.get("key") for one in users}
    wanted["spec"]["tolerations"] = [*users, *(one for one in made["spec"]["tolerations"] if one["key"] not in named)]
    return wanted


def guarded(wanted: Manifest, made: Manifest) -> Manifest:
    """Whatever a template says: the pod is found again, runs once, and stands where the plan has it."""
    head, body = wanted["metadata"], wanted["spec"]
    head |= {name: made["metadata"][name] for name in ("name", "namespace", "ownerReferences")}
    head["labels"] |= made["metadata"]["labels"]
    head["annotations"] |= made["metadata"]["annotations"]
    body.pop("nodeName", None)
    affinity = body.get("affinity") or {}
    body["affinity"] = affinity | {"nodeAffinity": (affinity.get("nodeAffinity") or {}) | made["spec"]["affinity"]["nodeAffinity"]}
    body["restartPolicy"] = made["spec"]["restartPolicy"]
    return wanted
