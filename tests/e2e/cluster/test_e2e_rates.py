"""A Prometheus that scrapes the workers and the operator says what is offered: the configuration follows it, and so does the plan; while it
is away all stays as it is, and why is told. Everything that people watch shows that life.

Pods are what takes time, so these tests follow each other on one life of it, in this order; each alone begins a life for itself.
"""

import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa
import pytest
import yaml

from levee.topology.units import parse_duration
from servers.ports import ask, free_ports
from servers.process import Server
from servers.prometheus import Prometheus
from tests.e2e.cluster.conftest import new_namespace
from tests.e2e.cluster.scraping import scraping_by_annotations
from tests.e2e.cluster.trades import (
    LINUX,
    NAME,
    PLUGIN,
    WITH_CODE,
    Trades,
    code,
    compare,
    emitted,
    epoch_of,
    living,
    no_pod_moves,
    undisturbed,
)
from tests.e2e.panels import RULES, queries, rules

pytestmark = [pytest.mark.e2e, pytest.mark.needs_store]

CALM, BUSY = 50, 350  # rows a second that are declared
OFFERED, SHARE = 200, 10  # on average at busy times, and one in so many of them at calm ones
RISES_AT, FALLS_AT, SEEN_AFTER = 15, 40, 8  # epochs
WINDOW_S, INTERVAL_S = 15, 1
RISING = f"""
from levee_spark.examples import market


def rows(epoch, options, task, tasks):
    found = market.rows(epoch, options, task, tasks)
    return found if {RISES_AT} <= epoch < {FALLS_AT} else found.take(list(range(0, len(found), {SHARE})))
"""
OPTIONS = {"generator": "rising:rows", "periodMs": "2000", "ratePerS": str(OFFERED)}
TERMS = {"target": {"completeness": 0.7}, "checkpoint": {"every": 10}}  # worth a second replica of each operator at calm times only
WHY = re.compile(r"market (?P<measured>\d+)/s -> configuration (?P<name>\w+) \(\d+/s\), 2 replicas (?P<switched>off|on), record \d+")
TOO_LOW = [{"name": "calm", "rate": 8, "probability": 0.95}, {"name": "busy", "rate": 50, "probability": 0.05}]
DWELL = "5s"
LOOKED_BACK = "[20m:2s]"
DECLARED_COST_S = 10e-6


def sources(**more: str) -> list[Any]:
    rates = [{"name": "calm", "rate": CALM, "probability": 0.95}, {"name": "busy", "rate": BUSY, "probability": 0.05}]
    return [{"name": "market", "spark": {"format": "replay", "options": OPTIONS | more}, "configurations": rates}]


@dataclass
class Watched:
    life: Trades
    prometheus: Prometheus
    server: Server
    metrics: int  # ports of its operators
    page: int
    hurried: bool = False  # drift is seen after seconds

    def lead(self, *, hurried: bool = False) -> None:
        """By one operator, and no other."""
        operators, self.hurried = self.life.operators, hurried
        operators.kill_all()
        operators.start(
            hurried=hurried,
            LEVEE_PROMETHEUS=self.prometheus.address,
            LEVEE_PROMETHEUS_WINDOW_S=str(WINDOW_S),
            LEVEE_PROMETHEUS_INTERVAL_S=str(INTERVAL_S),
            LEVEE_SCRAPE_ANNOTATIONS="true",
            LEVEE_METRICS_PORT=str(self.metrics),
            LEVEE_PAGE_PORT=str(self.page),
        )
        self.life.wait(lambda: operators.leader() is not None, "an operator leads")

    def number(self, asks: str) -> float | None:
        told = self.prometheus.query(asks)
        return float(told[0]["value"][1]) if told else None

    @property
    def active(self) -> int:
        """Replicas, as workers tell it."""
        return int(self.number(f'sum(levee_active{{topology="{self.key}"}})') or 0)

    @property
    def key(self) -> str:
        return f"{self.life.kube.namespace}/{NAME}"

    @property
    def configuration(self) -> str | None:
        told: str | None = self.life.status().get("configuration")
        return told

    @property
    def epoch(self) -> int:
        return max(map(epoch_of, self.life.delivered()), default=0)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    metrics, page = free_ports(2)
    with (
        new_namespace() as kube,
        living(kube, tmp_path_factory.mktemp("operators")) as life,
        scraping_by_annotations(life.watch, {"operator": [f"127.0.0.1:{metrics}"]}, [RULES]) as (prometheus, server),
    ):
        kube.create(code(rising=RISING))
        yield Watched(life, prometheus, server, metrics, page)


