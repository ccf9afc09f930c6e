"""A cluster that is shared: the one in a dictionary, with people's rights, admission, deletion and logs, as far as faults ask for them.

Called by: the tests of chaos.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from levee.worlds.kubernetes.pods import CONTAINER
from tests.cli.served_cluster import Served, topology
from tests.serve.plant import PODS

REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
READY = {"type": "Ready", "status": "True", "reason": "AllReady", "message": ""}
OPERATOR = {"app.kubernetes.io/name": "levee", "app.kubernetes.io/component": "operator"}


@dataclass
class Shared(Served):
    """`said`: by pods, line by line; `keeps`: who is not deleted however often that is asked."""

    may_not: set[tuple[str, str]] = field(default_factory=set)  # verb, resource
    strict: set[str] = field(default_factory=set)  # namespaces that admit nothing privileged
    said: str = '{"left": []}\n'
    keeps: bool = False
    deleted: list[tuple[str, Any]] = field(default_factory=list)
    made: list[Any] = field(default_factory=list)

    def answer(self, verb: str, target: str, body: Any) -> tuple[int, Any]:
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        if path == REVIEWS:
            wanted = body["spec"]["resourceAttributes"]
            resource = "/".join(filter(None, (wanted["resource"], wanted["subresource"])))
            return 201, {"status": {"allowed": (wanted["verb"], resource) not in self.may_not}}
        if verb == "POST" and path.endswith("/pods"):
            return self.create(path, body, dry=bool(query.get("dryRun")))
        if verb == "DELETE":
            return self.delete(path, body)
        if verb == "PATCH" and path.endswith("/status"):
            there = self.things[path.removesuffix("/status")]
            there["status"] |= body["status"]
            return 200, there
        if path.endswith("/log"):
            return 200, self.said
        return super().answer(verb, target, body)

    def create(self, path: str, body: Any, *, dry: bool) -> tuple[int, Any]:
        namespace, name = path.split("/")[4], body["metadata"]["name"]
        if namespace in self.strict:
            return 403, {"reason": "Forbidden", "message": f'pods "{name}" is forbidden: violates PodSecurity "restricted:latest"'}
        if not dry:
            if f"{path}/{name}" in self.things:
                return 409, {"reason": "AlreadyExists", "message": name}
            self.things[f"{path}/{name}"] = body | {"status": {"phase": "Running"}}
            body["metadata"] |= {"uid": f"uid-of-{name}", "resourceVersion": "1"}
            self.made.append(body)
        return 201, body

    def delete(self, path: str, body: Any) -> tuple[int, Any]:
        there = self.things.get(path)
        if there is None:
            return 404, {"reason": "NotFound", "message": path}
        if body["preconditions"]["uid"] != there["metadata"]["uid"]:
            return 409, {"reason": "Conflict", "message": "the UID in the precondition does not match"}
        self.deleted.append((path.rpartition("/")[2], body))
        if not self.keeps:
            del self.things[path]
        return 200, {}

    # ---- what there is

    def add_operator(self, name: str, *, watches: str = "", namespace: str = "system", owned: bool = True) -> None:
        head: dict[str, Any] = {"name": name, "namespace": namespace, "uid": f"uid-of-{name}", "labels": OPERATOR, "resourceVersion": "1"}
        head |= {"ownerReferences": [{"kind": "ReplicaSet", "uid": "r"}]} if owned else {}
        container = {"name": "operator", "image": "levee/operator", "env": [{"name": "LEVEE_WATCH_NAMESPACES", "value": watches}]}
        spec = {"nodeName": "node-1", "containers": [container]}
        self.things[f"/api/v1/namespaces/{namespace}/pods/{name}"] = {"metadata": head, "spec": spec, "status": {"phase": "Running"}}

    def add_lease(self, holder: str, namespace: str = "system") -> None:
        path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/levee-operator"
        self.things[path] = {"spec": {"holderIdentity": holder}}

    def pod(self, name: str) -> Any:
        return self.things[f"{PODS}/{name}"]


def clicks(folder: Path) -> Shared:
    """Two workers with everything twice, the first with the primaries."""
    made = Shared(folder)
    told = topology(folder / "store")
    made.add_topology(told, state="running", conditions=[READY])
    for number in (1, 2):
        how = {"epoch": 12, "rows_per_s": 10.0, "last": "won" if number == 1 else "lost"}
        name = made.add_worker(number, {f"{task}/{number - 1}": dict(how) for task in ("market/0", "count/0", "out/0")}, told)
        made.pod(name)["status"]["containerStatuses"][0] |= {"name": CONTAINER, "containerID": f"containerd://c{number}"}
    return made
