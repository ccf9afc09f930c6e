"""Topologies on the cluster: trades of a market with the last five of each symbol, and all of Bargain Discovery; what was delivered, and
what should have been.

Called by: tests of this folder that compute.
"""

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from levee.control.actions import Reason
from levee_spark.examples import market
from levee_spark.log import control
from levee_spark.log.codec import decode
from levee_spark.log.keys import Layout
from levee_spark.log.values import ControlRecord
from levee_spark.store.address import bucket, open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from tests.e2e.cluster.chart import CHART, KIND, ROOT
from tests.e2e.cluster.homes import homes
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.operators import Operators, operating
from tests.e2e.cluster.pod_watch import Pod, PodWatch, replicas_of, watching
from tests.e2e.cluster.store import store_of_tests
from tests.examples.by_hand import SUMS, Row, sums_by_hand
from tests.examples.epochs import Epochs

NAME = "trades"
PERIOD = "2s"  # so that workers leave some of two cores to pods that start
PATIENCE_S, PAUSE_S = 420.0, 0.5  # a pod starts a JVM, on cores that others want, too
STORE = store_of_tests()
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "store"}, "stringData": STORE.secret}
REPLAY = {"generator": "levee_spark.examples.market:rows", "seed": "1", "ratePerS": "50", "periodMs": "1000"}
BARGAINS = "bargain-discovery"
ALONE = {"strategy": "none", "replicas": 1, "checkpoint": {"every": 10}}
LINUX = {"packing": "node", "nodeSelector": {"kubernetes.io/os": "linux"}}  # and no simulated nodes
PLUGIN = str(Path(sys.executable).parent / "kubectl-levee")
KILL_JAVA = 'for each in /proc/[0-9]*; do if grep -q -a "^[^ ]*bin/java" $each/cmdline; then kill -9 ${each#/proc/}; fi; done'
Make: TypeAlias = Callable[..., Any]  # a resource, as `resource` does it
ByHand: TypeAlias = Callable[[Epochs], list[list[Row]]]  # of what the source gives
WITH_CODE = {
    "spec": {
        "containers": [
            {
                "name": "worker",
                "env": [{"name": "PYTHONPATH", "value": "/work/code"}],
                "volumeMounts": [{"name": "code", "mountPath": "/work/code"}],
            }
        ],
        "volumes": [{"name": "code", "configMap": {"name": "code"}}],
    }
}


def code(**modules: str) -> dict[str, Any]:
    """For `WITH_CODE`: modules that the image does not have."""
    texts = {f"{name}.py": text for name, text in modules.items()}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "code"}, "data": texts}


def one_pod(node: str) -> dict[str, Any]:
    """Of what is wanted, what makes it one."""
    return {"faultTolerance": ALONE, "placement": {"packing": "node", "nodeSelector": {"kubernetes.io/hostname": node}}}


