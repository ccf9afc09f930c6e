"""A topology that runs otherwise than it was planned for: it is told, and another plan is advised or put in force."""

import copy
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from levee.control.names import task_of
from levee.control.seen import Measured
from levee.serve.checked import fields_in, line_of
from levee.topology.names import NodeName, OperatorName
from levee.worlds.kubernetes.world import KubernetesWorld
from levee.worlds.measuring import Measuring
from tests.serve.clock import Clock
from tests.serve.plant import PATH, Operator, Plant, node, operator, topology


class Workers:
    """What the workers of all topologies spend."""

    def __init__(self) -> None:
        self.cost_s, self.rate = 1e-3, 10.0
        self.cpu_s, self.rows = 0.0, 0.0

    def spent(self) -> dict[str, dict[str, Any]]:
        """Between two looks half a minute passes."""
        self.rows += 30 * self.rate
        self.cpu_s += 30 * self.rate * self.cost_s
        replica = {"replica": "count/0/0", "operator": "count", "busy_s": self.cpu_s, "read": {"market": self.rows}, "emitted": self.rows}
        return {"a pod": {"worker": "a pod", "attempt": 1, "cpu_s": self.cpu_s, "replicas": [replica]}}


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Workers:
    made = Workers()
    monkeypatch.setattr(KubernetesWorld, "spent", lambda _: made.spent())
    monkeypatch.setattr(Measuring, "measured", lambda *_: Measured({OperatorName("market"): made.rate}, "", None))
    return made


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock().rule(monkeypatch)


def started(place: Path, policy: str, **spec: Any) -> tuple[Plant, Operator]:
    plant = Plant()
    plant.apply(topology(place / "store", adaptation={"policy": policy, "dwell": "5m"}, **spec))
    one = operator(plant)
    one.run("running")
    one.go_on(2)
    return plant, one


def condition(plant: Plant, kind: str = "DescriptorHolds") -> tuple[str, str, str] | None:
    found = [one for one in plant.things[PATH]["status"]["conditions"] if one["type"] == kind]
    return (found[0]["status"], found[0]["reason"], found[0]["message"]) if found else None


def events(plant: Plant, reason: str) -> list[str]:
    return [note for known, note in plant.told() if known == reason]


def plan_cost(one: Operator) -> float:
    assert one.life is not None and one.life.ground.plan is not None
    return one.life.ground.plan.worth.cost or 0.0


@pytest.mark.usefixtures("workers")
def test_what_runs_as_it_was_planned_for_is_told(tmp_path: Path, clock: Clock) -> None:
    plant, one = started(tmp_path, "advise")
    clock.pass_by(one, minutes=8)
    found = condition(plant)
    assert found is not None and found[:2] == ("True", "AsPlanned")
    assert not events(plant, "PlanAdvised")


@pytest.mark.usefixtures("workers")
def test_before_enough_is_measured_nothing_is_told(tmp_path: Path, clock: Clock) -> None:
    plant, one = started(tmp_path, "advise")
    clock.pass_by(one, minutes=2)
    assert condition(plant) is None


