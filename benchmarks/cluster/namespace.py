"""A namespace of the test cluster for one measurement: with the definition of the resource, a Secret for the store, and nothing else.

Why: whatever a measurement makes is in it, so that all of it can be removed, also what an earlier one has left that was killed.
Called by: watched; benchmarks.lifecycle, benchmarks.chaos.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import yaml

from benchmarks.cluster.waiting import Unfinished, await_true, say
from levee.topology.crd import PLURAL
from levee.topology.spec import API_VERSION
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Api, Conflict, Denied, Object

CRDS = Path(__file__).parents[2] / "crds"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NAMESPACES = "/api/v1/namespaces"
MARK = "levee.dev/bench"
SERVED_WITHIN_S, TAKEN_WITHIN_S, GONE_WITHIN_S, CLEAN_WITHIN_S, SLOW_LOOK_S = 30.0, 120.0, 900.0, 300.0, 1.0
REQUEST_S = 70.0  # to delete thousands of pods; the API server itself gives up after 60 s, and has deleted some by then
PAGE = 500
BUCKET, SECRET = "levee", "store"
STORE = {  # the test cluster's own
    "AWS_ENDPOINT_URL": "http://10.40.0.2:7070",
    "AWS_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "levee-tests",
    "AWS_SECRET_ACCESS_KEY": "only-on-loopback",
}


@dataclass(frozen=True, slots=True)
class Namespace:
    api: Api
    name: str

    @property
    def store(self) -> str:
        return f"s3://{BUCKET}/{self.name}"

    def topologies(self, name: str = "") -> str:
        return f"/apis/{API_VERSION}/namespaces/{self.name}/{PLURAL}" + (f"/{name}" if name else "")

    def pods_path(self, name: str = "") -> str:
        return f"{NAMESPACES}/{self.name}/pods" + (f"/{name}" if name else "")

    def apply(self, told: Object) -> None:
        """With the store's credentials."""
        spec = {**told["spec"], "store": {**told["spec"]["store"], "secret": SECRET}}

        def applied() -> bool:
            self.api.create(self.topologies(), {**told, "spec": spec})
            return True

        await_true(applied, TAKEN_WITHIN_S, f"the API server takes {told['metadata']['name']}")

    def topology(self, name: str) -> Object:
        return self.api.ask("GET", self.topologies(name))

    def listed(self, topology: str = "") -> Iterator[Object]:
        """Pods of one topology, or of all, page by page."""
        query = {"labelSelector": f"{names.TOPOLOGY}={topology}" if topology else names.TOPOLOGY, "limit": str(PAGE)}
        while True:
            page = self.api.ask("GET", self.pods_path(), query=query)
            yield from page["items"]
            if not page["metadata"].get("continue"):
                return
            query["continue"] = page["metadata"]["continue"]

    def pods(self, topology: str = "") -> set[tuple[str, str]]:
        """Their names and UIDs."""
        return {(one["metadata"]["name"], one["metadata"]["uid"]) for one in self.listed(topology)}

    # ---- the end

    def remove(self) -> None:
        """Nobody waits for an orderly end: there are no streams to end."""
        await_true(self.is_empty, GONE_WITHIN_S, f"namespace {self.name} is empty", look_s=SLOW_LOOK_S)
        with suppress(Denied, Conflict):  # it is gone, or going
            self.api.ask("DELETE", f"{NAMESPACES}/{self.name}", {})
        try:
            await_true(self.is_gone, CLEAN_WITHIN_S, f"namespace {self.name} is gone", look_s=SLOW_LOOK_S)
        except Unfinished as why:
            say(f"{why}; what follows is measured all the same")

    def is_empty(self) -> bool:
        """And if it is not, it is on its way: thousands of pods are too many for one request."""
        try:
            for one in (self.api.get(self.topologies()) or {}).get("items", ()):
                self.api.patch(self.topologies(one["metadata"]["name"]), {"metadata": {"finalizers": None}})
            for path in (self.topologies(), self.pods_path()):
                self.api.ask("DELETE", path, {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}, timeout_s=REQUEST_S)
            return not self.pods()
        except (Denied, Conflict):  # gone between two requests
            return False

    def is_gone(self) -> bool:
        return self.api.get(f"{NAMESPACES}/{self.name}") is None


@contextmanager
def opened(api: Api, bench: str = "lifecycle") -> Iterator[Namespace]:
    """Removed, whatever happens; and so is what an earlier run of the same bench has left."""
    for name in left(api, bench):
        say(f"an earlier measurement has left namespace {name}: it is removed")
        Namespace(api, name).remove()
    define(api)
    made = Namespace(api, f"bench-{uuid4().hex[:8]}")
    head = {"name": made.name, "labels": {MARK: bench}}
    try:
        api.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": head})
        api.create(f"{NAMESPACES}/{made.name}/secrets", secret())
        yield made
    finally:
        made.remove()


def left(api: Api, bench: str) -> list[str]:
    found = api.ask("GET", NAMESPACES, query={"labelSelector": f"{MARK}={bench}"})
    return [one["metadata"]["name"] for one in found["items"]]


def define(api: Api) -> None:
    """As the code is now, whatever the cluster had before."""
    for path in sorted(CRDS.glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            where = f"{DEFINITIONS}/{document['metadata']['name']}"
            if api.create(DEFINITIONS, document) is None:
                version = api.ask("GET", where)["metadata"]["resourceVersion"]
                api.replace(where, {**document, "metadata": {**document["metadata"], "resourceVersion": version}})
    await_true(
        lambda: api.get(f"/apis/{API_VERSION}/{PLURAL}", limit="1") is not None, SERVED_WITHIN_S, "the API server serves the resource"
    )


def secret() -> Object:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": SECRET}, "stringData": STORE}
