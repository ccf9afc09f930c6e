"""What a cluster has, as far as Levee watches it: pods of topologies, nodes, and what was just done to them.

Why: between an act and the watch's word of it an observation must not miss the act, or it would be done again; and a thousand
heartbeats of nodes must not wake anybody.
Called by: serve (the watches feed it); world, which reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeAlias

from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.seen import condition

Object: TypeAlias = Mapping[str, Any]
Key: TypeAlias = tuple[str, str]  # namespace, and the topology's label

HEAD = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "labels", "annotations", "ownerReferences")


@dataclass(slots=True)
class Cluster:
    """Safe to be read and fed from several threads."""

    by_topology: dict[Key, dict[str, Object]] = field(default_factory=dict)  # pods by UID
    all_nodes: dict[str, Object] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def pods(self, namespace: str, label: str) -> tuple[Object, ...]:
        with self.lock:
            return tuple(self.by_topology.get((namespace, label), {}).values())

    def nodes(self) -> tuple[Object, ...]:
        with self.lock:
            return tuple(self.all_nodes.values())

    def keep_pod(self, pod: Object) -> Key | None:
        """Whose news it was; None: it was none."""
        key, uid = key_of(pod), pod["metadata"]["uid"]
        with self.lock:
            kept = self.by_topology.setdefault(key, {})
            if uid in kept and not is_newer(pod, kept[uid]):
                return None
            kept[uid] = slim(pod)
        return key

    def forget(self, namespace: str, label: str, uid: str) -> None:
        with self.lock:
            self.by_topology.get((namespace, label), {}).pop(uid, None)

    def keep_node(self, node: Object) -> bool:
        """Whether anything has changed that matters to a topology."""
        name, known = node["metadata"]["name"], essence(node)
        with self.lock:
            before = self.all_nodes.get(name)
            self.all_nodes[name] = known
        return before != known

    def forget_node(self, name: str) -> None:
        with self.lock:
            self.all_nodes.pop(name, None)


def key_of(pod: Object) -> Key:
    metadata = pod["metadata"]
    return metadata["namespace"], (metadata.get("labels") or {}).get(names.TOPOLOGY, "")


def is_newer(one: Object, other: Object) -> bool:
    """Versions are opaque to others than who wrote them; but they are numbers that grow, and from Kubernetes 1.35 on promised to be."""
    return int(one["metadata"]["resourceVersion"]) > int(other["metadata"]["resourceVersion"])


def slim(pod: Object) -> Object:
    """What is read of a pod; the rest would be most of the operator's memory."""
    metadata, spec, status = pod["metadata"], pod["spec"], pod.get("status", {})
    containers = [{key: one.get(key) for key in ("name", "started", "state")} for one in status.get("containerStatuses") or ()]
    return {
        "metadata": {key: metadata[key] for key in HEAD if key in metadata},
        "spec": {key: spec[key] for key in ("nodeName", "affinity") if key in spec},
        "status": {key: status[key] for key in ("phase", "podIP", "reason", "message", "conditions") if key in status}
        | {"containerStatuses": containers},
    }


def essence(node: Object) -> Object:
    """Without heartbeats."""
    ready = condition(node, "Ready")
    metadata, spec, status = node["metadata"], node.get("spec", {}), node.get("status", {})
    return {
        "metadata": {"name": metadata["name"], "labels": metadata.get("labels") or {}},
        "spec": {"unschedulable": bool(spec.get("unschedulable"))},
        "status": {
            "allocatable": {"cpu": (status.get("allocatable") or {}).get("cpu", "0")},
            "conditions": [{key: ready.get(key) for key in ("type", "status", "lastTransitionTime")}] if ready else [],
        },
    }
