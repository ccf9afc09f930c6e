"""What stands beside a topology's pods: the resource that they run, as a ConfigMap of its own, and how many may be disturbed at once.

Why: workers hold no credentials of Kubernetes, so what they run is mounted; each text has a name of its own, so that it never changes
under one that runs.
Called by: serve.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from levee.topology.spec import API_VERSION, KIND
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.names import Owner
from levee.worlds.kubernetes.pods import CONTAINER, RESOURCE_FILE, Manifest


def text(owner: Owner, resource: Mapping[str, Any]) -> str:
    """JSON is YAML, too."""
    told = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": owner.name, "namespace": owner.namespace}}
    return json.dumps(told | {"spec": resource["spec"]}, sort_keys=True, indent=1)


def config_map_name(owner: Owner, resource: Mapping[str, Any]) -> str:
    return names.fitted(owner.name, f"-{blake2b(text(owner, resource).encode(), digest_size=5).hexdigest()}")


def config_map(owner: Owner, name: str, resource: Mapping[str, Any]) -> Manifest:
    metadata = {
        "name": name,
        "namespace": owner.namespace,
        "labels": names.labels(owner, "topology"),
        "ownerReferences": [names.reference(owner, API_VERSION, KIND)],
    }
    data = {RESOURCE_FILE: text(owner, resource)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "immutable": True, "metadata": metadata, "data": data}


def budget(owner: Owner, workers: int) -> Manifest:
    """Whoever drains nodes takes one worker at a time. A count, since a percentage needs a controller that the API server knows."""
    metadata = {
        "name": names.fitted(owner.name),
        "namespace": owner.namespace,
        "labels": names.labels(owner, "topology"),
        "ownerReferences": [names.reference(owner, API_VERSION, KIND)],
    }
    workers_alone = {names.TOPOLOGY: names.fitted(owner.name), names.COMPONENT: CONTAINER}
    spec = {"minAvailable": max(0, workers - 1), "selector": {"matchLabels": workers_alone}}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}
