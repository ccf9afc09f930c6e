"""What the operator tells Prometheus of itself, and that the page of metrics tells all of it."""

import asyncio
import copy
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from levee.control.account import Statement, Sums
from levee.lifecycle.names import EventName, StateName
from levee.lifecycle.runner import Timing
from levee.planning.measured.drift import Drift, Quantity
from levee.planning.measured.interval import Estimate
from levee.serve.checked import fields_in, line_of
from levee.serve.figures import Figures, Tally
from levee.serve.life import Life
from levee.serve.metrics import Metrics
from levee.serve.promises import Promise
from levee.serve.recorded import stamp
from levee.serve.standing import Standing
from levee.topology.names import OperatorName
from levee.worlds.kubernetes.api import Conflict, Unreachable
from levee.worlds.kubernetes.names import Owner
from levee.worlds.local.book import StoreSilent
from levee.worlds.plans import Worth
from tests.serve.plant import PATH, Operator, Plant, operator, topology

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
FIGURES = Figures(
    (1, 2),
    3,
    Promise(0.9, 0.7),
    Worth(0.9, 100.0, 0.1, "completeness", ""),
    200.0,
    record=4,
    configuration="low",
    declared={"low": {"market": 10.0}},
    measured={"market": 9.0},
    account=Statement(3600, Sums(100, 98, 1, 1, 150, 200, 90, 100, 0, 50), overdue=2),
    drifts=(Drift(Quantity.COST, OperatorName("count"), Estimate(1.5, 1.4, 1.6)),),
)
SUFFIX = re.compile(r"_(bucket|count|sum|created)$")


def samples(metrics: Metrics) -> dict[str, list[tuple[Mapping[str, str], float]]]:
    found: dict[str, list[tuple[Mapping[str, str], float]]] = {}
    for family in text_string_to_metric_families(generate_latest(metrics.registry).decode()):
        for one in family.samples:
            found.setdefault(one.name, []).append((one.labels, one.value))
    return found


def dict_of(found: list[tuple[Mapping[str, str], float]]) -> dict[tuple[str, ...], float]:
    """By the values of its labels, the topology first."""
    return {
        (labels.get("topology", ""), *(value for key, value in sorted(labels.items()) if key != "topology")): told for labels, told in found
    }


def value(metrics: Metrics, name: str, **labels: str) -> float:
    return sum(told for known, told in samples(metrics)[name] if labels.items() <= known.items())


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    made = Plant()
    made.apply(topology(tmp_path / "store"))
    return made


def ran(plant: Plant) -> Operator:
    made = operator(plant)
    made.run("running")
    return made


def life(made: Operator) -> Life:
    assert made.life is not None
    return made.life


def test_a_topology_that_came_to_run_tells_how_long_each_state_and_each_step_took(plant: Plant) -> None:
    metrics = ran(plant).shop.metrics
    for state in ("submitted", "parsing", "mapping", "optimizing", "instantiating", "dispatching"):
        assert value(metrics, "levee_operator_state_seconds_count", state=state) == 1, state
    assert "running" not in {labels["state"] for labels, _ in samples(metrics)["levee_operator_state_seconds_count"]}
    assert value(metrics, "levee_operator_transition_seconds_count", origin="optimizing", event="planned") == 1
    steps = value(metrics, "levee_operator_transition_seconds_count")
    assert steps == value(metrics, "levee_operator_transitions_total") > 5


def test_a_state_that_is_not_left_lasts_on() -> None:
    metrics = Metrics()
    running, failed = StateName("running"), StateName("failed")
    metrics.timed(Timing(running, EventName("lost"), running, stayed_ms=60_000, took_ms=20))
    metrics.timed(Timing(running, EventName("error"), failed, stayed_ms=90_000, took_ms=30))
    assert value(metrics, "levee_operator_state_seconds_sum", state="running") == 90
    assert value(metrics, "levee_operator_transition_seconds_sum", origin="running") == pytest.approx(0.05)


