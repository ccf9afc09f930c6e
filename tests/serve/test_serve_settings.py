"""What the chart tells the operator by its environment, and what becomes of it."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from levee.serve.app import Settings, shop_of
from levee.serve.leader import Leader
from levee.serve.metrics import Metrics
from levee.serve.rates import RatesFrom
from levee.serve.shop import Shop
from levee.worlds.measuring import Workers
from levee.worlds.prometheus.asking import Address
from levee.worlds.prometheus.following import Following, measuring
from levee.worlds.prometheus.reading import Reading
from tests.serve.plant import PATH, Plant, operator, topology

NOBODY: Any = None


def shop(monkeypatch: pytest.MonkeyPatch, **environment: str) -> Shop:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    made = shop_of(Settings.read(), NOBODY, Leader(NOBODY, "levee", "one"), "one", Metrics())
    made.planner.close()
    return made


def test_what_is_empty_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    made = shop(monkeypatch, LEVEE_WORKER_PRIORITY_CLASS="", LEVEE_WORKER_SERVICE_ACCOUNT="")
    assert (made.priority_class, made.service_account) == (None, None)


def test_rates_come_from_workers_where_no_prometheus_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEVEE_PROMETHEUS", "")
    assert Settings.read().prometheus is None
    assert isinstance(shop(monkeypatch).measuring("shop/clicks").teller, Workers)


def test_the_prometheus_that_the_chart_names_is_asked_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"": "http://prometheus:9090", "_SECRETS": "/etc/levee/prometheus", "_WINDOW_S": "120", "_INTERVAL_S": "30"}
    for name, value in told.items():
        monkeypatch.setenv(f"LEVEE_PROMETHEUS{name}", value)
    monkeypatch.setenv("LEVEE_PROMETHEUS_LABELS", '{"cluster": "east"}')
    monkeypatch.setenv("LEVEE_PROMETHEUS_HEADERS", '{"X-Scope-OrgID": "shop"}')
    address = Address("http://prometheus:9090", Path("/etc/levee/prometheus"), {"X-Scope-OrgID": "shop"})
    assert Settings.read().prometheus == RatesFrom(address, 120, 30, {"cluster": "east"})


def test_a_topology_whose_prometheus_is_down_goes_on_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("levee.worlds.measuring.KNOWN_AFTER_MS", 0)
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    one = operator(plant)
    asked = Following(lambda: Reading(1.0), 15.0, trouble="it does not answer: refused")
    one.shop.measuring = partial(measuring, following=asked)
    one.run("running")
    one.go_on(8)
    [healthy] = [told for told in plant.things[PATH]["status"]["conditions"] if told["type"] == "Healthy"]
    assert (healthy["status"], healthy["reason"]) == ("True", "RatesUnknown")
    assert healthy["message"].endswith("(Prometheus: it does not answer: refused)")


def test_the_priority_of_workers_reaches_their_pods(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    one = operator(plant)
    one.shop.priority_class = shop(monkeypatch, LEVEE_WORKER_PRIORITY_CLASS="streams").priority_class
    one.run("running")
    assert {pod["spec"]["priorityClassName"] for pod in plant.pods()} == {"streams"}


def test_workers_are_annotated_for_scraping_where_that_is_wanted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    one = operator(plant)
    assert not one.shop.scraped
    one.shop.scraped = shop(monkeypatch, LEVEE_SCRAPE_ANNOTATIONS="true").scraped
    one.run("running")
    annotations = [pod["metadata"]["annotations"] for pod in plant.pods()]
    assert {(one["prometheus.io/scrape"], one["prometheus.io/port"], one["prometheus.io/path"]) for one in annotations} == {
        ("true", "8080", "/metrics")
    }
