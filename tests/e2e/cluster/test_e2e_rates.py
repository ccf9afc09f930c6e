"""A Prometheus that scrapes the workers says what is offered, and the configuration follows it; while it is away all stays as it is, and
why is told.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from servers.process import Server
from servers.prometheus import Prometheus
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.scraping import scraping_by_annotations
from tests.e2e.cluster.trades import LINUX, NAME, WITH_CODE, Trades, code, epoch_of, living, no_pod_moves

HERE = "a Prometheus on this machine reaches its pods, and its store is that of the test cluster"
pytestmark = [pytest.mark.e2e, pytest.mark.own_cluster(because=HERE)]

CALM, BUSY = 50, 350  # rows a second that are declared
OFFERED, SHARE = 200, 10  # on average at busy times, and one in so many of them at calm ones
RISES_AT, FALLS_AT, SEEN_AFTER = 15, 40, 8  # epochs
WINDOW_S, INTERVAL_S = 15, 1
CODE = code(
    rising=f"""
from levee_spark.examples import market


def rows(epoch, options, task, tasks):
    found = market.rows(epoch, options, task, tasks)
    return found if {RISES_AT} <= epoch < {FALLS_AT} else found.take(list(range(0, len(found), {SHARE})))
"""
)
SOURCE = {
    "name": "market",
    "spark": {"format": "replay", "options": {"generator": "rising:rows", "periodMs": "2000", "ratePerS": str(OFFERED)}},
    "configurations": [{"name": "calm", "rate": CALM, "probability": 0.95}, {"name": "busy", "rate": BUSY, "probability": 0.05}],
}
TERMS = {"target": {"completeness": 0.7}, "checkpoint": {"every": 10}}  # worth a second replica of each operator at calm times only
WHY = re.compile(r"market (?P<measured>\d+)/s -> configuration (?P<name>\w+) \(\d+/s\), 2 replicas (?P<switched>off|on), record \d+")


@pytest.fixture
def life(kube: Kube, tmp_path: Path) -> Iterator[Trades]:
    with living(kube, tmp_path) as life:
        kube.create(CODE)
        yield life


@pytest.fixture
def scraping(life: Trades) -> Iterator[tuple[Prometheus, Server]]:
    with scraping_by_annotations(life.watch) as (prometheus, server):
        life.operators.start(
            LEVEE_PROMETHEUS=prometheus.address,
            LEVEE_PROMETHEUS_WINDOW_S=str(WINDOW_S),
            LEVEE_PROMETHEUS_INTERVAL_S=str(INTERVAL_S),
            LEVEE_SCRAPE_ANNOTATIONS="true",
        )
        yield prometheus, server


def test_the_configuration_follows_what_a_prometheus_measures_and_stays_while_that_is_away(
    life: Trades, scraping: tuple[Prometheus, Server]
) -> None:
    prometheus, server = scraping
    life.create(podTemplate=WITH_CODE, sources=[SOURCE], placement=LINUX, faultTolerance=TERMS)
    life.wait(lambda: life.state() == "running" and life.condition("Ready")["status"] == "True", "it runs")
    with no_pod_moves(life):
        life.wait(lambda: active(life, prometheus) == 8, "all replicas work")
        life.wait(lambda: configuration(life) == "busy", "more is offered")
        life.wait(lambda: active(life, prometheus) == 6, "the second ones of operators are switched off")
        server.kill()
        life.wait(lambda: life.condition("Healthy")["reason"] == "RatesUnknown", "it says that rates are unknown")
        assert "Prometheus: its last answer is " in life.condition("Healthy")["message"]
        life.wait(lambda: epoch_of(life.delivered()[-1]) >= FALLS_AT + SEEN_AFTER, "less is offered again")
        assert configuration(life) == "busy"
        server.restart()
        life.wait(lambda: configuration(life) == "calm", "rates are known again")
        life.wait(lambda: active(life, prometheus) == 8, "the second ones of operators are switched on")
    is_told(life)


def configuration(life: Trades) -> str | None:
    told: str | None = life.status().get("configuration")
    return told


def active(life: Trades, prometheus: Prometheus) -> int:
    """Replicas, as workers tell it."""
    told = prometheus.query(f'sum(levee_active{{topology="{life.kube.namespace}/{NAME}"}})')
    return int(told[0]["value"][1]) if told else 0


def is_told(life: Trades) -> None:
    """In the control log and by events, in the same words."""
    records = life.records()
    assert [name for name, _ in groupby(one.configuration for one in records)] == ["calm", "busy", "calm"]
    up, down = (found for one in records if (found := WHY.search(one.reason)))
    assert (up["name"], up["switched"]) == ("busy", "off")
    assert int(up["measured"]) > CALM
    assert (down["name"], down["switched"]) == ("calm", "on")
    assert int(down["measured"]) <= CALM
    events = life.kube.run("events", "--for", f"ftt/{NAME}")
    assert up[0] in events
    assert down[0] in events