@pytest.mark.parametrize("lost", [Unreachable("nobody there"), Conflict("another was faster")])
def test_a_turn_that_ends_without_an_answer_is_counted(plant: Plant, monkeypatch: pytest.MonkeyPatch, lost: Exception) -> None:
    made = ran(plant)

    async def take(_: Life) -> float:
        raise lost

    monkeypatch.setattr(Life, "take", take)
    made.go_on(3)
    assert value(made.shop.metrics, "levee_operator_turn_errors_total", why=type(lost).__name__) == 3


def test_who_rests_passes_nothing_and_who_stays_on_the_way_is_seen(plant: Plant) -> None:
    made = ran(plant)
    assert life(made).standing().passing_s == 0
    resource = copy.deepcopy(plant.things[PATH])
    resource["status"] |= {"state": "dispatching", "since": stamp(made.shop.wall_ms() - 600_000)}  # type: ignore[arg-type]
    resource["status"]["lifecycle"]["record"] = line_of(fields_in(resource["status"]))  # as another operator has written it
    standby = Life(made.shop, Owner("shop", "clicks", resource["metadata"]["uid"]), resource)
    assert standby.standing().state == "dispatching"
    assert standby.standing().passing_s == pytest.approx(600, abs=5)


def test_a_topology_that_another_operator_leads_is_counted_where_it_is_now(plant: Plant) -> None:
    """Who stands by has seen nothing of it itself."""
    made = operator(plant)
    made.shop.leads = lambda: False
    asyncio.run(made.turn())
    after = copy.deepcopy(plant.things[PATH])
    after["status"] = {"state": "running", "since": stamp(made.shop.wall_ms())}  # type: ignore[arg-type]
    life(made).renew(after)
    assert life(made).standing().state == "running"


def test_the_oldest_of_those_on_the_way_is_told_and_none_is_zero() -> None:
    standings: list[Standing] = []
    metrics = watched(standings)
    assert value(metrics, "levee_operator_oldest_passing_seconds") == 0
    standings += [Standing("a", "mapping", None, passing_s=3), Standing("b", "cleanup", None, passing_s=70), Standing("c", "running", None)]
    assert value(metrics, "levee_operator_oldest_passing_seconds") == 70


def test_topologies_are_counted_by_state_and_a_state_without_any_counts_none() -> None:
    metrics = watched([Standing("a", "running", 0.1, settled=True), Standing("b", "running", None)])
    told = {labels["state"]: count for labels, count in samples(metrics)["levee_operator_topologies"]}
    assert told == {"running": 2, "failed": 0}
    assert value(metrics, "levee_operator_topologies_settled") == 1
    assert samples(metrics)["levee_operator_plan_gap"] == [({"topology": "a"}, 0.1)]
    assert value(metrics, "levee_operator_leads") == 1


def test_what_rules_and_dashboards_ask_for_is_zero_before_it_first_happens() -> None:
    """Prometheus sees no growth in a counter that begins with 1."""
    metrics = Metrics()
    metrics.watch(lambda: [Standing("shop/clicks", "running", None, tally=Tally())], lambda: True, ["submitted", "running"])
    found = samples(metrics)
    by_reason = {labels["reason"]: value for labels, value in found["levee_operator_decisions_total"]}
    rules = (PAGE.parents[1] / "helm" / "levee" / "files" / "rules" / "levee.yaml").read_text(encoding="utf-8")
    assert by_reason == dict.fromkeys(re.findall(r'reason="(\w+)"', rules), 0)
    mistakes = {labels["why"]: value for labels, value in found["levee_operator_turn_errors_total"]}
    assert mistakes == {"Conflict": 0, "Denied": 0, "Foreign": 0, "Unreachable": 0}
    assert {labels["state"]: value for labels, value in found["levee_operator_state_seconds_count"]} == {"submitted": 0, "running": 0}


