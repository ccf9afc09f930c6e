"""What a cluster has, as far as Levee watches it: pods of topologies, nodes, and what was just done to them.

Why: between an act and the watch's word of it an observation must not miss the act, or it would be done again; and a thousand
heartbeats of nodes must not wake anybody.
Called by: serve (the watches feed it); world, which reads it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeAlias

from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.reading import Container, Metadata, PodSpec, PodStatus
from levee.worlds.kubernetes.seen import condition

Object: TypeAlias = Mapping[str, Any]
Key: TypeAlias = tuple[str, str]  # namespace, and the topology's label
News: TypeAlias = tuple[str, Object | None]  # the UID of a pod, and the pod; None: it is gone

HEAD, SPEC, STATUS, CONTAINER = (tuple(kind.__annotations__) for kind in (Metadata, PodSpec, PodStatus, Container))


@dataclass(slots=True)
class Cluster:
    """Safe to be read and fed from several threads."""

    by_topology: dict[Key, dict[str, Object]] = field(default_factory=dict)  # pods by UID
    changed: dict[Key, set[str]] = field(default_factory=dict)  # UIDs of pods, since their topology asked last
    all_nodes: dict[str, Object] = field(default_factory=dict)
    nodes_version: int = 0  # another one: a node has changed
    lock: Lock = field(default_factory=Lock)

    def pods(self, namespace: str, label: str) -> tuple[Object, ...]:
        with self.lock:
            return tuple(self.by_topology.get((namespace, label), {}).values())

    def count(self) -> int:
        """Of the pods of all topologies."""
        with self.lock:
            return sum(map(len, self.by_topology.values()))

    def news(self, namespace: str, label: str, *, everything: bool = False) -> tuple[News, ...]:
        """Of the pods of a topology, since this was asked last; there is one who asks."""
        key = namespace, label
        with self.lock:
            there, changed = self.by_topology.get(key, {}), self.changed.pop(key, set())
            return tuple((uid, there.get(uid)) for uid in (changed | there.keys() if everything else changed))

    def node(self, name: str) -> Object | None:
        return self.all_nodes.get(name)

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
            self.changed.setdefault(key, set()).add(uid)
        return key

    def forget(self, namespace: str, label: str, uid: str) -> None:
        with self.lock:
            if self.by_topology.get((namespace, label), {}).pop(uid, None) is not None:
                self.changed.setdefault((namespace, label), set()).add(uid)

    def keep_all_pods(self, pods: Iterable[Object], within: str, version: int) -> frozenset[Key]:
        """All that a namespace ("" : all of them) had at that version; what is older and not among them is gone. Whose news it was."""
        there = list(pods)
        keys = {key for pod in there if (key := self.keep_pod(pod)) is not None}
        uids = {pod["metadata"]["uid"] for pod in there}
        with self.lock:
            known = [(key, uid, pod) for key, kept in self.by_topology.items() for uid, pod in kept.items() if within in ("", key[0])]
        for key, uid, pod in known:
            if uid not in uids and int(pod["metadata"]["resourceVersion"]) <= version:
                self.forget(*key, uid)
                keys.add(key)
        return frozenset(keys)

    def keep_node(self, node: Object) -> bool:
        """Whether anything has changed that matters to a topology."""
        name, known = node["metadata"]["name"], essence(node)
        with self.lock:
            if self.all_nodes.get(name) == known:
                return False
            self.all_nodes[name] = known
            self.nodes_version += 1
        return True

    def forget_node(self, name: str) -> None:
        with self.lock:
            self.nodes_version += self.all_nodes.pop(name, None) is not None

    def keep_all_nodes(self, nodes: Iterable[Object]) -> bool:
        """All that there are."""
        there = list(nodes)
        gone = self.all_nodes.keys() - {one["metadata"]["name"] for one in there}
        for name in gone:
            self.forget_node(name)
        changed = [self.keep_node(one) for one in there]
        return any(changed) or bool(gone)


def key_of(pod: Object) -> Key:
    metadata = pod["metadata"]
    return metadata["namespace"], (metadata.get("labels") or {}).get(names.TOPOLOGY, "")


def is_newer(one: Object, other: Object) -> bool:
    """Versions are opaque to others than who wrote them; but they are numbers that grow, and from Kubernetes 1.35 on promised to be."""
    return int(one["metadata"]["resourceVersion"]) > int(other["metadata"]["resourceVersion"])


def slim(pod: Object) -> Object:
    """What is read of a pod; the rest would be most of the operator's memory."""
    metadata, spec, status = pod["metadata"], pod["spec"], pod.get("status", {})
    containers = [{key: one.get(key) for key in CONTAINER} for one in status.get("containerStatuses") or ()]
    return {
        "metadata": {key: metadata[key] for key in HEAD if key in metadata},
        "spec": {key: spec[key] for key in SPEC if key in spec},
        "status": {key: status[key] for key in STATUS if key in status} | {"containerStatuses": containers},
    }


def essence(node: Object) -> Object:
    """Without heartbeats."""
    ready = condition(node, "Ready")
    metadata, spec, status = node["metadata"], node.get("spec", {}), node.get("status", {})
    return {
        "metadata": {"name": metadata["name"], "labels": metadata.get("labels") or {}},
        "spec": {"unschedulable": bool(spec.get("unschedulable")), "taints": [dict(one) for one in spec.get("taints") or ()]},
        "status": {
            "allocatable": {"cpu": (status.get("allocatable") or {}).get("cpu", "0")},
            "conditions": [{key: ready.get(key) for key in ("type", "status", "lastTransitionTime")}] if ready else [],
        },
    }
