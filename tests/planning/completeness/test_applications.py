"""Random applications keep what section 5.2 of the LAAR paper says about them."""

from random import Random

import pytest

from levee.planning.completeness.model import Model, node_loads
from levee.planning.generate.applications import (
    HOSTS,
    PES_PER_HOST,
    Application,
    application,
    corpus,
    generate,
)
from levee.planning.problem import Active, Problem
from levee.topology.graph import Late

SOME = tuple(corpus(7, 60))


def everything(problem: Problem) -> Active:
    full = frozenset(range(problem.replicas))
    return ((full,) * len(problem.tasks),) * len(problem.configurations)


def fullest(problem: Problem) -> tuple[float, float]:
    low, high = node_loads(Model(problem), everything(problem), problem.placement).max(axis=1)
    return float(low), float(high)


@pytest.mark.parametrize("case", SOME, ids=lambda case: f"{case.hosts}x{case.pes_per_host}")
def test_everything_active_fits_in_low_and_overloads_a_host_in_high(
    case: Application,
) -> None:
    low, high = fullest(case.problem)
    assert low < 1.0 <= high


def test_an_application_depends_on_its_seed_and_index_alone() -> None:
    assert generate(7, 41) == SOME[41]
    assert generate(8, 41).problem != SOME[41].problem


def test_the_corpus_sweeps_all_numbers_of_hosts_and_elements() -> None:
    shapes = {(case.hosts, case.pes_per_host) for case in corpus(0, 132)}
    assert shapes == {(hosts, pes) for hosts in HOSTS for pes in PES_PER_HOST}


def test_graphs_have_the_paper_s_degree_and_every_task_is_fed_by_an_earlier_one() -> None:
    for case in SOME:
        problem = case.problem
        known = {source.id for source in problem.sources}
        for task in problem.tasks:
            assert task.inputs
            assert {edge.producer for edge in task.inputs} <= known
            assert all(0.5 <= edge.selectivity <= 1.5 for edge in task.inputs)
            known.add(task.id)
        count = len(problem.tasks)
        degree = sum(len(task.inputs) for task in problem.tasks) / count
        assert min(1.5, (count + 1) / 2) - 0.5 / count <= degree <= 3.0 + 0.5 / count  # A small graph has no room for more edges.


def test_replicas_stand_apart_in_equal_numbers() -> None:
    for case in SOME:
        places = list(case.problem.placement.values())
        assert case.hosts == 1 or all(len(set(nodes)) == 2 for nodes in places)
        counts = [sum(nodes.count(node.name) for nodes in places) for node in case.problem.nodes]
        assert max(counts) <= case.pes_per_host
        assert sum(counts) == case.hosts * case.pes_per_host // 2 * 2


def test_a_dense_application_has_its_elements_counted_before_replication() -> None:
    case = generate(7, 41, dense=True)
    assert len(case.problem.tasks) == case.hosts * case.pes_per_host


def test_placement_is_even_in_load() -> None:
    big = application(Random(3), hosts=4, tasks=48)
    loads = node_loads(Model(big), everything(big), big.placement)[0]
    assert loads.max() < 1.25 * loads.min()


def test_more_replicas_and_another_policy_can_be_had() -> None:
    problem = application(Random(5), hosts=4, tasks=12, replicas=3, late=Late.WAIT)
    assert all(len(set(nodes)) == 3 for nodes in problem.placement.values())
    assert all(task.late is Late.WAIT for task in problem.tasks)
    assert fullest(problem)[1] >= 1.0
