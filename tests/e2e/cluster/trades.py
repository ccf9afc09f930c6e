"""A small topology on the cluster: trades of a market, and the last five of each symbol; what was delivered, and what should have been.

Called by: tests of this folder that compute.
"""

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import obstore
import pyarrow as pa
import pyarrow.parquet as pq

from cluster.layout import CONTROL, S3_PORT
from levee_spark.store.address import bucket, open_store
from servers.s3 import ACCESS_KEY, BUCKET, SECRET_KEY
from tests.e2e.cluster.chart import KIND
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.operators import Operators
from tests.e2e.cluster.pod_watch import PodWatch, replicas_of

NAME = "trades"
PERIOD = "2s"  # so that workers leave some of two cores to pods that start
PATIENCE_S, PAUSE_S = 420.0, 0.5  # a pod starts a JVM, on cores that others want, too
ENDPOINT = f"http://{CONTROL}:{S3_PORT}"
KEYS = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "AWS_ENDPOINT_URL": ENDPOINT, "AWS_REGION": "us-east-1"}
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "store"}, "stringData": KEYS}
REPLAY = {"generator": "levee_spark.examples.market:rows", "seed": "1", "ratePerS": "50", "periodMs": "1000"}
FAST = "100ms"
ONE_POD = {
    "faultTolerance": {"strategy": "none", "replicas": 1, "checkpoint": {"every": 10}},
    "placement": {"packing": "node", "nodeSelector": {"kubernetes.io/hostname": "node1"}},
}


def resource(store: dict[str, str], out: str, *, name: str = NAME, period: str = PERIOD, epochs: int | None = None, **spec: Any) -> Any:
    """One operator without state and one with. `epochs`: after which the source ends; None: it never does."""
    options = REPLAY | ({"epochs": str(epochs)} if epochs else {})
    return {
        "apiVersion": "levee.dev/v1alpha1",
        "kind": "FaultTolerantTopology",
        "metadata": {"name": name},
        "spec": {
            "store": store,
            "epoch": {"period": period},
            "sources": [{"name": "market", "spark": {"format": "replay", "options": options}, "configurations": [{"rate": 300}]}],
            "operators": [
                {
                    "name": "trade-filter",
                    "function": "levee_spark.examples.bargains:trade_filter",
                    "inputs": [{"from": "market", "selectivity": 0.2, "cost": "10us"}],
                },
                {
                    "name": "aggregator",
                    "function": "levee_spark.examples.bargains:aggregator",
                    "inputs": [{"from": "trade-filter", "partitionBy": ["symbol"], "cost": "10us"}],
                },
            ],
            "sinks": [{"name": "out", "from": "aggregator", "spark": {"format": "parquet", "options": {"path": out}}}],
            "faultTolerance": {"target": {"completeness": 0.9}, "checkpoint": {"every": 10}},
            "placement": {"packing": "node"},
        }
        | spec,
    }


