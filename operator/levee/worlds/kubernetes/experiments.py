"""The Job that does an experiment, or undoes what one has left, and the ConfigMap with its report.

Why: faults are done with rights of their own, by a pod of its own; the operator only starts it.
Called by: serve.experiments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from levee.experiments.orders import BY, HERE, LAST_WORDS, ORDER, Order
from levee.experiments.spec import KIND
from levee.topology.spec import API_VERSION
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.names import Owner

Manifest: TypeAlias = dict[str, Any]
Object: TypeAlias = Mapping[str, Any]

EXPERIMENT, PURPOSE = f"{names.LEVEE}/experiment", f"{names.LEVEE}/purpose"  # labels
COMPONENT, CONTAINER = "experiment", "experiment"
COMMAND = ("/usr/bin/tini", "--", "python3", "-m", "levee_chaos.job")
GRACE_S, BEYOND_S, UNDO_S = 90, 600, 300
UID_SHOWN = 8
RESOURCES = {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
FOLDER = "/tmp"  # noqa: S108  (a volume of the pod's own)


class Purpose(StrEnum):
    RUN = "run"
    UNDO = "undo"  # what a run has left whose pod was lost


@dataclass(frozen=True, slots=True)
class Terms:
    """What a release says of the pods of experiments."""

    image: str
    account: str  # a service account that has the rights that the steps need, and no others
    avoided: Sequence[str] = ()  # nodes that a step takes: it had better be elsewhere


def job_name(owner: Owner, purpose: Purpose) -> str:
    return names.fitted(owner.name, f"-{purpose}-{owner.uid[:UID_SHOWN]}")


def report_name(owner: Owner) -> str:
    return names.fitted(owner.name, f"-report-{owner.uid[:UID_SHOWN]}")


def labels(owner: Owner) -> dict[str, str]:
    return {
        "app.kubernetes.io/name": "levee",
        names.COMPONENT: COMPONENT,
        "app.kubernetes.io/managed-by": "levee",
        EXPERIMENT: names.fitted(owner.name),
    }


def metadata(owner: Owner, name: str) -> Manifest:
    reference = names.reference(owner, API_VERSION, KIND)
    return {"name": name, "namespace": owner.namespace, "labels": labels(owner), "ownerReferences": [reference]}


def job(owner: Owner, purpose: Purpose, order: Order, terms: Terms, limit_s: float) -> Manifest:
    """Once, whatever becomes of it: faults are not done a second time because nobody saw the first."""
    deadline_s = round(limit_s) + BEYOND_S if purpose is Purpose.RUN else UNDO_S
    template = {"metadata": {"labels": labels(owner) | {PURPOSE: purpose.value}}, "spec": pod_spec(owner, purpose, order, terms)}
    spec = {"backoffLimit": 0, "completions": 1, "parallelism": 1, "activeDeadlineSeconds": deadline_s, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata(owner, job_name(owner, purpose)), "spec": spec}


def pod_spec(owner: Owner, purpose: Purpose, order: Order, terms: Terms) -> Manifest:
    return {
        "serviceAccountName": terms.account,
        "automountServiceAccountToken": True,
        "enableServiceLinks": False,
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": GRACE_S,
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container(owner, purpose, order, terms)],
        "volumes": [{"name": "tmp", "emptyDir": {}}],
    } | elsewhere(terms.avoided)


def elsewhere(avoided: Sequence[str]) -> Manifest:
    if not avoided:
        return {}
    fields = [{"key": "metadata.name", "operator": "NotIn", "values": [node]} for node in avoided]
    required = {"nodeSelectorTerms": [{"matchFields": fields}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


def container(owner: Owner, purpose: Purpose, order: Order, terms: Terms) -> Manifest:
    environment = [
        {"name": ORDER, "value": order.text()},
        {"name": BY, "value": owner.uid},
        {"name": HERE, "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        {"name": "HOME", "value": FOLDER},
    ]
    return {
        "name": CONTAINER,
        "image": terms.image,
        "command": [*COMMAND, purpose.value],
        "workingDir": FOLDER,
        "env": environment,
        "resources": RESOURCES,
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "terminationMessagePath": LAST_WORDS,
        "terminationMessagePolicy": "File",
        "volumeMounts": [{"name": "tmp", "mountPath": FOLDER}],
    }


def report(owner: Owner, data: Mapping[str, str]) -> Manifest:
    return {"apiVersion": "v1", "kind": "ConfigMap", "immutable": True, "metadata": metadata(owner, report_name(owner)), "data": dict(data)}
