"""Spark alone under faults: one pod of a Deployment, which Kubernetes starts again, with its checkpoint on a folder that all nodes see.

Why: whatever replicas are worth, they are worth it beside what everybody has without them.
Called by: take.
"""

import json
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import pyarrow.parquet as pq

from benchmarks.chaos import golden, measures
from benchmarks.chaos.faults import BY_NAME, Fault
from benchmarks.chaos.golden import Golden
from benchmarks.chaos.settings import AFTER_EPOCHS, EVEN_EPOCHS, OPTIONS, PERIOD_MS
from benchmarks.cluster import gaps, nodes
from benchmarks.cluster.namespace import Namespace, opened
from benchmarks.cluster.rows import Key, Row
from benchmarks.cluster.trades import IMAGE
from benchmarks.cluster.waiting import Unfinished, await_true, say
from benchmarks.cluster.watched import STARTS_WITHIN_S, WELL_WITHIN_S, prepared, state
from benchmarks.streams import machine
from levee.worlds.kubernetes import api as kubernetes
from levee.worlds.kubernetes.api import Object
from levee.worlds.kubernetes.pods import RESTRICTED, tolerations
from levee.worlds.kubernetes.seen import condition
from levee_spark.examples import market

NAME = "plain"
JOB = Path(__file__).with_name("plain_job.py")
BATCH = re.compile(r"(\d+)(?:\.compact)?")
TOLERATE_S, BACK_WITHIN_S, BUSY_S = 5, 300.0, 1.0
KILL_JAVA = 'for each in /proc/[0-9]*; do if grep -q -a "^[^ ]*bin/java" $each/cmdline; then kill -9 ${each#/proc/}; fi; done'


def rows(_work: Path, way: str, keys: list[Key], undisturbed: Golden) -> Iterator[tuple[Key, Row]]:
    api = kubernetes.connect(lambda *_: None)
    prepared(api)
    with opened(api, "chaos") as namespace, fed(state() / "shared" / namespace.name) as folder:
        api.create(f"/api/v1/namespaces/{namespace.name}/configmaps", config_map())
        api.create(f"/apis/apps/v1/namespaces/{namespace.name}/deployments", deployment(namespace.name))
        life = Life(namespace, folder, undisturbed)
        life.await_well(STARTS_WITHIN_S)
        for name, number in keys:
            yield (name, number), life.trial(BY_NAME[name], Random(f"{way} {name} {number}"))


@contextmanager
def fed(folder: Path) -> Iterator[Path]:
    """Every period a file with what the topology's source has in an epoch."""
    inputs, over = folder / "in", Event()
    inputs.mkdir(parents=True)
    for each in (folder, inputs):
        each.chmod(0o777)  # the container's user is another one
    feeding = Thread(target=feed, args=(inputs, over))
    feeding.start()
    try:
        yield folder
    finally:
        over.set()
        feeding.join()
        shutil.rmtree(folder, ignore_errors=True)  # its pod may write still


def feed(inputs: Path, over: Event) -> None:
    due_s, epoch = time.monotonic(), 0
    while not over.wait(max(0.0, due_s - time.monotonic())):
        epoch += 1
        hidden = inputs / f".{epoch}"
        pq.write_table(market.rows(epoch, OPTIONS, 0, 1), hidden)
        hidden.rename(inputs / f"{epoch:012}.parquet")
        due_s += PERIOD_MS / 1000


def config_map() -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME}, "data": {JOB.name: JOB.read_text(encoding="utf-8")}}


def deployment(namespace: str) -> Object:
    """As strict as a worker's pod; it gives a lost node up as soon."""
    mounts = {"job": "/etc/job", "data": "/data", "tmp": "/tmp"}  # noqa: S108  (the pod's own)
    container = {
        "name": NAME,
        "image": IMAGE,
        "imagePullPolicy": "Never",
        "command": ["/usr/bin/tini", "--", "python3", f"/etc/job/{JOB.name}", "/data", f"{PERIOD_MS}"],
        "securityContext": dict(RESTRICTED),
        "volumeMounts": [{"name": name, "mountPath": path} for name, path in mounts.items()],
    }
    volumes: list[dict[str, Any]] = [
        {"name": "job", "configMap": {"name": NAME}},
        {"name": "data", "hostPath": {"path": f"/shared/{namespace}"}},
        {"name": "tmp", "emptyDir": {}},
    ]
    spec = {"containers": [container], "volumes": volumes, "tolerations": tolerations(TOLERATE_S), "terminationGracePeriodSeconds": 5}
    labels = {"app": NAME}
    template = {"metadata": {"labels": labels}, "spec": spec}
    whole = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": NAME}, "spec": whole}


