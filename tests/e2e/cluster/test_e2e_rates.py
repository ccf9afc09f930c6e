"""A Prometheus that finds the workers' pods by their annotations says what is offered, and the topology follows it; while it is away, the
topology goes on as it is and says why. Deleted, it takes its data with it, as it is told to.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from servers.install import install
from servers.process import Server
from servers.prometheus import Prometheus, prometheus_server
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.trades import LINUX, NAME, WITH_CODE, Trades, code, living, no_pod_moves

HERE = "a Prometheus on this machine reaches its pods, and its store is that of the test cluster"
pytestmark = [pytest.mark.e2e, pytest.mark.own_cluster(because=HERE)]

CALM, BUSY, RISES_AT = 20, 200, 45  # rows a second, and the epoch in which they become more
WINDOW_S, INTERVAL_S = 10, 1
CODE = code(
    rising=f"""
from levee_spark.examples import market


def rows(epoch, options, task, tasks):
    return market.rows(epoch, {{**options, "ratePerS": "{CALM}" if epoch < {RISES_AT} else "{BUSY}"}}, task, tasks)
"""
)
SOURCE = {
    "name": "market",
    "spark": {"format": "replay", "options": {"generator": "rising:rows", "periodMs": "2000"}},
    "configurations": [
        {"name": "calm", "rate": 2 * CALM, "probability": 0.9},
        {"name": "busy", "rate": 2 * BUSY, "probability": 0.1},
    ],
}


def scraped_by_annotation(kube: Kube) -> dict[str, Any]:
    """As docs/metrics.md says it, and as most people have it."""
    found = {"role": "pod", "kubeconfig_file": str(kube.kubeconfig), "namespaces": {"names": [kube.namespace]}}
    kept = {"source_labels": ["__meta_kubernetes_pod_annotation_prometheus_io_scrape"], "action": "keep", "regex": "true"}
    address = {
        "source_labels": ["__meta_kubernetes_pod_ip", "__meta_kubernetes_pod_annotation_prometheus_io_port"],
        "separator": ":",
        "target_label": "__address__",
    }
    return {"job_name": "pods", "kubernetes_sd_configs": [found], "relabel_configs": [kept, address]}


@pytest.fixture
def life(kube: Kube, tmp_path: Path) -> Iterator[Trades]:
    with living(kube, tmp_path) as life:
        kube.create(CODE)
        yield life


@pytest.fixture
def scraping(kube: Kube) -> Iterator[tuple[Prometheus, Server]]:
    install(["prometheus"])
    with prometheus_server({}, jobs=[scraped_by_annotation(kube)]) as running:
        yield running


def configuration(life: Trades) -> str | None:
    told: str | None = life.status().get("configuration")
    return told


def test_the_configuration_follows_what_a_prometheus_measures_and_stays_while_that_is_away(
    life: Trades, scraping: tuple[Prometheus, Server]
) -> None:
    prometheus, server = scraping
    life.operators.start(
        LEVEE_PROMETHEUS=prometheus.address,
        LEVEE_PROMETHEUS_WINDOW_S=str(WINDOW_S),
        LEVEE_PROMETHEUS_INTERVAL_S=str(INTERVAL_S),
        LEVEE_SCRAPE_ANNOTATIONS="true",
    )
    life.create(podTemplate=WITH_CODE, sources=[SOURCE], placement=LINUX)
    life.wait(lambda: life.state() == "running" and life.condition("Ready")["status"] == "True", "it runs")
    with no_pod_moves(life):
        life.wait(lambda: prometheus.query(f'levee_rows_offered_total{{topology="{life.kube.namespace}/{NAME}"}}') != [], "it is scraped")
        life.wait(lambda: configuration(life) == "calm", "little is offered")
        life.wait(lambda: configuration(life) == "busy", "more is offered")
        life.wait(lambda: "busy" in life.kube.run("events", "--for", f"ftt/{NAME}"), "an event says so")
        server.kill()
        life.wait(lambda: life.condition("Healthy")["reason"] == "RatesUnknown", "it says that rates are unknown")
        assert "Prometheus" in life.condition("Healthy")["message"]
        life.goes_on()
        assert configuration(life) == "busy"
        server.restart()
        life.wait(lambda: life.condition("Healthy")["reason"] == "Settled", "rates are known again")
        assert configuration(life) == "busy"
    takes_its_data_with_it(life)


def takes_its_data_with_it(life: Trades) -> None:
    assert life.stored()
    delivered = life.delivered()
    life.patch({"spec": {"deletionPolicy": "delete"}})
    life.delete()
    life.wait(lambda: not life.is_there, "it is gone")
    assert life.stored() == {}
    assert set(life.delivered()) >= set(delivered), "what sinks have delivered stays"
