"""One topology on a real cluster, through everything that may happen to it: its output is that of an undisturbed run elsewhere."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cluster.layout import CONTROL, S3_PORT
from images.contents import ROOT
from levee_spark.store.address import open_store
from servers.s3 import ACCESS_KEY, BUCKET, SECRET_KEY
from tests.e2e.cluster.kube import PATIENCE_S, Kube, condition

pytestmark = [pytest.mark.e2e, pytest.mark.breaks_nodes]

EPOCHS = 160
ENDPOINT = f"http://{CONTROL}:{S3_PORT}"
KEYS = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "AWS_ENDPOINT_URL": ENDPOINT, "AWS_REGION": "us-east-1"}
KILL_JAVA = 'for each in /proc/[0-9]*; do if grep -q -a "^[^ ]*bin/java" $each/cmdline; then kill -9 ${each#/proc/}; fi; done'


def resource(store: dict[str, str], out: str, period: str, **spec: Any) -> dict[str, Any]:
    """Trades of the market, and the last five of each symbol: one operator without state and one with."""
    options = {"generator": "levee_spark.examples.market:rows", "seed": "1", "ratePerS": "50", "periodMs": "1000", "epochs": str(EPOCHS)}
    return {
        "apiVersion": "levee.dev/v1alpha1",
        "kind": "FaultTolerantTopology",
        "metadata": {"name": "trades"},
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
class Operator:
    """From outside of the cluster, so that it can be killed without the cluster's help."""

    kube: Kube
    log: Path
    processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start(self) -> None:
        environment = os.environ | {
            "KUBECONFIG": str(self.kube.kubeconfig),
            "LEVEE_NAMESPACE": self.kube.namespace,
            "LEVEE_WATCH_NAMESPACES": self.kube.namespace,
        }
        with self.log.open("ab") as log:
            self.processes.append(subprocess.Popen([sys.executable, "-m", "levee.serve"], env=environment, stdout=log, stderr=log))

    def kill(self) -> None:
        """Its planner goes by itself: its pipe has no other end."""
        self.processes[-1].send_signal(signal.SIGKILL)
        self.processes[-1].wait()


@contextmanager
def operating(kube: Kube, log: Path) -> Iterator[Operator]:
    operator = Operator(kube, log)
    operator.start()
    try:
        yield operator
    finally:
        with suppress(ProcessLookupError):
            operator.kill()


@pytest.fixture
def golden(tmp_path: Path) -> dict[str, pa.Table]:
    """The output of the same topology on this machine, undisturbed and faster."""
    file = tmp_path / "golden.json"
    told = resource({"uri": (tmp_path / "golden-store").as_uri()}, str(tmp_path / "golden"), "200ms")
    file.write_text(json.dumps(told))
    command = [str(Path(sys.executable).parent / "levee"), "run", "-f", str(file), "--nodes", "1", "--anyway", "--plain"]
    subprocess.run([*command, "--directory", str(tmp_path / "golden-run")], check=True, timeout=PATIENCE_S, stdout=subprocess.DEVNULL)
    made = {path.name: pq.read_table(path) for path in sorted((tmp_path / "golden").glob("*.parquet"))}
    assert len(made) > EPOCHS // 2, "there is something to compare with"
    return made


def test_its_output_is_that_of_an_undisturbed_run_whatever_happens(whole: Kube, tmp_path: Path, golden: dict[str, pa.Table]) -> None:
    kube, prefix = whole, f"s3://{BUCKET}/{whole.namespace}"
    sink = open_store(f"{prefix}/out", secret=KEYS)

    def delivered() -> tuple[str, ...]:
        return tuple(name for name in sink.names("", "", 10_000) if name.endswith(".parquet"))

    kube.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "store"}, "stringData": KEYS})
    with operating(kube, tmp_path / "operator.log") as operator:
        store = {"uri": f"{prefix}/store", "secret": "store"}
        kube.create(resource(store, f"{prefix}/out", "1s", image="localhost/levee/worker:dev"))
        wait(lambda: state(kube) == "running" and len(delivered()) > 5, "the first epochs are delivered", kube)

        before = pods(kube)
        operator.kill()
        operator.start()
        wait(lambda: lease_of(kube) not in {"", None}, "another operator leads", kube)
        assert pods(kube) == before, "pods are left alone"

        victim = next(iter(before))
        kube.run("delete", "pod", victim, "--wait=false")
        wait(lambda: len(ready(kube)) == 3 and victim not in pods(kube), "the deleted pod is replaced", kube)

        victim = sorted(pods(kube))[1]
        kube.run("exec", victim, "--", "sh", "-c", KILL_JAVA)
        wait(lambda: len(ready(kube)) == 3 and victim not in pods(kube), "the pod whose JVM was killed is replaced", kube)

        subprocess.run([sys.executable, "-m", "hack.cluster", "crash", "node2"], cwd=ROOT, check=True)
        wait(lambda: state(kube) == "completed", "all rows have been computed", kube, patience_s=3 * PATIENCE_S)
        assert not pods(kube), "nothing is left of it"
    assert kube.get("ftt", "trades")["status"]["attempts"] == 0, "it was never begun anew"
    compare({name: read(sink.get(name)) for name in delivered()}, golden)


def compare(found: dict[str, pa.Table], golden: dict[str, pa.Table]) -> None:
    assert found.keys() == golden.keys()
    for name, table in golden.items():
        assert rows(found[name]) == rows(table), name


def rows(table: pa.Table) -> list[str]:
    return sorted(map(repr, table.to_pylist()))


def read(blob: Any) -> pa.Table:
    return pq.read_table(pa.BufferReader(bytes(blob.data)))


def state(kube: Kube) -> str:
    return str(kube.get("ftt", "trades").get("status", {}).get("state"))


def pods(kube: Kube) -> dict[str, str]:
    found = kube.get("pods", "--selector=levee.dev/topology=trades")["items"]
    return {item["metadata"]["name"]: item["metadata"]["uid"] for item in found}


def ready(kube: Kube) -> list[str]:
    found = kube.get("pods", "--selector=levee.dev/topology=trades")["items"]
    return [one["metadata"]["name"] for one in found if condition(one, "Ready")]


def lease_of(kube: Kube) -> Any:
    return kube.get("lease", "levee-operator")["spec"].get("holderIdentity")


def wait(holds: Callable[[], bool], what: str, kube: Kube, *, patience_s: float = PATIENCE_S) -> None:
    """With what kubectl describe says, if it does not come about."""
    until_s = time.monotonic() + patience_s
    while not holds():
        if time.monotonic() > until_s:
            raise AssertionError(
                f"not within {patience_s:.0f} s: {what}\n{kube.run('describe', 'ftt', 'trades')}\n{kube.run('get', 'pods')}"
            )
        time.sleep(1)
