"""An API server in a dictionary, whose pods are ready as soon as they are made.

Why: what a turn costs the controller must not be mixed with what requests cost; those are measured on a real API server.
Called by: turn; tests of serve have plans made like this, too.
"""

import copy
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import Any
from uuid import uuid4

from levee.control.names import Instant, ReplicaName
from levee.control.seen import ReplicaSeen, Status
from levee.serve.planner import Planner, answer
from levee.topology.graph import Node
from levee.worlds.kubernetes.api import Object
from levee.worlds.kubernetes.asking import Asker
from levee.worlds.kubernetes.merge import merged
from levee.worlds.kubernetes.seen import PodSeen
from levee.worlds.plans import WrittenPlan

WRITES = ("POST", "PUT", "PATCH", "DELETE")


@dataclass
class StubApi:
    things: dict[str, Object] = field(default_factory=dict)  # by path
    version: int = 0
    writes: int = 0
    lock: Lock = field(default_factory=Lock)

    def get(self, path: str, **_: str) -> Object | None:
        if path.rsplit("/", 2)[-2] == "namespaces":
            return {"metadata": {"name": path.rsplit("/", 1)[-1]}}
        return copy.deepcopy(self.things.get(path))

    def refusal(self, _path: str, _body: Object) -> str:
        return ""

    def create(self, path: str, body: Object) -> Object | None:
        where = f"{path}/{body['metadata']['name']}"
        thing = {**body, "metadata": {**body["metadata"], "uid": uuid4().hex, "generation": 1, "creationTimestamp": stamp()}}
        with self.lock:
            if where in self.things:
                return None
            self.writes += 1
            return self.put(where, started(thing) if body["kind"] == "Pod" else thing)

    def patch(self, path: str, body: Object) -> Object:
        self.writes += 1
        where = path.removesuffix("/status")
        status = {key: body[key] for key in body if key == "status"}
        return copy.deepcopy(self.put(where, merged(self.things[where], status | metadata_of(body))))

    def delete(self, path: str, *, uid: str, version: str, grace_s: int | None = None) -> bool:
        with self.lock:
            self.writes += 1
            return self.things.pop(path, None) is not None

    def put(self, path: str, thing: Object) -> Object:
        self.version += 1
        thing["metadata"]["resourceVersion"] = str(self.version)
        self.things[path] = thing
        return thing


def metadata_of(body: Object) -> Object:
    said = body["metadata"]
    return {"metadata": {"finalizers": said["finalizers"]}} if "finalizers" in said else {}


def started(pod: Object) -> Object:
    affinity = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    node = affinity["nodeSelectorTerms"][0]["matchFields"][0]["values"][0]
    status = {
        "phase": "Running",
        "podIP": "127.0.0.1",
        "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": stamp()}],
        "containerStatuses": [{"name": "worker", "started": True, "state": {"running": {}}}],
    }
    return {**pod, "spec": {**pod["spec"], "nodeName": node}, "status": status}


def node(number: int) -> Object:
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    metadata = {"name": f"node-{number:04d}", "labels": {"levee.dev/simulated": "true"}}
    return {"metadata": metadata, "status": {"conditions": [ready], "allocatable": {"cpu": "32"}}}


class WellAsker(Asker):
    """Every pod says that all is well, without being asked over a network."""

    def refresh(self, pods: Any, now: Instant) -> None:
        for pod in pods:
            if pod.uid not in self.heard:
                self.heard[pod.uid] = now, tuple(map(well, told(pod)))

    def ask_again(self, pods: Any, now: Instant) -> None:
        self.refresh(pods, now)


def told(pod: PodSeen) -> tuple[ReplicaName, ...]:
    return pod.worker.replicas


def well(replica: ReplicaName) -> ReplicaSeen:
    return ReplicaSeen(replica, Status.RUNNING, epoch=7, rank=0, last="won", rows_per_s=10.0)


def stamp() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


class PlannerHere(Planner):
    """In this process, and at once: what is planned is small."""

    def submit(self, resource: Mapping[str, Any], nodes: Sequence[Node]) -> "Future[WrittenPlan]":
        made: Future[WrittenPlan] = Future()
        try:
            made.set_result(self.made(resource, nodes))
        except Exception as why:  # noqa: BLE001  # it is raised where it was asked for
            made.set_exception(why)
        return made

    def asked(self, resource: Mapping[str, Any], nodes: Sequence[Node]) -> WrittenPlan | Exception:
        return answer(resource, nodes)
