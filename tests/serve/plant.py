"""An API server and a kubelet in a dictionary, and operators that can be killed at every request they make.

What it keeps of the real one: resourceVersions that only grow and are compared, UIDs, generations that follow the spec, finalizers that
hold what is deleted, numbers and nulls as they come back, and pods that a kubelet starts and ends.
"""

import asyncio
import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.lifecycle.stub import PlannerHere
from levee.control.names import Instant, ReplicaName
from levee.control.seen import ReplicaSeen, Status
from levee.serve.life import Life
from levee.serve.shop import Shop
from levee.worlds.kubernetes import names, trial
from levee.worlds.kubernetes.api import Conflict, Denied, Exists, Object
from levee.worlds.kubernetes.asking import Asker
from levee.worlds.kubernetes.cluster import Cluster
from levee.worlds.kubernetes.merge import merged
from levee.worlds.kubernetes.names import Owner
from levee.worlds.kubernetes.seen import PodSeen

TOPOLOGY = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: clicks, namespace: shop}}
spec:
  store: {{uri: "{store}"}}
  sources: [{{name: market, spark: {{format: rate}}, configurations: [{{rate: 10}}]}}]
  operators:
  - {{name: count, function: "levee_spark.examples.pipeline:clean", inputs: [{{from: market, cost: 1ms}}]}}
  sinks: [{{name: out, from: count, spark: {{format: console}}}}]
  faultTolerance: {{target: {{completeness: 0.9}}}}
"""
PATH = "/apis/levee.dev/v1alpha1/namespaces/shop/faulttoleranttopologies/clicks"
PODS = "/api/v1/namespaces/shop/pods"
KINDS = {"faulttoleranttopologies", "faultexperiments"}
WRITES = ("create", "replace", "patch", "delete")


class Killed(BaseException):
    """The operator's process is gone."""


@dataclass
class Plant:
    """The cluster, as it outlives operators."""

    things: dict[str, Object] = field(default_factory=dict)  # by path
    version: int = 0
    born: list[str] = field(default_factory=list)  # names of pods, as they came
    ended: list[str] = field(default_factory=list)  # names of pods that somebody deleted
    written: list[str] = field(default_factory=list)  # what operators asked to have written
    watchers: list[Cluster] = field(default_factory=list)
    ready: bool = True  # whether the kubelet's pods become ready
    found: str | None = None  # by pods in which functions are tried; None: they go on until a test ends them
    namespace_goes: bool = False
    refuses: str = ""  # what is wrong with every pod, as the API server says it

    def put(self, path: str, thing: Object) -> Object:
        self.version += 1
        thing = as_stored(thing)
        thing["metadata"]["resourceVersion"] = str(self.version)
        self.things[path] = thing
        if path.startswith(PODS):
            for watcher in self.watchers:
                watcher.keep_pod(copy.deepcopy(thing))
        return copy.deepcopy(thing)

    def apply(self, text: Object) -> Object:
        """As a user does it."""
        before = self.things.get(PATH)
        if before is None:
            metadata = text["metadata"] | {"uid": uuid4().hex, "generation": 1, "creationTimestamp": stamp()}
            return self.put(PATH, {**text, "metadata": metadata})
        after = copy.deepcopy(before)
        after["metadata"]["generation"] += after["spec"] != text["spec"]
        after["spec"] = text["spec"]
        return self.put(PATH, after)

    def annotate(self, name: str, value: str | None) -> None:
        """As kubectl annotate does it; None removes it."""
        thing = copy.deepcopy(self.things[PATH])
        others = {key: kept for key, kept in thing["metadata"].get("annotations", {}).items() if key != name}
        thing["metadata"]["annotations"] = others if value is None else others | {name: value}
        self.put(PATH, thing)

    def delete_topology(self) -> None:
        thing = copy.deepcopy(self.things[PATH])
        thing["metadata"]["deletionTimestamp"] = stamp()
        self.put(PATH, thing)

    def told(self) -> list[tuple[str, str]]:
        """Events on the resource: reason and note."""
        return [(thing["reason"], thing["note"]) for path, thing in self.things.items() if "/events/" in path]

    def pods(self) -> list[Object]:
        return [thing for path, thing in self.things.items() if path.startswith(PODS)]

    def start(self, pod: Object) -> None:
        """The kubelet."""
        running = {"name": "worker", "started": self.ready, "state": {"running": {}}}
        condition = {"type": "Ready", "status": "True" if self.ready else "False", "lastTransitionTime": stamp()}
        required = pod["spec"]["affinity"]["nodeAffinity"].get("requiredDuringSchedulingIgnoredDuringExecution")
        pod["spec"]["nodeName"] = required["nodeSelectorTerms"][0]["matchFields"][0]["values"][0] if required else "node-1"
        pod["status"] = {"phase": "Running", "podIP": "127.0.0.1", "conditions": [condition], "containerStatuses": [running]}
        if self.found is not None and trial.is_trial(pod):
            ended = {"terminated": {"exitCode": 0, "finishedAt": stamp(), "message": self.found}}
            pod["status"] |= {"phase": "Succeeded", "containerStatuses": [{"name": "worker", "state": ended}]}

    def fail(self, name: str) -> None:
        pod = copy.deepcopy(self.things[f"{PODS}/{name}"])
        ended = {"terminated": {"reason": "Error", "exitCode": 1, "finishedAt": stamp(), "message": "it broke"}}
        pod["status"] = {"phase": "Failed", "containerStatuses": [{"name": "worker", "state": ended}]}
        self.put(f"{PODS}/{name}", pod)

    def ask_to_leave(self, name: str) -> None:
        """As kubectl delete does: its kubelet takes a while."""
        pod = copy.deepcopy(self.things[f"{PODS}/{name}"])
        pod["metadata"]["deletionTimestamp"] = stamp()
        self.put(f"{PODS}/{name}", pod)

    def change_unseen(self, name: str, **status: Any) -> None:
        """Its kubelet says something of it that no watch has told yet."""
        pod = copy.deepcopy(self.things[f"{PODS}/{name}"])
        pod["status"] |= status
        watchers, self.watchers = self.watchers, []
        self.put(f"{PODS}/{name}", pod)
        self.watchers = watchers

    def tell(self, name: str) -> None:
        for watcher in self.watchers:
            watcher.keep_pod(copy.deepcopy(self.things[f"{PODS}/{name}"]))

    def remove(self, path: str) -> None:
        thing = self.things.pop(path)
        for watcher in self.watchers:
            watcher.forget("shop", thing["metadata"].get("labels", {}).get(names.TOPOLOGY, ""), thing["metadata"]["uid"])


