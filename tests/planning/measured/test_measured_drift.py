"""How far what is measured is from what was declared, and what a resource would be that declares it."""

import json
from typing import Any

import pytest

from levee.planning.measured.counts import Spent
from levee.planning.measured.drift import Drift, Lately, Quantity, Stretch, lately
from levee.planning.measured.interval import Estimate
from levee.plans.adapting import adaptations, pins
from levee.plans.measured import changed
from levee.topology.graph import Topology
from levee.topology.load import load
from levee.topology.names import NodeName, OperatorName, TaskId
from levee.topology.spec import Resource
from tests.topology.shop import CLICKS, Change, put
from tests.topology.shop import changed as changed_tree

WEB, APP, ORDERS, JOINED = map(OperatorName, ("web", "app", "orders", "joined"))
AS_DECLARED = {WEB: 480.0, APP: 20.0}


def loaded(tree: dict[str, Any]) -> tuple[Topology, Resource]:
    [one] = load(json.dumps(tree), origin="clicks")
    assert one.topology is not None and one.resource is not None, one.complaints
    return one.topology, one.resource


def stretches(
    count: int = 30, *, cost_us: float = 12, selectivity: float = 1, rates: dict[OperatorName, float] | None = None
) -> list[Stretch]:
    rows = [1000.0 + 10 * (number % 5) for number in range(count)]
    spent = [Spent(cost_us * 1e-6 * one, {WEB: one}, selectivity * one) for one in rows]
    return [Stretch({ORDERS: one}, AS_DECLARED if rates is None else rates) for one in spent]


def found(parts: list[Stretch], *changes: Change) -> tuple[Lately, Resource]:
    topology, resource = loaded(changed_tree(*changes))
    return lately(topology, parts), resource


def far(parts: list[Stretch]) -> dict[tuple[str, str], float]:
    return {(one.what.value, one.name): round(one.ratio.value, 2) for one in found(parts)[0].far}


def test_what_is_as_declared_has_not_drifted() -> None:
    assert far(stretches()) == {}


def test_what_is_another_is_told_with_how_many_times_it_is_what_was_declared() -> None:
    assert far(stretches(cost_us=120)) == {("cost", "orders"): 10}
    assert far(stretches(selectivity=0.5)) == {("selectivity", "orders"): 0.5}
    assert far(stretches(rates={WEB: 960.0, APP: 20.0})) == {("rate", "web"): 2}


def test_what_is_not_known_for_sure_does_not_count() -> None:
    assert not Drift(Quantity.COST, ORDERS, Estimate(3.0)).is_far
    assert not Drift(Quantity.COST, ORDERS, Estimate(3.0, 1.1, 4.9)).is_far
    assert Drift(Quantity.COST, ORDERS, Estimate(0.5, 0.4, 0.6)).is_far


def test_without_all_rates_a_stretch_says_nothing_of_them() -> None:
    assert found([Stretch({}, None)] * 20)[0].drifts == ()


def keyed(first: float, count: int = 30) -> list[Stretch]:
    """Of joined's rows the first of two tasks reads so many of a hundred; a second replica of it reads the same."""
    tasks = {TaskId("joined/0"): first, TaskId("joined/1"): 100 - first}
    return [Stretch({JOINED: Spent(1e-3, {ORDERS: 50.0, APP: 50.0}, 100.0, tasks)}, AS_DECLARED) for _ in range(count)]


BY_KEYS = put("operators.1.inputs.0.partitionBy", ["user"])


def test_a_task_that_has_more_rows_than_its_share_is_told() -> None:
    measured, _ = found(keyed(90), BY_KEYS)
    assert [one.text for one in measured.far if one.what is Quantity.SHARE] == [
        "the busiest task's share of joined is 1.8 times what is declared"
    ]
    assert not [one for one in found(keyed(55), BY_KEYS)[0].far if one.what is Quantity.SHARE]


def test_how_rows_are_spread_that_come_one_to_one_follows_from_their_inputs() -> None:
    assert found(keyed(90))[0].shares == {}


# ---- the resource that would declare it


def adapted(parts: list[Stretch], *changes: Change) -> dict[str, Any]:
    measured, resource = found(parts, *changes)
    spec: dict[str, Any] = changed(changed_tree(*changes), adaptations(resource.spec, measured))["spec"]
    loaded({**CLICKS, "spec": spec})  # a topology it is
    return spec


def test_only_what_has_drifted_is_another() -> None:
    spec = adapted(stretches(cost_us=120))
    assert spec["operators"][0]["inputs"] == [{"from": "web", "cost": "120us"}]
    assert spec["sources"] == CLICKS["spec"]["sources"] and spec["operators"][1:] == CLICKS["spec"]["operators"][1:]


def test_declared_rates_stay_with_how_often_they_held() -> None:
    spec = adapted(stretches(20, rates={WEB: 790.0, APP: 20.0}))
    low, high = spec["sources"][0]["configurations"]
    assert (low["name"], low["rate"], high["name"], high["rate"]) == ("low", 400, "high", 800)
    assert (low["probability"], high["probability"]) == (0.4, 0.6)  # as declared and as measured count alike


def test_measured_shares_are_what_a_plan_over_tasks_is_made_from() -> None:
    assert adapted(keyed(90), BY_KEYS)["operators"][1]["shares"] == [0.9, 0.1]


def test_what_lies_above_all_declared_rates_is_added() -> None:
    levels = adapted(stretches(60, rates={WEB: 1650.0, APP: 20.0}))["sources"][0]["configurations"]
    assert [one["name"] for one in levels] == ["low", "high", "above"]
    assert levels[2] == {"name": "above", "rate": 1500, "probability": 0.75}


def test_what_is_added_covers_what_it_is_added_for() -> None:
    levels = adapted(stretches(60, rates={WEB: 1300.0, APP: 20.0}))["sources"][0]["configurations"]
    assert levels[2]["rate"] == 1190  # 1182 with the slack: 1180 would leave it above, and be added again


def test_a_joint_table_is_adapted_as_one() -> None:
    table = [
        {"probability": 0.8, "rates": {"web": 400, "app": 20}},
        {"probability": 0.2, "rates": {"web": 800, "app": 40}},
    ]
    parts = stretches(20, rates={WEB: 800.0, APP: 30.0})
    spec = adapted(parts, put("configurations", table), put("sources.0.configurations", []), put("sources.1.configurations", []))
    assert [(one["name"], one["probability"]) for one in spec["configurations"]] == [("c0", 0.4), ("c1", 0.6)]


def test_tasks_whose_nodes_are_all_there_stay_where_they_are() -> None:
    a, b, gone = map(NodeName, ("a", "b", "gone"))
    change = pins({"joined": ["b", "a"]}, {TaskId("orders/0"): (a, b), TaskId("orders/1"): (a, gone)}, [a, b])
    assert changed(CLICKS, [change])["spec"]["placement"] == {"assignment": {"joined": ["b", "a"], "orders/0": ["a", "b"]}}
    assert "placement" not in CLICKS["spec"]


@pytest.mark.parametrize("policy", ["off", "advise", "apply", False])
def test_the_policy_may_be_off_without_quotes(policy: object) -> None:
    _, resource = loaded(changed_tree(put("adaptation", {"policy": policy})))
    assert resource.spec.adaptation.policy == (policy or "off")
