"""Output fidelity, completeness and MC-trees, by the papers' own examples and by the definitions."""

from dataclasses import replace
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee.planning.fidelity.definition import objective
from levee.planning.fidelity.mctrees import first_trees, mc_trees
from levee.planning.fidelity.model import Model
from levee.planning.fidelity.plan import Metric, named
from levee.planning.fidelity.problem import FidelityProblem, fidelity_problem
from levee.planning.generate.topologies import Setting, topology
from levee.topology.graph import (
    Configuration,
    FailureModel,
    FaultTolerance,
    Input,
    Late,
    Operator,
    Partitioning,
    RateLevel,
    Sink,
    Source,
    Strategy,
    Target,
    Topology,
)
from levee.topology.names import ConfigurationName, OperatorName
from tests.planning.fidelity.random_problems import problem


def source(name: str, *rows_per_s: float, late: Late = Late.TENTATIVE) -> Source:
    total = sum(rows_per_s)
    shares = tuple(rows / total for rows in rows_per_s)
    return Source(OperatorName(name), (RateLevel("c0", total, 1.0),), len(shares), shares, late)


def operator(
    name: str, parallelism: int, *inputs: tuple[str, Partitioning], correlated: bool = False, late: Late = Late.TENTATIVE
) -> Operator:
    read = tuple(Input(OperatorName(origin), partitioning, 1.0, 1e-6) for origin, partitioning in inputs)
    return Operator(OperatorName(name), read, parallelism, (1 / parallelism,) * parallelism, correlated, late)


def problem_of(sources: list[Source], operators: list[Operator], *sinks: str) -> FidelityProblem:
    rates = {one.name: one.levels[0].rows_per_s for one in sources}
    return fidelity_problem(
        Topology(
            name="t",
            namespace="default",
            sources=tuple(sources),
            operators=tuple(operators),
            sinks=tuple(Sink(OperatorName(f"sink-{name}"), OperatorName(name)) for name in sinks),
            configurations=(Configuration(ConfigurationName("c0"), 1.0, rates),),
            wanted=FaultTolerance(Strategy.FIDELITY, 2, Target(budget=0), FailureModel.PESSIMISTIC, 3600.0),
            nodes=(),
            capacity_cores=2.0,
            pinned={},
        )
    )


def two_inputs(*, correlated: bool, late: Late = Late.TENTATIVE) -> FidelityProblem:
    """Figure 2 of Su and Zhou in rates that give its numbers: 2 + 1 rows of the first stream, 3 + 2 of the second."""
    sources = [source("o1", 2.0, 1.0, late=late), source("o2", 3.0, 2.0, late=late)]
    return problem_of(sources, [operator("o3", 1, ("o1", Partitioning.MERGE), ("o2", Partitioning.MERGE), correlated=correlated)], "o3")


def all_but(given_problem: FidelityProblem, *failed: str) -> list[int]:
    return [number for number, task in enumerate(given_problem.tasks) if task.id not in failed]


def test_a_join_loses_what_either_of_its_inputs_lost() -> None:
    joined = two_inputs(correlated=True)
    assert Model(joined, Metric.OF).value(all_but(joined, "o2/1")) == pytest.approx(1 - 2 / 5)


def test_a_union_loses_by_the_rates_of_its_inputs() -> None:
    united = two_inputs(correlated=False)
    assert Model(united, Metric.OF).value(all_but(united, "o2/1")) == pytest.approx(1 - 1 / 4)


def test_a_join_is_as_complete_as_a_union() -> None:
    joined = two_inputs(correlated=True)
    assert Model(joined, Metric.IC).value(all_but(joined, "o2/1")) == pytest.approx(1 - 1 / 4)


def test_below_a_failed_source_that_waits_nothing_is_in_time() -> None:
    waiting = two_inputs(correlated=False, late=Late.WAIT)
    assert Model(waiting, Metric.OF).value(all_but(waiting, "o2/1")) == 0
    assert Model(waiting, Metric.OF).value(all_but(waiting)) == pytest.approx(1)


