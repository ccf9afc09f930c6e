"""Which faults a plan promises to survive, and what it promises under each: held against the planner's own definitions."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levee.control.making import Planned
from levee.control.names import ReplicaName, replica_name
from levee.control.wanted import Placed
from levee.planning.completeness.baselines import static
from levee.planning.completeness.definition import Definition
from levee.planning.expand import expand
from levee.planning.fidelity import definition
from levee.planning.fidelity.plan import ActivePlan, Metric
from levee.planning.fidelity.problem import problem_in
from levee.planning.problem import Problem
from levee.topology.graph import FailureModel, Late, Node, Topology
from levee.topology.load import load_bytes
from levee.topology.names import ConfigurationName, NodeName, TaskId, ZoneName
from levee_chaos.verifying.grouping import condemned, mixed, split
from levee_chaos.verifying.promises import Promise, Promised, promised
from levee_chaos.verifying.trials import Kind, Trial, trials

EXAMPLES = Path(__file__).parents[2] / "examples"


@cache
def example(name: str) -> Topology:
    [loaded] = load_bytes((EXAMPLES / f"{name}.yaml").read_bytes(), origin=name)
    assert loaded.topology is not None
    return loaded.topology


@st.composite
def plans(draw: st.DrawFn, models: tuple[FailureModel, ...] = tuple(FailureModel), name: str = "bargain-discovery") -> Promised:
    """Any activation of an example, its replicas anywhere, with any policies for what is late."""
    topology = example(name)
    topology = replace(topology, operators=tuple(replace(one, late=draw(st.sampled_from(Late))) for one in topology.operators))
    replicas = draw(st.integers(2, 3))
    topology = replace(topology, wanted=replace(topology.wanted, replicas=replicas))
    nodes = tuple(Node(NodeName(f"n{number}"), ZoneName(f"z{number % 2}"), 9.0) for number in range(draw(st.integers(1, 4))))
    tasks = [one.id for one in expand(topology, nodes).tasks]
    placement = {task: tuple(draw(st.sampled_from(nodes)).name for _ in range(replicas)) for task in tasks}
    some = st.frozensets(st.integers(0, replicas - 1), min_size=1)
    active = {one.name: frozenset(replica_name(task, number) for task in tasks for number in draw(some)) for one in topology.configurations}
    return of(topology, nodes, Planned(placement, active, {}, {}), draw(st.sampled_from(models)))


def of(
    topology: Topology, nodes: tuple[Node, ...], planned: Planned, model: FailureModel, replicated: frozenset[TaskId] | None = None
) -> Promised:
    homes = {replica_name(task, number): node for task, on in planned.placement.items() for number, node in enumerate(on)}
    for source in expand(topology, nodes).sources:  # an ingestor on every node: no failure takes them all
        homes |= {replica_name(source.id, number): node.name for number, node in enumerate(nodes)} | {
            replica_name(source.id, len(nodes)): NodeName("elsewhere")
        }
    return promised(topology, nodes, planned, homes, model, replicated)


def alone(found: Promised) -> tuple[Placed, ...]:
    """A worker for each replica."""
    return tuple(Placed(f"w-{replica}", node, (replica,)) for replica, node in found.replicas.items())  # type: ignore[arg-type]


def all_trials(found: Promised) -> tuple[Trial, ...]:
    return trials(found, lambda _: alone(found))


def whole(found: Promised, promises: dict[ConfigurationName, Promise]) -> float:
    """Over all configurations, each by its rows."""
    best = {one.name: one.probability * read(found.problem, index) for index, one in enumerate(found.configurations)}
    return sum(best[name] * promise.completeness for name, promise in promises.items()) / sum(best.values())


def read(problem: Problem, index: int) -> float:
    every = Definition(problem, static(problem))
    return sum(every._rows(index, frozenset(), edge) for task in problem.tasks for edge in task.inputs)


def cases(found: Promised) -> dict[tuple[Kind, str], dict[ConfigurationName, Trial]]:
    """The faults of the failure model, each with what it is in every configuration."""
    grouped: dict[tuple[Kind, str], dict[ConfigurationName, Trial]] = {}
    for one in all_trials(found):
        grouped.setdefault((one.kind, one.whom), {})[one.at] = one
    of_zones: dict[tuple[Kind, str], dict[ConfigurationName, Trial]] = {
        (Kind.ZONE, zone): grouped.get((Kind.ZONE, zone)) or grouped[Kind.NODE, min(inside)] for zone, inside in found.zones.items()
    }
    match found.failures:
        case FailureModel.PESSIMISTIC:
            return {key: one for key, one in grouped.items() if key[0] is Kind.WORST}
        case FailureModel.NODE:
            return {key: one for key, one in grouped.items() if key[0] is Kind.NODE}
        case FailureModel.ZONE:
            return of_zones


@given(plans())
@settings(max_examples=25, deadline=None)
def test_what_the_faults_of_its_model_leave_at_worst_is_what_the_verifier_knows_of_a_plan(found: Promised) -> None:
    worst = min(whole(found, {at: one.promise for at, one in each.items()}) for each in cases(found).values())
    assert worst == pytest.approx(Definition(found.problem, found.plan).completeness(found.failures))


@given(plans())
@settings(max_examples=25, deadline=None)
def test_every_failure_that_the_promise_must_survive_is_a_trial_in_every_configuration(found: Promised) -> None:
    tried = [{at: frozenset(one.promise.lost) for at, one in each.items()} for each in cases(found).values()]
    names = [one.name for one in found.configurations]
    for lost in Definition(found.problem, found.plan).cases(found.failures):
        assert dict(zip(names, lost, strict=True)) in tried


@given(plans())
@settings(max_examples=15, deadline=None)
def test_every_task_every_node_and_every_zone_is_tried_in_every_configuration_under_a_name_of_its_own(found: Promised) -> None:
    every = all_trials(found)
    assert len({one.name for one in every}) == len(every)
    for at in (one.name for one in found.configurations):
        mine = {(one.kind, one.whom) for one in every if one.at == at}
        tasks = [*(one.id for one in found.problem.sources), *found.problem.task_index]
        assert mine >= {(Kind.PRIMARY, task) for task in tasks}
        assert mine >= {(Kind.NODE, node.name) for node in found.problem.nodes}
        assert mine >= {(Kind.ZONE, zone) for zone, inside in found.zones.items() if len(inside) > 1}


@given(plans((FailureModel.PESSIMISTIC,)))
@settings(max_examples=15, deadline=None)
def test_whatever_a_crash_takes_leaves_no_less_than_the_pessimistic_worst(found: Promised) -> None:
    every = all_trials(found)
    least = {one.at: one.promise.completeness for one in every if one.kind is Kind.WORST}
    assert all(one.promise.completeness >= least[one.at] - 1e-9 for one in every if one.kind is Kind.PRIMARY)


@given(plans((FailureModel.PESSIMISTIC,)))
@settings(max_examples=15, deadline=None)
def test_in_the_worst_case_one_replica_of_each_task_is_left_an_inactive_one_where_there_is_one(found: Promised) -> None:
    for one in all_trials(found):
        if one.kind is Kind.WORST:
            for task in found.problem.task_index:
                [left] = set(found.of_tasks[task]) - one.dead
                inactive = set(found.of_tasks[task]) - set(found.active_of(task, one.at))
                assert left in inactive or not inactive


@given(st.sets(st.sampled_from(["trade-filter/0", "vwap/0", "bargain-index/1", "market/0", "aggregator/1"])), st.sampled_from(Late))
@settings(max_examples=20, deadline=None)
def test_a_plan_for_a_budget_is_promised_what_its_verifier_says_of_all_that_is_gone(names: set[str], late: Late) -> None:
    topology = example("bargain-discovery")
    topology = replace(topology, operators=tuple(replace(one, late=late) for one in topology.operators))
    nodes, replicated = topology.nodes, frozenset(map(TaskId, names))
    problem = expand(topology, nodes)
    active: dict[ConfigurationName, frozenset[ReplicaName]] = {
        one.name: frozenset(replica_name(task, number) for task in problem.task_index for number in range(2 if task in replicated else 1))
        for one in topology.configurations
    }
    found = of(topology, nodes, Planned(problem.placement, active, {}, {}), FailureModel.PESSIMISTIC, replicated)
    for one in (each for each in all_trials(found) if each.kind is Kind.WORST):
        [configuration] = [each for each in topology.configurations if each.name == one.at]
        fidelity_problem = problem_in(topology, configuration)
        assert one.promise.fidelity == pytest.approx(definition.objective(fidelity_problem, ActivePlan(replicated), Metric.OF))
        assert one.promise.completeness == pytest.approx(definition.objective(fidelity_problem, ActivePlan(replicated), Metric.IC))


def test_who_shares_a_worker_with_the_primary_is_counted_as_gone_with_it() -> None:
    topology = example("bargain-discovery")
    problem = expand(topology, topology.nodes)
    active = {one.name: frozenset(replica_name(task, 0) for task in problem.task_index) for one in topology.configurations}
    found = of(topology, topology.nodes, Planned(problem.placement, active, {}, {}), FailureModel.PESSIMISTIC)
    together = (Placed("w", NodeName("n"), tuple(found.replicas)),)  # type: ignore[arg-type]
    [shared] = [one for one in trials(found, lambda _: together) if one.name == "primary:vwap/1@calm"]
    [single] = [one for one in all_trials(found) if one.name == "primary:vwap/1@calm"]
    assert shared.promise.completeness == 0.0
    assert single.promise.lost == ("vwap/1",)
    assert single.promise.completeness > 0.5


@pytest.mark.parametrize(
    ("pattern", "many"), [("node", 6), ("node:node-2", 2), ("*@calm", 15), ("vwap/?", 4), ("worst@peak", 1), ("primary:vwap/1@calm", 1)]
)
def test_a_fault_is_chosen_by_its_name_or_a_part_of_it(pattern: str, many: int) -> None:
    topology = example("bargain-discovery")
    problem = expand(topology, topology.nodes)
    active = {one.name: frozenset(replica_name(task, 0) for task in problem.task_index) for one in topology.configurations}
    found = of(topology, topology.nodes, Planned(problem.placement, active, {}, {}), FailureModel.PESSIMISTIC)
    assert sum(one.is_asked((pattern,)) for one in all_trials(found)) == many


def test_whoever_is_to_die_for_good_gets_workers_that_no_survivor_is_in() -> None:
    names = [ReplicaName(f"vwap/{number}/0") for number in range(4)]
    together = (Placed("node-1-0", NodeName("node-1"), tuple(names)),)  # type: ignore[arg-type]
    dead = frozenset(names[:2])
    assert mixed(together, dead) == together
    apart = tuple(split(together, dead))
    assert [one.worker for one in apart] == ["node-1-0", "node-1-1"]
    assert mixed(apart, dead) == ()
    assert condemned(apart, dead) == ("node-1-1",)
    assert apart[1].replicas == tuple(names[:2])