def resource(store: dict[str, str], out: str, *, name: str = NAME, period: str = PERIOD, epochs: int | None = None, **spec: Any) -> Any:
    """One operator without state and one with. `epochs`: after which the source ends; None: it never does."""
    return {
        "apiVersion": "levee.dev/v1alpha1",
        "kind": "FaultTolerantTopology",
        "metadata": {"name": name},
        "spec": {
            "store": store,
            "epoch": {"period": period},
            "sources": [{"name": "market", "spark": {"format": "replay", "options": replayed(epochs)}, "configurations": [{"rate": 300}]}],
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


def replayed(epochs: int | None) -> dict[str, str]:
    return REPLAY | ({"epochs": str(epochs)} if epochs else {})


def bargains(store: dict[str, str], out: str, *, name: str = BARGAINS, period: str = PERIOD, epochs: int | None = None, **spec: Any) -> Any:
    """As the example has it, at a small rate, with one replica of each operator: there are five, of two tasks each."""
    told = yaml.safe_load((ROOT / "examples" / f"{BARGAINS}.yaml").read_text(encoding="utf-8"))
    wanted = told["spec"]
    [source], [sink] = wanted["sources"], wanted["sinks"]
    source |= {"spark": {"format": "replay", "options": replayed(epochs)}, "configurations": [{"rate": 50}]}
    sink["spark"]["options"]["path"] = out
    changes = {"store": store, "epoch": {"period": period}, "faultTolerance": ALONE, "placement": {"packing": "node"}}
    return told | {"metadata": {"name": name}, "spec": wanted | changes | spec}


@dataclass
class Trades:
    """One life of one of them on the cluster."""

    kube: Kube
    watch: PodWatch
    operators: Operators
    name: str = NAME
    make: Make = resource

    @property
    def prefix(self) -> str:
        return f"{STORE.uri}/{self.kube.namespace}/{self.name}"

    def create(self, *, image: str | None = "localhost/levee/worker:dev", **told: Any) -> None:
        """`image`: None leaves it to the operator."""
        store = told.pop("store", {"uri": f"{self.prefix}/store", "secret": "store"})
        named = {} if image is None else {"image": image}
        self.kube.create(self.make(store, f"{self.prefix}/out", name=self.name, **named, **told))

    def one_pod(self) -> dict[str, Any]:
        """The same, on a node that takes it."""
        return one_pod(*homes(self.kube, 1))

    def patch(self, changes: object, kind: str = "merge") -> None:
        self.kube.run("patch", "ftt", self.name, f"--type={kind}", f"--patch={json.dumps(changes)}")

    def edit(self, spec: dict[str, Any]) -> None:
        """Until that is planned for."""
        self.patch({"spec": spec})
        generation = self.kube.get("ftt", self.name)["metadata"]["generation"]
        self.wait(lambda: self.is_planned(generation), f"{spec} is planned for")

    def is_planned(self, generation: int) -> bool:
        planned = self.condition("Planned")
        return bool(self.state() == "running" and planned["status"] == "True" and planned["observedGeneration"] == generation)

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

    def primary(self, task: str) -> Pod | None:
        """The pod of the replica that leads, by what `kubectl levee` shows; None: it is not clear at this moment."""
        words = [PLUGIN, "status", self.name, "--output=json", f"--kubeconfig={self.kube.kubeconfig}", f"--namespace={self.kube.namespace}"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        leading = [one["replica"] for one in json.loads(done.stdout)["replicas"] if one["task"] == task and one["role"] == "primary"]
        pods = [one for one in self.watch.there() if len(leading) == 1 and leading[0] in one.replicas and not one.leaving]
        return pods[0] if len(pods) == 1 else None

    # ---- what it has done

    def delivered(self) -> tuple[str, ...]:
        sink = open_store(f"{self.prefix}/out", secret=STORE.secret)
        return tuple(name for name in sink.names("", "", 10_000) if name.endswith(".parquet"))

    def rows(self) -> dict[str, pa.Table]:
        sink = open_store(f"{self.prefix}/out", secret=STORE.secret)
        blobs = {name: sink.get(name) for name in self.delivered()}
        return {name: pq.read_table(pa.BufferReader(bytes(blob.data))) for name, blob in blobs.items() if blob is not None}

    def epochs(self) -> dict[str, str | None]:
        """Every epoch of every stream."""
        return {path: tag for path, tag in self.stored().items() if "/epochs/" in path}

    def stored(self) -> dict[str, str | None]:
        """By name, with a tag that changes with the content."""
        client, under = bucket(f"{self.prefix}/store", STORE.secret, 10_000)
        return {one["path"].removeprefix(under): one["e_tag"] for one in obstore.list(client.store, under).collect()}

    def last_epochs(self) -> dict[str, int]:
        """Of each of its streams; others keep theirs in the same store."""
        last: dict[str, int] = defaultdict(int)
        for path in (one for one in self.epochs() if one.startswith(f"{self.kube.namespace}/{self.name}/")):
            stream, _, number = path.rpartition("/epochs/")
            last[stream] = max(last[stream], int(number))
        return dict(last)

    def functions(self) -> dict[str, str]:
        """By operator, as the newest control record has them."""
        return {str(operator): function for operator, function in self.records()[-1].shape.functions}

    def records(self) -> list[ControlRecord]:
        """Of its control log, in order."""
        store = open_store(f"{self.prefix}/store", secret=STORE.secret)
        layout = Layout(f"{self.kube.namespace}/{self.name}", self.kube.get("ftt", self.name)["metadata"]["uid"])
        names = store.names(layout.control(0).rpartition("/")[0], "", 10_000)
        found = [decode(blob.data, name) for name in names if (blob := store.get(name)) is not None]
        return [one for one in found if isinstance(one, ControlRecord)]

    def end_its_sources(self) -> None:
        """As they do that another topology feeds, which ends: its stop is ordered, for good."""
        newest = self.records()[-1]
        stop = control.successor(newest, "a test", shape=replace(newest.shape, stopped=True))
        layout = Layout(f"{self.kube.namespace}/{self.name}", self.kube.get("ftt", self.name)["metadata"]["uid"])
        driver = StoreDriver(open_store(f"{self.prefix}/store", secret=STORE.secret))
        try:
            assert drive(control.write(layout, replace(stop, reason=f"{Reason.COMPLETED}: its sources have ended")), driver)
        finally:
            driver.close()

    # ---- to wait for

    def goes_on(self) -> None:
        before = len(self.delivered())
        self.wait(lambda: len(self.delivered()) > before, "another epoch is delivered")

    def wait(self, holds: Callable[[], bool], what: str, within_s: float = PATIENCE_S) -> None:
        """With what a person would ask for, if it does not come about."""
        until_s = time.monotonic() + within_s
        while not holds():
            if time.monotonic() > until_s:
                told = [self.kube.run("get", "ftt,pods", "--output=wide"), self.kube.run("describe", "ftt"), self.operators.said()]
                raise AssertionError("\n".join([f"not within {within_s:.0f} s: {what}", *told]))
            time.sleep(PAUSE_S)


@contextmanager
def living(kube: Kube, folder: Path, name: str = NAME, make: Make = resource) -> Iterator[Trades]:
    """What it needs is there, but for itself and an operator; and whatever becomes of it, its namespace can go."""
    kube.run("apply", "--server-side", "--force-conflicts", f"--filename={CHART / 'files' / 'crds'}")
    kube.create(SECRET)
    with watching(kube, name) as watch, operating(kube, folder) as operators:
        life = Trades(kube, watch, operators, name, make)
        try:
            yield life
        finally:
            if life.is_there:  # a test has failed, and nobody else lets it go
                life.patch({"metadata": {"finalizers": None}})


@contextmanager
def no_pod_moves(life: Trades) -> Iterator[None]:
    before = {one.uid for one in life.watch.there()}
    births = len(life.watch.born())
    yield
    assert life.watch.born(births) == []
    assert {one.uid for one in life.watch.there() if not one.leaving} == before


# ---- what it should have done


def emitted(epoch: int, options: Mapping[str, str] = REPLAY) -> pa.Table:
    return market.rows(epoch, {name: text for name, text in options.items() if name != "generator"}, 0, 1)


def undisturbed(
    epochs: int, by_hand: ByHand = sums_by_hand, columns: Sequence[str] = SUMS, emits: Callable[[int], pa.Table] = emitted
) -> dict[str, pa.Table]:
    """The files of a run of so many epochs that nothing disturbs; of an epoch without rows there is none."""
    found = by_hand([emits(epoch) for epoch in range(1, epochs + 1)])
    return {file_of(epoch): table(rows, columns) for epoch, rows in enumerate(found, 1) if rows}


def table(rows: Sequence[Row], columns: Sequence[str]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows])


def file_of(epoch: int) -> str:
    return f"part-00000-{epoch:012d}.snappy.parquet"


def epoch_of(name: str) -> int:
    """The other way round."""
    return int(name.partition(".")[0].rpartition("-")[2])


def compare(found: Mapping[str, pa.Table], wanted: Mapping[str, pa.Table]) -> None:
    """Epoch by epoch, each row as often; a sink of several tasks has several files of an epoch."""
    ours, theirs = by_epoch(found), by_epoch(wanted)
    assert ours.keys() == theirs.keys()
    for epoch, rows in theirs.items():
        assert ours[epoch] == rows, epoch


def by_epoch(files: Mapping[str, pa.Table]) -> dict[int, list[str]]:
    rows: dict[int, list[str]] = defaultdict(list)
    for name, table in files.items():
        rows[epoch_of(name)] += map(repr, table.to_pylist())
    return {epoch: sorted(some) for epoch, some in rows.items()}


def by_key(tables: dict[str, pa.Table]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pa.concat_tables(tables.values()).sort_by("key").to_pylist()
    return rows