@dataclass
class PlantApi:
    """One operator's connection. `dies_at`: the number of the request, and whether it is still carried out."""

    plant: Plant
    dies_at: tuple[int, bool] | None = None
    asked: int = 0
    killed: bool = False

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        def ask(*words: Any, **more: Any) -> Any:
            if self.killed:
                raise Killed
            self.asked += verb in WRITES
            mine = self.dies_at if verb in WRITES and self.dies_at and self.dies_at[0] == self.asked else None
            if mine == (self.asked, False):
                self.killed = True
                raise Killed
            if verb in WRITES:
                self.plant.written.append(f"{verb} {words[0]} {words[1:]}"[:300])
            try:
                return copy.deepcopy(getattr(self, f"do_{verb}")(*words, **more))
            finally:
                if mine:
                    self.killed = True
                    raise Killed

        if verb.startswith(("do_", "__")):
            raise AttributeError(verb)
        return ask

    def do_get(self, path: str, **query: str) -> Object | None:
        if "labelSelector" in query:
            return self.page(path, query["labelSelector"], int(query["limit"]), int(query.get("continue", "0")))
        if path == "/api/v1/namespaces/shop":
            return {"metadata": {"name": "shop"} | ({"deletionTimestamp": stamp()} if self.plant.namespace_goes else {})}
        if path.rpartition("/")[2] in KINDS:
            return {"items": [thing for where, thing in self.plant.things.items() if where.startswith(f"{path}/")]}
        return self.plant.things.get(path)

    def do_refusal(self, _path: str, _body: Object) -> str:
        return self.plant.refuses

    def do_text(self, path: str, _query: Any) -> str:
        found = self.plant.things.get(path.removesuffix("/log"))
        if found is None:
            raise Denied(404, "NotFound", path)
        return str(found["metadata"].get("annotations", {}).get("output", ""))

    def page(self, path: str, selector: str, limit: int, begin: int) -> Object:
        label, _, value = selector.partition("=")
        things = [thing for where, thing in sorted(self.plant.things.items()) if where.rpartition("/")[0] == path]
        found = [thing for thing in things if thing["metadata"].get("labels", {}).get(label) == value]
        more = {"continue": str(begin + limit)} if begin + limit < len(found) else {}
        return {"items": found[begin : begin + limit], "metadata": more}

    def do_create(self, path: str, body: Object) -> Object | None:
        where = f"{path}/{body['metadata']['name']}"
        if where in self.plant.things:
            return None
        thing = copy.deepcopy(body)
        thing["metadata"] |= {"uid": uuid4().hex, "creationTimestamp": stamp()}
        if path == PODS:
            self.plant.born.append(body["metadata"]["name"])
            self.plant.start(thing)
        return self.plant.put(where, thing)

    def do_patch(self, path: str, body: Object) -> Object:
        where = path.removesuffix("/status")
        before = self.plant.things.get(where)
        if before is None:
            raise Denied(404, "NotFound", where)
        expected = body["metadata"].get("resourceVersion")
        if expected not in {None, before["metadata"]["resourceVersion"]} or body["metadata"]["uid"] != before["metadata"]["uid"]:
            raise Conflict(where)
        if path.endswith("/status"):
            changes = {"status": body["status"]}
        elif "spec" in body:
            changes = {"spec": body["spec"]}
        else:
            changes = {"metadata": {"finalizers": body["metadata"]["finalizers"]}}
        after = merged(before, changes)
        if "finalizers" in changes.get("metadata", {}):
            after["metadata"]["finalizers"] = body["metadata"]["finalizers"]
        if after == before:
            return before  # a write that changes nothing is none
        written = self.plant.put(where, after)
        if after["metadata"].get("deletionTimestamp") and not after["metadata"].get("finalizers"):
            self.plant.things.pop(where)
        return written

    def do_delete(self, path: str, *, uid: str, version: str, grace_s: int | None = None) -> bool:
        thing = self.plant.things.get(path)
        if thing is None:
            return False
        if thing["metadata"]["uid"] != uid or version != thing["metadata"]["resourceVersion"]:
            raise Conflict(path)
        self.plant.ended.append(thing["metadata"]["name"])
        if thing["metadata"].get("finalizers"):
            self.plant.put(path, thing | {"metadata": thing["metadata"] | {"deletionTimestamp": stamp()}})
        else:
            self.plant.remove(path)
        return True


