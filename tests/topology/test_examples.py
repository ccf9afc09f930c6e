"""The examples say what their headers claim."""

from pathlib import Path

import pytest

from levee.topology.graph import Late, Partitioning, Strategy, Topology
from levee.topology.load import load_bytes
from tests.topology.shop import EXAMPLES


def example(name: str) -> Topology:
    (one,) = load_bytes((EXAMPLES / f"{name}.yaml").read_bytes(), origin=name)
    assert one.topology is not None, one.complaints
    return one.topology


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_is_valid_and_bears_its_file_s_name(path: Path) -> None:
    assert example(path.stem).name == path.stem


def test_the_pipeline_is_that_of_the_paper() -> None:
    pipeline = example("pipeline")
    assert [(level.name, level.rows_per_s, level.probability) for level in pipeline.sources[0].levels] == [
        ("low", 4, 0.8),
        ("high", 8, 0.2),
    ]
    assert [(edge.selectivity, edge.cost_s) for operator in pipeline.operators for edge in operator.inputs] == [(1, 0.1), (1, 0.1)]
    assert [(node.name, node.capacity_cores) for node in pipeline.nodes] == [("node-1", 1), ("node-2", 1)]
    assert dict(pipeline.pinned) == {"pe1": ("node-1", "node-2"), "pe2": ("node-1", "node-2")}
    assert pipeline.wanted.target.completeness == 0.6


def test_bargain_discovery_has_the_rates_and_the_mix_of_the_paper() -> None:
    bargains = example("bargain-discovery")
    rates = [(level.rows_per_s, level.probability) for level in bargains.sources[0].levels]
    assert sum(rate * probability for rate, probability in rates) == pytest.approx(500, abs=0.5)
    assert max(rate for rate, _ in rates) == 2200
    selectivities = {str(operator.name): operator.inputs[0].selectivity for operator in bargains.operators}
    assert (selectivities["trade-filter"], selectivities["quote-filter"]) == (0.2, 0.8)
    assert [operator.name for operator in bargains.operators if operator.correlated] == ["bargain-index"]


def test_top_100_merges_eight_tasks_into_one() -> None:
    top = example("top-100")
    assert [operator.parallelism for operator in top.operators] == [8, 4, 1]
    assert [operator.inputs[0].partitioning for operator in top.operators] == [
        Partitioning.ONE_TO_ONE,
        Partitioning.MERGE,
        Partitioning.MERGE,
    ]
    assert top.sources[0].levels[0].rows_per_s == pytest.approx(73_291_868 / 86_400 * 48, abs=1)
    assert (top.wanted.strategy, top.wanted.target.budget) == (Strategy.FIDELITY, 11)


def test_traffic_incidents_joins_two_streams_in_time() -> None:
    traffic = example("traffic-incidents")
    (join,) = (operator for operator in traffic.operators if operator.correlated)
    assert [edge.origin for edge in join.inputs] == ["speeds", "incidents"]
    assert {source.late for source in traffic.sources} | {operator.late for operator in traffic.operators} == {Late.TENTATIVE}