@pytest.fixture
def running(watched: Watched) -> Watched:
    life = watched.life
    if not any(one.lives for one in life.operators.started):
        watched.lead()
    if not life.is_there:
        life.create(podTemplate=WITH_CODE, sources=sources(), placement=LINUX, faultTolerance=TERMS)
    life.wait(lambda: life.state() == "running" and life.condition("Ready")["status"] == "True", "it runs")
    return watched


@pytest.fixture
def calm(running: Watched) -> Watched:
    """For good."""
    running.life.wait(lambda: running.epoch >= FALLS_AT + SEEN_AFTER, "less is offered again")
    return running


@pytest.fixture
def drifting(calm: Watched) -> Watched:
    """It is declared to be busy for a twentieth of the time, and always is. A promise for the calm is none then."""
    if not calm.hurried:
        calm.lead(hurried=True)
    declare(calm.life, "advise")
    return calm


def test_the_configuration_follows_what_a_prometheus_measures_and_stays_while_that_is_away(running: Watched) -> None:
    life, server = running.life, running.server
    with no_pod_moves(life):
        life.wait(lambda: running.active == 8, "all replicas work")
        life.wait(lambda: running.configuration == "busy", "more is offered")
        life.wait(lambda: running.active == 6, "the second ones of operators are switched off")
        server.kill()
        life.wait(lambda: life.condition("Healthy")["reason"] == "RatesUnknown", "it says that rates are unknown")
        assert "Prometheus: its last answer is " in life.condition("Healthy")["message"]
        life.wait(lambda: running.epoch >= FALLS_AT + SEEN_AFTER, "less is offered again")
        assert running.configuration == "busy"
        server.restart()
        life.wait(lambda: running.configuration == "calm", "rates are known again")
        life.wait(lambda: running.active == 8, "the second ones of operators are switched on")
    is_told(life)


def is_told(life: Trades) -> None:
    """In the control log and by events, in the same words."""
    records = life.records()
    assert [name for name, _ in groupby(one.configuration for one in records)] == ["calm", "busy", "calm"]
    up, down = (found for one in records if (found := WHY.search(one.reason)))
    assert (up["name"], up["switched"]) == ("busy", "off")
    assert int(up["measured"]) > CALM
    assert (down["name"], down["switched"]) == ("calm", "on")
    assert int(down["measured"]) <= CALM
    told = events(life)
    assert up[0] in told
    assert down[0] in told
    assert "RatesUnknown" in told


def events(life: Trades) -> str:
    return life.kube.run("events", "--for", f"ftt/{NAME}")


def test_where_other_rates_come_another_plan_is_advised_and_with_apply_it_is_put_in_force(drifting: Watched) -> None:
    life = drifting.life
    with no_pod_moves(life):
        life.wait(lambda: life.condition("DescriptorHolds").get("reason") == "PlanAdvised", "another plan is advised")
        is_advised(drifting)
        declare(life, "apply")
        life.wait(lambda: "Adapting" in events(life), "another plan is taken up")
        life.wait(lambda: drifting.active > 6, "more replicas work")
        life.wait(lambda: life.state() == "running" and life.condition("GuaranteeMet")["status"] == "True", "what was promised holds")
        assert drifting.configuration == "busy"
        life.goes_on()
    found = life.rows()
    compare(found, undisturbed(max(map(epoch_of, found)), emits=rising))


def rising(epoch: int) -> pa.Table:
    """As RISING has it."""
    found = emitted(epoch, OPTIONS)
    return found if RISES_AT <= epoch < FALLS_AT else found.take(list(range(0, len(found), SHARE)))