@dataclass
class Life:
    namespace: Namespace
    folder: Path
    undisturbed: Golden
    resumed_at: int = 0

    def trial(self, fault: Fault, draw: Random) -> Row:
        self.await_well(WELL_WITHIN_S)
        busy = machine.cores_used(BUSY_S)
        time.sleep(draw.uniform(0, EVEN_EPOCHS * PERIOD_MS / 1000))
        victim, fault_ms = self.pod(), time.time_ns() / 1e6
        self.strike(fault, victim)
        struck_ms = time.time_ns() / 1e6
        try:
            self.await_more(fault_ms + 1000)
            whole_s = (time.time_ns() / 1e6 - fault_ms) / 1000
            if fault.lasts_s:
                time.sleep(max(0.0, fault.lasts_s - whole_s))
        finally:
            if fault.name == "node":
                nodes.cluster("reboot", victim["spec"]["nodeName"])
        stamps = self.stamps()
        gap = gaps.at(stamps, fault_ms, struck_ms)
        say(f"{gap.ms:.0f} ms without a batch after {gap.after}")
        self.resumed_at = max(stamps)
        even = gaps.before(stamps, fault_ms, EVEN_EPOCHS)
        return {
            "gap_ms": gap.ms,
            "longest_ms": gaps.longest(stamps, fault_ms).ms,
            "undisturbed_ms": even,
            "late": None,
            "output": self.compared().document(),
            "cores_used": busy,
            "met": victim["metadata"]["name"],
            "whole_s": whole_s,
            "changed": [],
        }

    def strike(self, fault: Fault, victim: Object) -> None:
        name = victim["metadata"]["name"]
        if fault.name == "node":
            nodes.cluster("crash", victim["spec"]["nodeName"])
        elif fault.name == "pod":
            body = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}
            self.namespace.api.ask("DELETE", self.namespace.pods_path(name), body)
        elif fault.name == "jvm":
            nodes.cluster("kubectl", f"--namespace={self.namespace.name}", "exec", name, "--", "sh", "-c", KILL_JAVA)
        else:
            raise Unfinished(f"a plain pod is not hit by {fault.name}")

    # ---- how it is

    def pod(self) -> Object:
        """The one that runs."""
        found = self.namespace.api.ask("GET", self.namespace.pods_path(), query={"labelSelector": f"app={NAME}"})["items"]
        here = [one for one in found if condition(one, "Ready").get("status") == "True" and "deletionTimestamp" not in one["metadata"]]
        if len(here) != 1:
            raise Unfinished(f"{len(here)} pods of {len(found)} run")
        return dict(here[0])

    def stamps(self) -> dict[int, float]:
        """When each batch was committed, by Spark's own log of its output."""
        log, found = self.folder / "out" / "_spark_metadata", dict[int, float]()
        for path in log.iterdir() if log.is_dir() else ():
            with suppress(FileNotFoundError):
                if match := BATCH.fullmatch(path.name):
                    found[int(match[1])] = path.stat().st_ctime_ns * gaps.MS_PER_NS
        return dict(sorted(found.items()))

    def await_well(self, within_s: float) -> None:
        await_true(
            lambda: max(self.stamps(), default=0) >= self.resumed_at + EVEN_EPOCHS and self.catches_up(),
            within_s,
            "Spark's batches follow each other",
            lambda: f"it is at batch {max(self.stamps(), default=0)}",
        )

    def catches_up(self) -> bool:
        """A batch has a file or two again."""
        found = list(self.stamps().values())[-1:]
        return bool(found) and time.time_ns() / 1e6 - found[0] < 4 * PERIOD_MS

    def await_more(self, since_ms: float) -> None:
        await_true(lambda: sum(at > since_ms for at in self.stamps().values()) >= AFTER_EPOCHS, BACK_WITHIN_S, "Spark's batches go on")

    # ---- what it has put out

    def compared(self) -> measures.Compared:
        """All that it has put out so far, as Spark's own log says; batches are not epochs, so rows are compared, up to the last one."""
        found = [row for path in self.committed() for row in golden.rows(path)]
        wanted, epoch = list[str](), 0
        while not wanted or wanted[-1] < max(found):
            epoch += 1
            wanted += self.undisturbed.rows(epoch)
        return measures.compared({1: found}, {1: [row for row in wanted if key_of(row) <= key_of(max(found))]}, [1])

    def committed(self) -> list[Path]:
        log = self.folder / "out" / "_spark_metadata"
        batches = {path.name: path for path in log.iterdir() if BATCH.fullmatch(path.name)}
        compacted = max((int(name.partition(".")[0]) for name in batches if name.endswith(".compact")), default=-1)
        mine = [path for name, path in batches.items() if int(name.partition(".")[0]) > compacted or name == f"{compacted}.compact"]
        lines = [line for path in mine for line in path.read_text(encoding="utf-8").splitlines()[1:]]
        return [self.folder / "out" / Path(json.loads(line)["path"]).name for line in lines]


def key_of(row: str) -> str:
    return row[: golden.DIGITS]
