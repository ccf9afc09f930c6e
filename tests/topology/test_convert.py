"""From a valid document to the frozen topology that the planner works on."""

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee.topology.graph import FailureModel, Late, Node, Partitioning, Strategy, Target
from levee.topology.partitioning import fitting_counts, partitioning
from tests.topology.shop import put, topology_after


@pytest.mark.parametrize(
    ("producers", "consumers", "keyed", "expected"),
    [
        (1, 1, False, Partitioning.ONE_TO_ONE),
        (3, 3, False, Partitioning.ONE_TO_ONE),
        (1, 1, True, Partitioning.ONE_TO_ONE),
        (2, 6, False, Partitioning.SPLIT),
        (1, 4, False, Partitioning.SPLIT),
        (6, 2, False, Partitioning.MERGE),
        (6, 1, False, Partitioning.MERGE),
        (6, 1, True, Partitioning.MERGE),
        (1, 4, True, Partitioning.FULL),
        (3, 3, True, Partitioning.FULL),
        (6, 4, True, Partitioning.FULL),
        (6, 4, False, None),
        (2, 3, False, None),
    ],
)
def test_the_wiring_follows_from_counts_and_keys(producers: int, consumers: int, keyed: bool, expected: Partitioning | None) -> None:
    assert partitioning(producers, consumers, keyed=keyed) is expected


@given(st.lists(st.integers(1, 64), min_size=1, max_size=4), st.integers(1, 64))
def test_every_count_that_is_proposed_fits(producers: list[int], wished: int) -> None:
    counts = fitting_counts(tuple(producers), wished)
    assert 1 in counts or len(counts) == 5
    assert all(partitioning(producer, count, keyed=False) for producer in producers for count in counts)


def test_operators_come_in_topological_order_as_declared_where_that_is_free() -> None:
    def reversed_operators(spec: dict[str, list[object]]) -> None:
        spec["operators"].reverse()

    assert [operator.name for operator in topology_after(reversed_operators).operators] == ["orders", "joined", "totals"]


def test_independent_sources_give_the_product_of_their_rates() -> None:
    topology = topology_after()
    assert [(c.name, c.probability, dict(c.rows_per_s)) for c in topology.configurations] == [
        ("low+c0", 0.8, {"web": 400, "app": 20}),
        ("high+c0", 0.2, {"web": 800, "app": 20}),
    ]


def test_correlated_sources_have_the_configurations_of_the_table() -> None:
    table = [{"name": "day", "probability": 0.8, "rates": {"web": 400, "app": 20}}, {"probability": 0.2, "rates": {"web": 800, "app": 20}}]
    topology = topology_after(put("configurations", table))
    assert [(c.name, c.probability, dict(c.rows_per_s)) for c in topology.configurations] == [
        ("day", 0.8, {"web": 400, "app": 20}),
        ("c1", 0.2, {"web": 800, "app": 20}),
    ]


def test_a_source_without_rates_of_its_own_has_those_of_the_table() -> None:
    table = [{"probability": p, "rates": {"web": web, "app": 20}} for p, web in ((0.5, 800), (0.2, 400), (0.3, 400))]
    topology = topology_after(put("configurations", table), put("sources.0.configurations", []), put("sources.1.configurations", []))
    web, app = topology.sources
    assert [(level.name, level.rows_per_s, level.probability) for level in web.levels] == [("c0", 400, 0.5), ("c1", 800, 0.5)]
    assert [(level.rows_per_s, level.probability) for level in app.levels] == [(20, 1)]


def test_one_source_gives_its_levels_names_to_the_configurations() -> None:
    def alone(spec: dict[str, list[dict[str, list[object]]]]) -> None:
        spec["sources"].pop()
        spec["operators"][1]["inputs"].pop()

    assert [configuration.name for configuration in topology_after(alone).configurations] == ["low", "high"]


def test_shares_are_equal_unless_given() -> None:
    topology = topology_after(put("operators.0.shares", [0.3, 0.7]))
    assert [operator.shares for operator in topology.operators] == [(0.3, 0.7), (0.5, 0.5), (1.0,)]


def test_what_adds_up_within_the_tolerance_adds_up_exactly_afterwards() -> None:
    topology = topology_after(
        put("operators.0.parallelism", 3), put("operators.0.shares", [0.333333, 0.333333, 0.333334]), put("operators.1.parallelism", 3)
    )
    assert sum(topology.operators[0].shares) == pytest.approx(1, abs=1e-15)


def test_nodes_take_capacity_and_zone_from_their_surroundings() -> None:
    nodes = [{"name": "node-1"}, {"name": "node-2", "zone": "east", "capacity": "500m"}]
    topology = topology_after(put("placement", {"capacity": 3, "nodes": nodes, "assignment": {"orders/1": ["node-2", "node-1"]}}))
    assert [(node.name, node.zone, node.capacity_cores) for node in topology.nodes] == [("node-1", "node-1", 3), ("node-2", "east", 0.5)]
    assert topology.capacity_cores == 3
    assert dict(topology.pinned) == {"orders/1": ("node-2", "node-1")}
    assert all(isinstance(node, Node) for node in topology.nodes)


def test_what_is_wanted_is_carried_over() -> None:
    wanted = {"strategy": "greedy", "replicas": 3, "failures": "zone", "window": "30m", "target": {"completeness": 0.7, "penalty": "20h"}}
    topology = topology_after(put("faultTolerance", wanted), put("operators.1.late", "tentative"))
    assert topology.wanted.strategy is Strategy.GREEDY
    assert topology.wanted.target == Target(completeness=0.7, penalty=72_000)
    assert (topology.wanted.replicas, topology.wanted.failures, topology.wanted.window_s) == (3, FailureModel.ZONE, 1800)
    assert [operator.late for operator in topology.operators] == [Late.WAIT, Late.TENTATIVE, Late.WAIT]
    assert [operator.correlated for operator in topology.operators] == [False, True, False]


def test_the_topology_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        topology_after().name = "other"  # type: ignore[misc]


def test_a_plan_reaches_more_than_is_promised_where_a_reserve_is_set_aside() -> None:
    assert Target(completeness=0.7).planned == 0.7
    assert Target(completeness=0.7, reserve=0.3).planned == 1.0
    assert Target(fidelity=0.7).planned is None