def test_drift_is_told_with_how_much(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.cost_s = 10e-3
    plant, one = started(tmp_path, "advise")
    clock.pass_by(one, minutes=9, turns=60)
    assert condition(plant) == ("False", "Drifted", "cost of count is 10 times what is declared")
    assert one.life is not None
    drifts = one.life.standing().figures.drifts  # type: ignore[union-attr]
    assert {(drift.what.value, drift.name): round(drift.ratio.value, 2) for drift in drifts}["cost", "count"] == 10
    assert plan_cost(one) < 100


def rare() -> dict[str, Any]:
    """Two rates, and for so little completeness replicas in the lower one are enough, as long as it holds for half of the time."""
    rates = [{"name": "low", "rate": 10, "probability": 0.5}, {"name": "high", "rate": 100, "probability": 0.5}]
    return {"sources": [{"name": "market", "spark": {"format": "rate"}, "configurations": rates}]}


def test_advice_says_which_plan_it_would_be_and_what_it_gains_and_changes_nothing(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.rate = 100.0
    plant, one = started(tmp_path, "advise", **rare(), faultTolerance={"target": {"completeness": 0.09}})
    clock.pass_by(one, minutes=30, turns=120)
    found = condition(plant)
    assert found is not None and found[:2] == ("False", "PlanAdvised")
    assert "rate of market is 1.82 times what is declared" in found[2] and "1 replica would become active" in found[2]
    [told] = events(plant, "PlanAdvised")
    assert "another plan guarantees 0.968 instead of 0.032" in told and "apply puts it in force" in told
    assert one.life is not None and one.life.ground.number == 1


def test_with_apply_the_better_plan_is_put_in_force_and_no_pod_restarts(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    """The higher rate, for which little was promised, is all that comes: another activation is needed."""
    workers.rate = 100.0
    plant, one = started(tmp_path, "apply", **rare(), faultTolerance={"target": {"completeness": 0.09}})
    born, before = list(plant.born), one.life.ground.plan  # type: ignore[union-attr]
    clock.pass_by(one, minutes=30, turns=120)
    assert one.life is not None and one.life.ground.plan is not None and before is not None
    assert events(plant, "Adapting"), condition(plant)
    assert one.life.ground.plan.planned.active != before.planned.active
    assert plant.born == born and not plant.ended
    assert one.state() == "running"
    record = one.life.ground.need_world().book.newest()
    assert record is not None and record.plan == one.life.ground.number == 2  # once, and then it rests


def test_whoever_takes_over_gives_no_advice_twice(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.rate = 100.0
    plant, one = started(tmp_path, "advise", **rare(), faultTolerance={"target": {"completeness": 0.09}})
    clock.pass_by(one, minutes=30, turns=120)
    other, plant.written = operator(plant), []
    clock.pass_by(other, minutes=30, turns=120)
    found = condition(plant)
    assert found is not None and found[1] == "PlanAdvised" and len(events(plant, "PlanAdvised")) == 1


def test_a_plan_that_was_adapted_to_is_as_planned(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.rate = 100.0
    plant, one = started(tmp_path, "apply", **rare(), faultTolerance={"target": {"completeness": 0.09}})
    clock.pass_by(one, minutes=13, turns=150)
    assert len(events(plant, "Adapting")) == 1
    found = condition(plant)
    assert found is not None and found[:2] in {("True", "AsPlanned"), ("False", "Drifted")}


def test_off_measures_nothing(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.cost_s = 10e-3
    plant, one = started(tmp_path, "off")
    clock.pass_by(one, minutes=10)
    assert condition(plant) is None and workers.rows == 0


@pytest.mark.usefixtures("workers")
def test_a_node_that_joins_is_no_reason_to_switch_where_nothing_is_gained(tmp_path: Path, clock: Clock) -> None:
    plant, one = started(tmp_path, "apply")
    one.shop.cluster.keep_node(node(4))
    number = one.life.ground.number  # type: ignore[union-attr]
    clock.pass_by(one, minutes=30, turns=120)
    found = condition(plant)
    assert found is not None and found[:2] == ("False", "NotWorthIt") and "node-4 is new" in found[2]
    assert one.life is not None and one.life.ground.number == number


@pytest.mark.usefixtures("workers")
def test_a_node_that_is_gone_is_told_and_a_refuge_that_is_as_good_stays(tmp_path: Path, clock: Clock) -> None:
    plant, one = started(tmp_path, "apply")
    one.shop.cluster.forget_node("node-1")
    clock.pass_by(one, minutes=15, turns=100)
    found = condition(plant)
    assert found is not None and found[:2] == ("False", "NotWorthIt") and "node-1 is gone or closed" in found[2]


def heavy(ms: int) -> list[dict[str, Any]]:
    """At 10 rows/s."""
    return [{"name": "count", "function": "levee_spark.examples.pipeline:clean", "inputs": [{"from": "market", "cost": f"{ms}ms"}]}]


def shrink(one: Operator, name: str, cores: str) -> None:
    told = copy.deepcopy(one.shop.cluster.node(name))
    assert told is not None
    told["status"]["allocatable"]["cpu"] = cores
    one.shop.cluster.keep_node(told)


def test_a_node_that_can_carry_less_for_longer_than_a_dwell_is_planned_for_anew(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.cost_s = 150e-3
    plant, one = started(tmp_path, "apply", operators=heavy(150))
    assert one.life is not None and one.life.ground.plan is not None
    before = one.life.ground.plan.planned.placement
    small = next(iter(before.values()))[0]
    shrink(one, small, "500m")
    clock.pass_by(one, minutes=4, turns=40)
    assert one.life.ground.plan.planned.placement == before
    clock.pass_by(one, minutes=16, turns=120)
    after = one.life.ground.plan.planned
    assert after.capacities[NodeName(small)] == 0.5, condition(plant)
    assert all(small not in nodes for nodes in after.placement.values())
    assert "is of another size" in events(plant, "Adapting")[0] and one.state() == "running"


def test_another_dwell_holds_from_when_it_is_in_force(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.cost_s = 150e-3
    plant, one = started(tmp_path, "apply", operators=heavy(150))
    for dwell in ("10h", "5m"):
        plant.apply(topology(tmp_path / "store", adaptation={"policy": "apply", "dwell": dwell}, operators=heavy(150)))
        clock.pass_by(one, minutes=1, turns=10)
    assert one.life is not None and one.life.ground.plan is not None
    shrink(one, next(iter(one.life.ground.plan.planned.placement.values()))[0], "500m")
    clock.pass_by(one, minutes=20, turns=160)
    assert events(plant, "Adapting"), condition(plant)


def test_where_no_plan_reaches_the_target_that_is_told(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.cost_s = 400e-3
    plant, one = started(tmp_path, "apply")
    number = one.life.ground.number  # type: ignore[union-attr]
    clock.pass_by(one, minutes=20, turns=120)
    found = condition(plant)
    assert found is not None and found[:2] == ("False", "NoBetterPlan")
    assert one.life is not None and one.life.ground.number == number


def test_who_dies_while_a_plan_is_taken_up_leaves_it_to_the_next(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.rate = 100.0
    plant, one = started(tmp_path, "apply", **rare(), faultTolerance={"target": {"completeness": 0.09}})
    clock.pass_by(one, minutes=30, turns=120)
    assert one.life is not None and one.life.ground.plan is not None
    adapted = one.life.ground.plan
    thing = copy.deepcopy(plant.things[PATH])
    thing["status"]["state"] = "updating"
    thing["status"]["lifecycle"]["record"] = line_of(fields_in(thing["status"]))
    plant.put(PATH, thing)
    other = operator(plant)
    other.run("running")
    other.go_on(3)
    assert other.life is not None and other.life.ground.plan == adapted


def lopsided(workers: Workers) -> dict[str, dict[str, Any]]:
    """Of the two tasks the second has nine tenths of the rows."""
    workers.rows += 300
    return {f"count-{task}": worker(f"count/{task}/0", share * workers.rows) for task, share in ((0, 0.1), (1, 0.9))}


def worker(name: str, rows: float) -> dict[str, Any]:
    replica = {"replica": name, "operator": "count", "busy_s": rows, "read": {"market": rows}, "emitted": rows}
    return {"attempt": 1, "cpu_s": 1e-3 * rows, "replicas": [replica]}


def test_a_plan_for_a_budget_goes_to_the_tasks_that_have_the_rows(
    tmp_path: Path, workers: Workers, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KubernetesWorld, "spent", lambda _: lopsided(workers))
    inputs = [{"from": "market", "partitionBy": ["key"], "cost": "1ms"}]
    count = {"name": "count", "parallelism": 2, "late": "tentative", "function": "levee_spark.examples.pipeline:clean", "inputs": inputs}
    wanted = {"strategy": "fidelity", "target": {"budget": 2}}  # the source and one of the tasks
    plant, one = started(tmp_path, "apply", operators=[count], faultTolerance=wanted)
    assert one.life is not None and one.life.ground.plan is not None
    assert both(one) == {"count/0"}
    clock.pass_by(one, minutes=20, turns=120)
    assert both(one) == {"count/1"}, condition(plant)
    [told] = events(plant, "Adapting")
    assert "the busiest task's share of count is 1.8 times" in told
    assert "1 replica would become active, 1 replica idle" in told  # the other one of count/0 stays as it is


def both(one: Operator) -> set[str]:
    """The tasks of which both replicas are active."""
    assert one.life is not None and one.life.ground.plan is not None
    [active] = one.life.ground.plan.planned.active.values()
    tasks = Counter(map(task_of, active))
    return {str(task) for task, count in tasks.items() if count == 2}


def test_a_second_adaptation_is_not_held_by_where_the_first_has_kept_everybody(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.cost_s = 150e-3
    _, one = started(tmp_path, "apply", operators=heavy(150))
    assert one.life is not None and one.life.ground.plan is not None
    for _ in range(2):
        small = next(iter(one.life.ground.plan.planned.placement.values()))[0]
        others = {f"node-{number}": "2" for number in (1, 2, 3)} | {small: "500m"}
        for name, cores in others.items():
            shrink(one, name, cores)
        clock.pass_by(one, minutes=25, turns=150)
        assert all(small not in nodes for nodes in one.life.ground.plan.planned.placement.values())


def test_a_topology_whose_sources_end_is_advised_only(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    """Its lifecycle knows of no other plan."""
    workers.rate = 100.0
    plant, one = started(tmp_path, "apply", **rare(), faultTolerance={"target": {"completeness": 0.09}})
    assert one.life is not None
    one.life.runner.machine = replace(
        one.life.runner.machine, events={k: v for k, v in one.life.runner.machine.events.items() if k != "adapt"}
    )
    clock.pass_by(one, minutes=20, turns=120)
    found = condition(plant)
    assert found is not None and found[1] == "PlanAdvised" and "keeps its plan" in found[2]
    assert one.life.ground.number == 1


def test_whoever_takes_over_goes_on_saying_what_was_found(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.cost_s = 10e-3
    plant, one = started(tmp_path, "advise")
    clock.pass_by(one, minutes=9, turns=60)
    found = condition(plant)
    assert found is not None and found[1] == "Drifted"
    other = operator(plant)
    plant.written.clear()
    clock.pass_by(other, minutes=4, turns=30)
    assert condition(plant) == found
    assert not [one for one in plant.written if "DescriptorHolds" in one]
    clock.pass_by(other, minutes=3, turns=20)
    assert condition(plant) == found


def test_another_restart_nonce_keeps_the_plan_and_an_edit_plans_anew(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.rate = 100.0
    wanted: dict[str, Any] = {**rare(), "faultTolerance": {"target": {"completeness": 0.09}}}
    plant, one = started(tmp_path, "apply", **wanted)
    clock.pass_by(one, minutes=30, turns=120)
    assert one.life is not None and one.life.ground.plan is not None and one.life.ground.plan.declared
    adapted = one.life.ground.plan
    same: dict[str, Any] = {**wanted, "adaptation": {"policy": "apply", "dwell": "5m"}}
    plant.apply(topology(tmp_path / "store", **same, restartNonce=7))
    clock.pass_by(one, minutes=1, turns=20)
    assert one.state() == "running" and len(plant.ended) > 0
    assert one.life.ground.plan is adapted
    plant.apply(topology(tmp_path / "store", **{**same, "faultTolerance": {"target": {"completeness": 0.08}}}, restartNonce=7))
    clock.pass_by(one, minutes=1, turns=20)
    assert one.state() == "running" and not one.life.ground.plan.declared


def test_while_nodes_come_and_go_nothing_is_planned_for_them(tmp_path: Path, workers: Workers, clock: Clock) -> None:
    workers.cost_s = 150e-3
    _, one = started(tmp_path, "apply", operators=heavy(150))
    assert one.life is not None and one.life.ground.plan is not None
    before = one.life.ground.plan
    small = next(iter(before.planned.placement.values()))[0]
    for minute in range(10):
        shrink(one, small, f"{500 + minute}m")
        clock.pass_by(one, minutes=2, turns=20)
    assert one.life.ground.plan is before
