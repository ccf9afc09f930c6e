"""Every alert fires on a topology to which what it warns of happens, and none does before.

Why: that an expression is right says promtool, of made-up series; that Levee tells what is in it can only be seen on what runs.
"""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from cluster import marker, processes
from servers.ports import free_ports
from servers.prometheus import Prometheus
from tests.e2e.cluster.chart import CHART
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.scraping import scraping_by_annotations
from tests.e2e.cluster.trades import KILL_JAVA, LINUX, WITH_CODE, Trades, code, living

HERE = "it closes all nodes, and stops the process of the store"
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.own_cluster(because=HERE),
    pytest.mark.alone(because="it silences the store and closes the nodes, and what others do must not alarm it"),
]

QUICKER = 15  # times: nobody's tests wait for ten minutes
DURATION = re.compile(r"(?<=\[)\d+[smh](?=\])")
UNIT_S = {"s": 1, "m": 60, "h": 3600}
DECLARED, CALM, ABOVE = 40, 20, 200  # rows a second
RISES_AT, SLOW_FROM, SLOW_S = 40, 80, 8.0
CODE = code(
    alarming=f"""
import time

import pyspark.sql.functions as f

from levee_spark.examples import bargains, market


def rows(epoch, options, task, tasks):
    return market.rows(1, options, task, tasks).slice(0, {CALM} if epoch < {RISES_AT} else {ABOVE})


def trade_filter(inputs):
    found = inputs["market"]
    at_will = f.when(f.col("_epoch") == {RISES_AT}, f.floor(1000 * f.rand())).otherwise(f.col("volume")).cast("long")
    found = found.withColumn("volume", at_will)
    return bargains.trade_filter({{"market": found.mapInArrow(slowly, found.schema)}})


def slowly(batches):
    for batch in batches:
        if batch.num_rows and batch.column("_epoch")[0].as_py() >= {SLOW_FROM}:
            time.sleep({SLOW_S})
        yield batch
"""
)
SOURCE = {
    "name": "market",
    "spark": {"format": "replay", "options": {"generator": "alarming:rows", "periodMs": "1000", "ratePerS": "1000", "seed": "1"}},
    "configurations": [{"rate": DECLARED}],
}
FILTER = {
    "name": "trade-filter",
    "function": "alarming:trade_filter",
    "inputs": [{"from": "market", "selectivity": 0.2, "cost": "10us"}],
    "onDivergence": "resync",
}


@pytest.fixture
def life(kube: Kube, tmp_path: Path) -> Iterator[Trades]:
    with living(kube, tmp_path) as life:
        kube.create(CODE)
        yield life


@pytest.fixture
def prometheus(life: Trades, tmp_path: Path) -> Iterator[Prometheus]:
    [port] = free_ports(1)
    with scraping_by_annotations(life.watch, {"operator": [f"127.0.0.1:{port}"]}, [quicker(tmp_path)]) as (prometheus, _):
        life.operators.start(LEVEE_METRICS_PORT=str(port), LEVEE_SCRAPE_ANNOTATIONS="true")
        yield prometheus


def test_every_alert_fires_when_what_it_warns_of_happens(life: Trades, prometheus: Prometheus) -> None:
    life.create(podTemplate=WITH_CODE, sources=[SOURCE], operators=[FILTER, *others(life)], placement=LINUX, epoch={"period": "1s"})
    life.wait(lambda: life.condition("Ready")["status"] == "True", "it runs")
    life.wait(lambda: not firing(prometheus), "nothing is wrong any more since it has started")
    life.wait(lambda: {"LeveeDivergence", "LeveeInputAboveContract"} <= firing(prometheus), "rows differ, and too many come")
    life.wait(lambda: "LeveeLagGrows" in firing(prometheus), "nobody keeps up")
    lose_workers(life, 5)
    life.wait(lambda: "LeveeReplicaFlapping" in firing(prometheus), "workers come and go")
    with no_node_takes_pods(life):
        life.kube.run("delete", "pods", "--all", "--wait=false")
        life.wait(lambda: "LeveeGuaranteeNotMet" in firing(prometheus), "workers are not replaced")
    with silent_store():
        life.wait(lambda: "LeveeControlLogStalled" in firing(prometheus), "the store does not answer")
    assert "LeveeOperatorNotReconciling" not in firing(prometheus)
    life.operators.kill_all()
    life.wait(lambda: "LeveeOperatorNotReconciling" in firing(prometheus), "nobody looks after it")


def firing(prometheus: Prometheus) -> set[str]:
    return {one["metric"]["alertname"] for one in prometheus.query('ALERTS{alertstate="firing"}')}


def quicker(folder: Path) -> Path:
    """The rules of the chart, with all times shorter in the same proportion."""
    rules = yaml.safe_load((CHART / "files" / "rules" / "levee.yaml").read_text(encoding="utf-8"))
    for rule in (rule for group in rules["groups"] for rule in group["rules"]):
        rule["expr"] = DURATION.sub(lambda found: shortened(found[0]), rule["expr"])
        if "for" in rule:
            rule["for"] = shortened(rule["for"])
    path = folder / "rules.yaml"
    path.write_text(yaml.safe_dump(rules), encoding="utf-8")
    return path


def shortened(duration: str) -> str:
    return f"{timedelta(seconds=int(duration[:-1]) * UNIT_S[duration[-1]]) // QUICKER // timedelta(seconds=1)}s"


def others(life: Trades) -> list[object]:
    """The operators of the topology but its first."""
    told = life.make({}, "")["spec"]["operators"]
    return list(told[1:])


def lose_workers(life: Trades, times: int) -> None:
    """One after another, each once there is a successor of the one before."""
    for _ in range(times):
        births = len(life.watch.born())
        life.wait(lambda: any(one.ready and not one.leaving for one in life.watch.there()), "there is one that works")
        lost = next(one for one in life.watch.there() if one.ready and not one.leaving)
        life.kube.run("exec", lost.name, "--", "sh", "-c", KILL_JAVA)
        life.wait(lambda before=births: len(life.watch.born()) > before, "another one is begun in its place")  # type: ignore[misc]


@contextmanager
def no_node_takes_pods(life: Trades) -> Iterator[None]:
    nodes = [node["metadata"]["name"] for node in life.kube.get("nodes")["items"]]
    life.kube.run("cordon", *nodes)
    try:
        yield
    finally:
        life.kube.run("uncordon", *nodes)


@contextmanager
def silent_store() -> Iterator[None]:
    found = marker.read()
    assert found is not None
    pid = processes.recorded(found.folders.processes, "s3")
    assert pid is not None, "the cluster has a store"
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)
