"""Start topologies on simulated nodes, kill the operator while all is well, and see how long each takes.

Why: it is the experiment of Figure 8 of Towards Autonomic Fault Recovery in System-S, with a real API server, a real store and the real
operator; only the nodes, and what would run in the pods, are simulated.
Called by: take.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from uuid import uuid4

import yaml

from benchmarks.lifecycle import operators, resources
from benchmarks.lifecycle.operators import Operator, samples
from benchmarks.lifecycle.rows import Key, Row
from benchmarks.lifecycle.settings import Mode
from levee.topology.crd import PLURAL
from levee.topology.spec import API_VERSION
from levee.worlds.kubernetes import api as kubernetes
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Api, Denied, Object
from levee.worlds.kubernetes.pods import PORT

ROOT = Path(__file__).parents[2]
CRD = ROOT / "crds"
START_WITHIN_S, RECOVER_WITHIN_S, GONE_WITHIN_S = 1800.0, 600.0, 900.0
QUIET_S, QUIET_WITHIN_S, LOOK_S, AT_ONCE = 10.0, 120.0, 0.25, 8
WATCHED_S = 20.0  # after a recovery, for writes that should not be
SETTLED = "levee_operator_topologies_settled"
WRITES = {"POST", "PUT", "PATCH", "DELETE", "APPLY"}
OURS = {"pods", PLURAL, "configmaps", "poddisruptionbudgets", "events", "secrets"}  # leases are the nodes' heartbeat, and the leader's
BUCKET, SECRET = "levee", "store"
STORE = {  # the test cluster's own
    "AWS_ENDPOINT_URL": "http://10.40.0.2:7070",
    "AWS_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "levee-tests",
    "AWS_SECRET_ACCESS_KEY": "only-on-loopback",
}


def keys(mode: Mode) -> list[Key]:
    return [(nodes, topologies, mode.crashes) for nodes, topologies in mode.rows]


def take(work: Path, nodes: int, topologies: int, crashes: int) -> Row:
    simulate(nodes)
    bench = Bench(kubernetes.connect(lambda *_: None), f"bench-{uuid4().hex[:8]}", work)
    with bench.opened(), operators.stand_in(bench.namespace, PORT, work / "standin.log"):
        return bench.measured(nodes, topologies, crashes)


def simulate(nodes: int) -> None:
    """What there are more than enough of stays: their pods are chosen by the plan, not by chance."""
    subprocess.run([sys.executable, "-m", "hack.cluster", "simulate", str(nodes)], check=True, cwd=ROOT, stdout=sys.stderr)


@dataclass(slots=True)
class Bench:
    api: Api
    namespace: str
    work: Path

    @contextmanager
    def opened(self) -> Iterator[None]:
        for path in sorted(CRD.glob("*.yaml")):
            for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
                self.api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", document)
        await_true(self.knows_topologies, 30.0, "the API server serves the resource")
        self.api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}})
        self.api.create(f"/api/v1/namespaces/{self.namespace}/secrets", secret())
        try:
            yield
        finally:
            self.remove()

    def knows_topologies(self) -> bool:
        return self.api.get(f"/apis/{API_VERSION}/{PLURAL}", limit="1") is not None

    def measured(self, nodes: int, topologies: int, crashes: int) -> Row:
        operator = self.start()
        try:
            operator.await_value("levee_operator_leads", 1, RECOVER_WITHIN_S)
            began_s, cpu_s = time.monotonic(), operator.cpu_s()
            self.apply(topologies)
            await_true(lambda: self.running() == topologies, START_WITHIN_S, "all topologies run")
            start_s = time.monotonic() - began_s
            operator.await_value(SETTLED, topologies, START_WITHIN_S)
            settled_s = time.monotonic() - began_s
            say(f"{topologies} topologies run after {start_s:.1f} s")
            start_cpu_s = operator.cpu_s() - cpu_s
            await_quiet(operator)
            found: Row = {"memory_mib": operator.memory_mib(), "pods": len(self.pods()), "idle_cores": self.idle_cores(operator)}
            recoveries = []
            for _ in range(crashes):
                before, operator_before = self.writes(), operator
                pods = self.pods()
                operator_before.kill()
                operator = self.start()
                row = {"leads_s": operator.await_value("levee_operator_leads", 1, RECOVER_WITHIN_S)}
                row["recover_s"] = operator.await_value(SETTLED, topologies, RECOVER_WITHIN_S)
                row["cpu_s"] = operator.cpu_s()
                say(f"recovered after {row['recover_s']:.1f} s")
                time.sleep(WATCHED_S)
                row |= {"writes": self.writes() - before, "own_writes": own_writes(operator), "pods_changed": len(pods ^ self.pods())}
                recoveries.append(row)
            found |= {"event_s": self.replaced_s(), "memory_after_mib": operator.memory_mib(), "recoveries": recoveries}
        finally:
            operator.kill()
        sizes = {"nodes": nodes, "topologies": topologies, "tasks": topologies * resources.TASKS}
        means = {"recover_s": mean(row["recover_s"] for row in recoveries)} if recoveries else {}
        return sizes | {"start_s": start_s, "settled_s": settled_s, "start_cpu_s": start_cpu_s} | found | means

    def start(self) -> Operator:
        return operators.start(self.namespace, self.work / "operator.log")

    def apply(self, topologies: int) -> None:
        store = f"s3://{BUCKET}/{self.namespace}"
        made = [resources.job(f"job-{number:03d}", self.namespace, store) for number in range(topologies)]
        for one in made:
            one["spec"]["store"] |= {"secret": SECRET}
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda one: self.api.create(self.path(), one), made))

    def running(self) -> int:
        items = self.api.ask("GET", self.path())["items"]
        return sum((one.get("status") or {}).get("state") == "running" for one in items)

    def writes(self) -> int:
        """As the API server counts them, by whomever."""
        return int(sum(one.value for one in samples(self.text("/metrics"), "apiserver_request_total") if is_write(one.labels)))

    def text(self, path: str) -> str:
        answer = self.api.stream(path, {}, 30.0)
        try:
            return bytes(answer.read()).decode()
        finally:
            answer.release_conn()

    def idle_cores(self, operator: Operator) -> float:
        before, began_s = operator.cpu_s(), time.monotonic()
        time.sleep(WATCHED_S)
        return (operator.cpu_s() - before) / (time.monotonic() - began_s)

    def replaced_s(self) -> float:
        """From the deletion of one pod until another has its place."""
        before = self.pods()
        name, uid = min(before)
        began_s = time.monotonic()
        self.api.delete(f"/api/v1/namespaces/{self.namespace}/pods/{name}", uid=uid, grace_s=0)
        await_true(lambda: len(self.pods() - before) == 1, 60.0, "a lost pod is replaced")
        return time.monotonic() - began_s

    def pods(self) -> set[tuple[str, str]]:
        """Their names and UIDs."""
        found: set[tuple[str, str]] = set()
        query = {"labelSelector": names.TOPOLOGY, "limit": "1000"}
        while True:
            page = self.api.ask("GET", f"/api/v1/namespaces/{self.namespace}/pods", query=query)
            found |= {(one["metadata"]["name"], one["metadata"]["uid"]) for one in page["items"]}
            if not page["metadata"].get("continue"):
                return found
            query["continue"] = page["metadata"]["continue"]

    def path(self, name: str = "") -> str:
        return f"/apis/{API_VERSION}/namespaces/{self.namespace}/{PLURAL}" + (f"/{name}" if name else "")

    def remove(self) -> None:
        """Nobody waits for an orderly end: there are no streams to end."""
        for one in self.api.ask("GET", self.path())["items"]:
            self.api.patch(self.path(one["metadata"]["name"]), {"metadata": {"finalizers": None}})
        for path in (self.path(), f"/api/v1/namespaces/{self.namespace}/pods"):
            self.api.ask("DELETE", path, {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0})
        await_true(lambda: not self.pods(), GONE_WITHIN_S, "the pods are gone")
        try:
            self.api.ask("DELETE", f"/api/v1/namespaces/{self.namespace}", {})
        except Denied:
            return


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def await_quiet(operator: Operator) -> None:
    """Until it has written nothing for a while, or does not stop."""
    until_s, before, since_s = time.monotonic() + QUIET_WITHIN_S, own_writes(operator), time.monotonic()
    while time.monotonic() - since_s < QUIET_S and time.monotonic() < until_s:
        time.sleep(LOOK_S)
        if (now := own_writes(operator)) != before:
            before, since_s = now, time.monotonic()


def own_writes(operator: Operator) -> int:
    """By its own count; what it puts is its lease."""
    asked = operator.samples("levee_operator_api_requests_total")
    return int(
        sum(one.value for one in asked if one.labels["verb"] in {"POST", "PATCH", "DELETE"} and one.labels["answer"].startswith("2"))
    )


def is_write(labels: object) -> bool:
    assert isinstance(labels, dict)
    return labels.get("verb") in WRITES and labels.get("resource") in OURS and labels.get("subresource", "") in {"", "status"}


def await_true(holds: Callable[[], bool], within_s: float, what: str) -> None:
    until_s = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > until_s:
            raise TimeoutError(f"{what}: not within {within_s:.0f} s")
        time.sleep(LOOK_S)


def secret() -> Object:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": SECRET}, "stringData": STORE}