def declare(life: Trades, policy: str) -> None:
    """Rates that do not come, and what is to become of that."""
    life.edit({"adaptation": {"policy": policy, "dwell": DWELL}, "sources": [sources()[0] | {"configurations": TOO_LOW}]})


def is_advised(watched: Watched) -> None:
    """Drift is told, and nothing has changed."""
    life, told = watched.life, watched.life.condition("DescriptorHolds")
    assert told["status"] == "False"
    assert re.search(r"rate of market is \d\S* times what is declared", told["message"])
    assert "another plan guarantees " in told["message"]
    assert re.search(r"\d replicas? would become active", told["message"])
    drift = watched.number(f'levee_operator_drift{{topology="{watched.key}", quantity="rate", of="market"}}')
    assert drift is not None
    assert drift > 1.2
    life.wait(lambda: "PlanAdvised" in events(life), "an event tells it, too")
    before = life.records()[-1]
    for _ in range(3):
        life.goes_on()
    assert life.records()[-1] == before
    assert watched.active == 6


def test_every_panel_and_every_rule_has_data_of_what_has_happened(drifting: Watched) -> None:
    """Another edit, too: what has happened once has not grown."""
    prometheus = drifting.prometheus
    declare(drifting.life, "apply")
    empty = {asks: where for where, asks in (*queries(drifting.key), *((f"record {name}", name) for name in rules("record")))}
    assert len(empty) > 80

    def all_told() -> bool:
        """What is no number is no data: a quantile of nothing."""
        for asks in [*empty]:
            if prometheus.query(f"count_over_time((({asks}) >= -Inf){LOOKED_BACK})"):
                del empty[asks]
        return not empty

    with suppress(AssertionError):  # which of them have none says more
        drifting.life.wait(all_told, "all of it has data", within_s=120)
    assert empty == {}
    asked = [one for group in prometheus.told("/api/v1/rules")["groups"] for one in group["rules"]]
    assert [one for one in asked if one["health"] != "ok"] == []


def test_the_page_shows_what_runs(calm: Watched) -> None:
    assert ask(calm.page, "/")[0] == 200
    calm.life.wait(lambda: sum(one["active"] for one in drawn_in(shown_by(calm)).values()) == calm.active, "the page knows who is active")
    shown = shown_by(calm)
    assert (shown["name"], shown["state"], shown["configuration"]) == (calm.key, "running", calm.configuration)
    drawn = drawn_in(shown)
    homes = {replica: pod.node for pod in calm.life.watch.there() for replica in pod.replicas}
    assert {name: one["node"] for name, one in drawn.items()} == homes
    calm.life.wait(lambda: shown_by(calm)["rates"] is not None, "rates are known")
    assert shown_by(calm)["rates"]["market"] == pytest.approx(OFFERED / SHARE, rel=0.5)


def shown_by(watched: Watched) -> dict[str, Any]:
    status, picture = ask(watched.page, f"/picture.json?topology={watched.key}")
    assert status == 200
    shown: dict[str, Any] = picture["shown"]
    return shown


def drawn_in(shown: dict[str, Any]) -> dict[str, Any]:
    """Its replicas."""
    return {one["replica"]: one for box in shown["boxes"] for task in box["tasks"] for one in task["replicas"]}


def test_what_is_measured_can_be_declared(calm: Watched) -> None:
    """A peak that is over, too; and what a row really costs."""
    words = ["profile", NAME, "--for=5s", f"--kubeconfig={calm.life.kube.kubeconfig}", f"--namespace={calm.life.kube.namespace}"]
    done = subprocess.run([PLUGIN, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = yaml.safe_load(done.stdout)
    rates = [one["rate"] for one in found["sources"][0]["configurations"]]
    assert max(rates) > 4 * min(rates)
    [trades] = found["operators"][0]["inputs"]
    assert 0 < trades["selectivity"] < 1
    assert parse_duration(trades["cost"]) > 10 * DECLARED_COST_S