@dataclass
class Trades:
    """One life of it on the cluster."""

    kube: Kube
    watch: PodWatch
    operators: Operators
    name: str = NAME

    @property
    def prefix(self) -> str:
        return f"s3://{BUCKET}/{self.kube.namespace}/{self.name}"

    def create(self, **told: Any) -> None:
        store = told.pop("store", {"uri": f"{self.prefix}/store", "secret": "store"})
        self.kube.create(resource(store, f"{self.prefix}/out", name=self.name, image="localhost/levee/worker:dev", **told))

    def patch(self, changes: object, kind: str = "merge") -> None:
        self.kube.run("patch", "ftt", self.name, f"--type={kind}", f"--patch={json.dumps(changes)}")

    def delete(self) -> None:
        self.kube.run("delete", "ftt", self.name, "--wait=false")

    # ---- how it is

    @property
    def is_there(self) -> bool:
        return f"{KIND}/{self.name}" in self.kube.run("get", "ftt", "--output=name").split()

    def status(self) -> Any:
        return self.kube.get("ftt", self.name).get("status", {})

    def state(self) -> str:
        return str(self.status().get("state"))

    def condition(self, kind: str) -> Any:
        return next((one for one in self.status().get("conditions", ()) if one["type"] == kind), {"status": "", "message": ""})

    def is_settled(self, replicas: list[str]) -> bool:
        """Each of them in one pod that is ready, and no other pod; and all that should work does."""
        there = self.watch.there()
        pods = all(one.ready and not one.leaving for one in there) and replicas_of(there) == replicas
        return pods and self.condition("Ready")["status"] == "True"  # a pod is ready when its worker is, whatever its replicas do

    # ---- what it has done

    def delivered(self) -> tuple[str, ...]:
        sink = open_store(f"{self.prefix}/out", secret=KEYS)
        return tuple(name for name in sink.names("", "", 10_000) if name.endswith(".parquet"))

    def rows(self) -> dict[str, pa.Table]:
        sink = open_store(f"{self.prefix}/out", secret=KEYS)
        blobs = {name: sink.get(name) for name in self.delivered()}
        return {name: pq.read_table(pa.BufferReader(bytes(blob.data))) for name, blob in blobs.items() if blob is not None}

    def epochs(self) -> dict[str, str | None]:
        """Every epoch of every stream, with a tag that changes with its content."""
        found = obstore.list(bucket(f"{self.prefix}/store", KEYS, 10_000)).collect()
        return {one["path"]: one["e_tag"] for one in found if "/epochs/" in one["path"]}

    def last_epochs(self) -> dict[str, int]:
        """Of each of its streams; others keep theirs in the same store."""
        last: dict[str, int] = defaultdict(int)
        for path in (one for one in self.epochs() if one.startswith(f"{self.kube.namespace}/{self.name}/")):
            stream, _, number = path.rpartition("/epochs/")
            last[stream] = max(last[stream], int(number))
        return dict(last)

    # ---- to wait for

    def goes_on(self) -> None:
        before = len(self.delivered())
        self.wait(lambda: len(self.delivered()) > before, "another epoch is delivered")

    def wait(self, holds: Callable[[], bool], what: str) -> None:
        """With what a person would ask for, if it does not come about."""
        until_s = time.monotonic() + PATIENCE_S
        while not holds():
            if time.monotonic() > until_s:
                told = [self.kube.run("get", "ftt,pods", "--output=wide"), self.kube.run("describe", "ftt"), self.operators.said()]
                raise AssertionError("\n".join([f"not within {PATIENCE_S:.0f} s: {what}", *told]))
            time.sleep(PAUSE_S)


# ---- what it should have done


@dataclass
class Undisturbed:
    """The same topology on this machine, faster; run once for as many epochs as anybody has asked for."""

    folder: Path
    epochs: int = 0
    made: dict[str, pa.Table] | None = None

    def rows(self, epochs: int) -> dict[str, pa.Table]:
        if self.made is None or self.epochs < epochs:
            self.epochs, self.made = epochs, run(self.folder / str(epochs), epochs)
        assert self.made, "there is something to compare with"
        return {name: table for name, table in self.made.items() if epoch_of(name) <= epochs}


def run(folder: Path, epochs: int) -> dict[str, pa.Table]:
    folder.mkdir()
    told = resource({"uri": (folder / "store").as_uri()}, str(folder / "out"), period=FAST, epochs=epochs)
    (folder / "trades.json").write_text(json.dumps(told), encoding="utf-8")
    command = [str(Path(sys.executable).parent / "levee"), "run", "-f", str(folder / "trades.json"), "--nodes", "1", "--anyway", "--plain"]
    subprocess.run([*command, "--directory", str(folder / "run")], check=True, timeout=2 * PATIENCE_S, stdout=subprocess.DEVNULL)
    return {path.name: pq.read_table(path) for path in sorted((folder / "out").glob("*.parquet"))}


def epoch_of(name: str) -> int:
    """part-00000-000000000012.snappy.parquet."""
    return int(name.partition(".")[0].rpartition("-")[2])


def compare(found: dict[str, pa.Table], wanted: dict[str, pa.Table]) -> None:
    assert found.keys() == wanted.keys()
    for name, table in wanted.items():
        assert sorted_rows(found[name]) == sorted_rows(table), name


def sorted_rows(table: pa.Table) -> list[str]:
    return sorted(map(repr, table.to_pylist()))


def by_key(tables: dict[str, pa.Table]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pa.concat_tables(tables.values()).sort_by("key").to_pylist()
    return rows
