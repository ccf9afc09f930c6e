"""The generator of random topologies."""

import pytest

from levee.planning.fidelity.model import Model
from levee.planning.fidelity.plan import Metric
from levee.planning.fidelity.problem import fidelity_problem
from levee.planning.generate.topologies import OPERATORS, SETTINGS, Setting, Shape, corpus
from levee.topology.graph import Operator, Partitioning, Source, Topology


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: str(setting.name))
def test_a_topology_is_as_its_setting_says(setting: Setting) -> None:
    for drawn in corpus(5, setting, 30):
        parts: list[Source | Operator] = [*drawn.sources, *drawn.operators]
        low, high = setting.parallelism
        assert len(parts) in OPERATORS
        assert all(low <= part.parallelism <= high for part in parts)
        assert setting.skewed or all(max(part.shares) == min(part.shares) for part in parts)
        assert sum(operator.correlated for operator in drawn.operators) <= round(setting.joins * len(drawn.operators))
        assert partitionings(drawn) <= allowed(setting)


def partitionings(drawn: Topology) -> set[Partitioning]:
    return {stream.partitioning for operator in drawn.operators for stream in operator.inputs}


def allowed(setting: Setting) -> set[Partitioning]:
    match setting.shape:
        case Shape.FULL:
            return {Partitioning.FULL}
        case Shape.STRUCTURED:
            return set(Partitioning) - {Partitioning.FULL}
        case Shape.MIXED:
            return set(Partitioning)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: str(setting.name))
def test_a_topology_with_all_tasks_replicated_loses_nothing(setting: Setting) -> None:
    for drawn in corpus(5, setting, 10):
        problem = fidelity_problem(drawn)
        assert Model(problem, Metric.OF).value(range(len(problem.tasks))) == pytest.approx(1)


def test_every_operator_is_read_or_delivered() -> None:
    for drawn in corpus(6, Setting("any"), 30):
        read = {stream.origin for operator in drawn.operators for stream in operator.inputs}
        names = {source.name for source in drawn.sources} | {operator.name for operator in drawn.operators}
        assert read | {sink.origin for sink in drawn.sinks} == names


def test_a_seed_makes_the_same_topologies_again() -> None:
    assert list(corpus(1, SETTINGS[0], 3)) == list(corpus(1, SETTINGS[0], 3))
    assert list(corpus(1, SETTINGS[0], 3)) != list(corpus(2, SETTINGS[0], 3))