def test_sinks_count_by_their_rates() -> None:
    sources = [source("small", 1.0), source("large", 3.0)]
    operators = [operator("a", 1, ("small", Partitioning.ONE_TO_ONE)), operator("b", 1, ("large", Partitioning.ONE_TO_ONE))]
    both = problem_of(sources, operators, "a", "b")
    assert Model(both, Metric.OF).value(all_but(both, "small/0")) == pytest.approx(3 / 4)


def test_a_split_divides_a_stream_by_the_shares_of_its_readers() -> None:
    sources = [source("s", 4.0, 6.0)]
    skewed = replace(operator("a", 4, ("s", Partitioning.SPLIT)), shares=(0.1, 0.3, 0.2, 0.4))
    split = problem_of(sources, [skewed], "a")
    assert [task.rows_per_s for task in split.tasks[2:]] == pytest.approx([1.0, 3.0, 2.0, 4.0])
    assert [list(split.producers(number)) for number in range(2, 6)] == [[0], [0], [1], [1]]


def figure_1(*, correlated: bool) -> FidelityProblem:
    sources = [source("o1", 1.0, 1.0), source("o2", 1.0, 1.0, 1.0, 1.0)]
    o3 = operator("o3", 4, ("o1", Partitioning.SPLIT), ("o2", Partitioning.ONE_TO_ONE), correlated=correlated)
    return problem_of(sources, [o3, operator("o4", 2, ("o3", Partitioning.FULL))], "o4")


def test_the_topology_of_figure_1_has_16_trees_and_8_if_it_joins() -> None:
    assert len(list(mc_trees(figure_1(correlated=False)))) == 16
    assert len(list(mc_trees(figure_1(correlated=True)))) == 8


def test_a_tree_of_a_join_holds_a_task_of_every_input() -> None:
    names = {frozenset(figure_1(correlated=True).tasks[task].id for task in tree) for tree in mc_trees(figure_1(correlated=True))}
    assert frozenset({"o1/0", "o2/0", "o3/0", "o4/0"}) in names


def test_trees_come_one_by_one() -> None:
    endless = fidelity_problem(topology(Random(7), Setting("wide", parallelism=(20, 20))))
    assert len(list(islice(mc_trees(endless), 5))) == 5
    found, complete = first_trees(endless, 10)
    assert len(found) == 10
    assert not complete


@given(st.integers(0, 10_000), st.sampled_from(Metric), st.data())
def test_the_fast_evaluator_agrees_with_the_definitions(seed: int, metric: Metric, data: st.DataObject) -> None:
    some = problem(seed, waiting=0.3)
    plan = data.draw(st.frozensets(st.integers(0, len(some.tasks) - 1)))
    assert Model(some, metric).value(plan) == pytest.approx(objective(some, named(some, plan), metric), abs=1e-12)


@given(st.integers(0, 10_000), st.data())
def test_a_plan_with_one_replica_more_is_never_worse(seed: int, data: st.DataObject) -> None:
    some = problem(seed, waiting=0.3)
    plan = data.draw(st.frozensets(st.integers(0, len(some.tasks) - 1)))
    values = Model(some, Metric.OF).values_of([plan, *(plan | {task} for task in range(len(some.tasks)))])
    assert values.min() >= values[0] - 1e-12


@given(st.integers(0, 10_000), st.data())
def test_a_plan_has_fidelity_exactly_if_it_holds_a_tree(seed: int, data: st.DataObject) -> None:
    some = problem(seed)
    plan = data.draw(st.frozensets(st.integers(0, len(some.tasks) - 1)))
    holds_a_tree = any(tree <= plan for tree in mc_trees(some))
    assert (Model(some, Metric.OF).value(plan) > 0) == holds_a_tree
