"""A pod in which edited functions are tried on the state that is there, and what it has found.

Why: Spark may refuse a state only when a query starts, and nobody but workers has Spark. So a worker's image tries it, with a worker's
rights: it reaches the store and nothing else, commits nothing, and says what it found with its last words, which the kubelet keeps.
Called by: serve's trials.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeAlias

from levee.control.actions import StartWorker
from levee.control.names import ReplicaName, WorkerName
from levee.topology.names import NodeName
from levee.topology.spec import API_VERSION, KIND
from levee.worlds.kubernetes import names, pods, seen
from levee.worlds.kubernetes.names import Owner
from levee.worlds.kubernetes.pods import CONTAINER, Birth, Manifest, PodTerms
from levee_spark.check import finding
from levee_spark.check.edits import Edited, EditOrder
from levee_spark.check.finding import Finding

Object: TypeAlias = Mapping[str, Any]

COMPONENT = "trial"
COMMAND = ("/usr/bin/tini", "--", "python3", "-m", "levee_spark.check.trying")
LAST_WORDS = "/dev/termination-log"
LIMIT_S = 600
OF_WORKERS = {"ports", "startupProbe", "readinessProbe", "livenessProbe"}


@dataclass(frozen=True, slots=True)
class Trial:
    generation: int  # of the resource that names the functions
    operators: Edited
    node_selector: Mapping[str, str] = field(default_factory=dict)


class Broken(Exception):
    """It ended without an answer; with what there is to say about it."""


def pod_name(owner: Owner, generation: int) -> str:
    return names.fitted(owner.name, f"-trial-{generation}")


def is_trial(pod: Object) -> bool:
    return bool(names.labels_of(pod).get(names.COMPONENT) == COMPONENT)


def pod(trial: Trial, terms: PodTerms) -> Manifest:
    """As a worker that may run anywhere, and only once."""
    like = StartWorker(WorkerName(COMPONENT), NodeName(""), (ReplicaName(COMPONENT),), attempt=1)
    spec = pods.pod(like, replace(terms, template={}), Birth(1, 0, pods.LEAST_CPU))["spec"]
    made: Manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata(trial, terms)}
    made["spec"] = spec | {
        "affinity": {"nodeAffinity": {}},
        "nodeSelector": dict(trial.node_selector),
        "activeDeadlineSeconds": LIMIT_S,
        "containers": [container(spec["containers"][0], trial, terms)],
    }
    return pods.guarded(pods.laid_over(made, terms.template), made)


def metadata(trial: Trial, terms: PodTerms) -> Manifest:
    return {
        "name": pod_name(terms.owner, trial.generation),
        "namespace": terms.owner.namespace,
        "labels": names.labels(terms.owner, COMPONENT),
        "annotations": {},
        "ownerReferences": [names.reference(terms.owner, API_VERSION, KIND)],
    }


def container(of_worker: Object, trial: Trial, terms: PodTerms) -> Manifest:
    resource = f"{pods.RESOURCE_FOLDER}/{pods.RESOURCE_FILE}"
    order = EditOrder(resource, pods.FOLDER, terms.owner.uid, trial.operators, LAST_WORDS)
    kept = {key: value for key, value in of_worker.items() if key not in OF_WORKERS}
    return kept | {
        "command": list(COMMAND),
        "env": [{"name": pods.ORDER, "value": json.dumps(asdict(order))}],
        "terminationMessagePath": LAST_WORDS,
    }


def verdict(pod: Object) -> Sequence[Finding] | None:
    """None: it has not ended. Broken, where it says nothing that can be relied on."""
    status = pod.get("status", {})
    if status.get("phase") not in {"Succeeded", "Failed"}:
        return None
    ran: Object = next((one for one in status.get("containerStatuses") or () if one["name"] == CONTAINER), {})
    ended = (ran.get("state") or {}).get("terminated") or {}
    try:
        if status["phase"] == "Succeeded":
            return finding.parse(str(ended.get("message")))
    except (ValueError, TypeError):
        pass  # whatever it was, it was no answer
    raise Broken(seen.how_it_ended(status, ended))