class PlantAsker(Asker):
    """Pods that are ready say that all is well."""

    def states(self, uid: str) -> tuple[ReplicaSeen, ...]:
        return self.heard.get(uid, (Instant(0), ()))[1]

    def refresh(self, pods: Any, now: Instant) -> None:
        self.heard = {pod.uid: (now, tuple(map(well, pod.worker.replicas))) for pod in pods if is_up(pod)}


def is_up(pod: PodSeen) -> bool:
    return pod.worker.phase.value == "ready"


def well(replica: ReplicaName) -> ReplicaSeen:
    return ReplicaSeen(replica, Status.RUNNING, epoch=7, rank=0)


def as_stored(thing: Any) -> Any:
    """A whole number comes back without its point, and a null in an object not at all."""
    match thing:
        case dict():
            return {key: as_stored(value) for key, value in thing.items() if value is not None}
        case list():
            return [as_stored(one) for one in thing]
        case float() if thing.is_integer():
            return int(thing)
        case _:
            return thing


def stamp() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def topology(store: Path, **spec: Any) -> Object:
    import yaml

    told = yaml.safe_load(TOPOLOGY.format(store=store.as_uri()))
    told["spec"] |= spec
    found: Object = json.loads(json.dumps(told))
    return found


def operator(plant: Plant, dies_at: tuple[int, bool] | None = None) -> "Operator":
    cluster = Cluster()
    for number in (1, 2, 3):
        cluster.keep_node(node(number))
    for pod in plant.pods():
        cluster.keep_pod(copy.deepcopy(pod))
    plant.watchers = [cluster]
    api = PlantApi(plant, dies_at)
    shop = Shop(api, cluster, PlannerHere(), f"operator-{uuid4().hex[:6]}", asker=PlantAsker)  # type: ignore[arg-type]  # a fake
    return Operator(plant, api, shop)


def node(number: int) -> Object:
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    return {"metadata": {"name": f"node-{number}", "labels": {}}, "status": {"conditions": [ready], "allocatable": {"cpu": "2"}}}


@dataclass
class Operator:
    plant: Plant
    api: PlantApi
    shop: Shop
    life: Life | None = None

    async def turn(self) -> None:
        resource = copy.deepcopy(self.plant.things[PATH])
        if self.life is None:
            self.life = Life(self.shop, Owner("shop", "clicks", resource["metadata"]["uid"]), resource)
        self.life.renew(resource)
        await self.life.turn()

    async def until(self, state: str, turns: int = 60) -> None:
        for _ in range(turns):
            if PATH not in self.plant.things:
                assert state == "gone", f"gone instead of {state}"
                return
            if self.state() == state:
                return
            await self.turn()
        raise AssertionError(f"{self.state()} instead of {state}: {self.plant.things[PATH]['status']}")

    def state(self) -> str:
        status: dict[str, Any] = self.plant.things[PATH].get("status") or {}
        return str(status.get("state"))

    def run(self, state: str, turns: int = 60) -> None:
        asyncio.run(self.until(state, turns))

    def go_on(self, turns: int) -> None:
        async def some() -> None:
            for _ in range(turns):
                await self.turn()

        asyncio.run(some())


__all__ = ["PATH", "Denied", "Exists", "Killed", "Operator", "Plant", "operator", "topology"]