def test_a_topology_that_runs_tells_what_was_promised_planned_and_decided_for_it(plant: Plant) -> None:
    made = ran(plant)
    made.go_on(3)
    metrics = watched([life(made).standing()])
    told = {name: dict_of(found) for name, found in samples(metrics).items()}
    clicks = ("shop/clicks",)
    assert told["levee_operator_guarantee_wanted"][clicks] == 0.9
    assert told["levee_operator_guarantee_met"][clicks] == (told["levee_operator_guarantee"][clicks] >= 0.9)
    assert told["levee_operator_replicas_desired"][clicks] == told["levee_operator_replicas_active"][clicks] > 0
    assert 0 < told["levee_operator_plan_cost_seconds"][clicks] <= told["levee_operator_static_cost_seconds"][clicks]
    assert told["levee_operator_control_record"][clicks] >= 1
    assert told["levee_operator_store_silent"][clicks] == 0
    assert told["levee_operator_decisions_total"]["shop/clicks", "AllReady"] == 1
    assert told["levee_operator_control_records_wanted_total"][clicks] >= 1
    ((configuration,),) = ({key[1] for key in told["levee_operator_configuration_in_force"]},)
    assert told["levee_operator_configuration_rate"]["shop/clicks", configuration, "market"] == 10


def test_a_store_that_does_not_answer_is_told_and_the_guarantee_is_what_it_was(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ran(plant)
    made.go_on(3)

    def away(_: object) -> None:
        raise StoreSilent("away")

    world = life(made).ground.world
    assert world is not None
    monkeypatch.setattr(type(world.book), "newest", away)
    made.go_on(2)
    found = samples(watched([life(made).standing()]))
    assert dict_of(found["levee_operator_store_silent"]) == {("shop/clicks",): 1}
    assert dict_of(found["levee_operator_guarantee_met"]) == {("shop/clicks",): 1}


def test_a_rate_that_was_not_measured_is_absent_and_one_above_every_configuration_is_told() -> None:
    declared = {"low": {"market": 10.0}, "high": {"market": 20.0}}
    unknown = Figures((1, 1), 0, declared=declared, configuration="low")
    within, above = replace(unknown, measured={"market": 21.0}), replace(unknown, measured={"market": 23.0})
    found = samples(watched([Standing(name, "running", None, figures=one) for name, one in (("a", unknown), ("b", within), ("c", above))]))
    assert dict_of(found["levee_operator_input_above_contract"]) == {("b",): 0, ("c",): 1}
    assert dict_of(found["levee_operator_source_rate"]) == {("b", "market"): 21, ("c", "market"): 23}


def test_who_stands_by_tells_nothing_of_a_topology_that_another_operator_leads(plant: Plant) -> None:
    made = ran(plant)
    made.go_on(3)
    made.shop.leads = lambda: False
    asyncio.run(made.turn())
    found = samples(watched([life(made).standing()]))
    assert "levee_operator_guarantee_met" not in found
    assert "levee_operator_decisions_total" not in found


def test_the_page_lists_all_metrics_of_the_operator_and_no_others() -> None:
    listed = set(re.findall(r"^\| `(levee_operator_\w+)` \|", PAGE.read_text(), re.MULTILINE))
    assert listed == {SUFFIX.sub("", name) for name in samples(everything()) if not name.endswith("_created")}


def test_alerts_are_made_of_metrics_that_there_are() -> None:
    page = PAGE.read_text().rpartition("## Worth an alert")[2]
    asked = set(re.findall(r"levee_operator_\w+", page))
    assert asked
    assert asked <= samples(everything()).keys()


def everything() -> Metrics:
    """With a sample of each: what has labels is told of from the first time on."""
    metrics = watched([Standing("a", "running", 0.1, figures=FIGURES, tally=Tally(Counter(["Opening"]), 1))])
    for family in vars(metrics).values():
        names: Any = getattr(family, "_labelnames", ())
        if names:
            family.labels(*names)
    return metrics


def watched(standings: list[Standing]) -> Metrics:
    metrics = Metrics()
    metrics.watch(lambda: standings, lambda: True, ["running", "failed"])
    return metrics
