"""Whether a topology's guarantee holds is measured with the replicas that work now."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from levee.control.names import ReplicaName
from levee.serve import planning, promises
from levee.serve.promises import Promise, Promises
from levee.topology.graph import Node
from levee.topology.names import NodeName, ZoneName
from levee.worlds.plans import WrittenPlan
from tests.serve.plant import PATH, Plant, operator, topology

NODES = tuple(Node(NodeName(f"node-{number}"), ZoneName(f"zone-{number}"), 2.0) for number in (1, 2, 3))


def plan(place: Path, **fault_tolerance: Any) -> WrittenPlan:
    """Two operators, each with half of the work."""
    told = topology(place, faultTolerance={"strategy": "static"} | fault_tolerance)
    count = told["spec"]["operators"][0]
    told["spec"]["operators"] = [count, count | {"name": "other"}]
    told["spec"]["sinks"].append({"name": "out2", "from": "other", "spark": {"format": "console"}})
    told["metadata"]["generation"] = 1
    return planning.planned(told, NODES)


def promise(of: WrittenPlan, *missing: str) -> Promise:
    return Promises().of(of, frozenset(map(ReplicaName, missing)), lambda: {node.name: node.zone for node in NODES})


@pytest.mark.parametrize(
    ("missing", "now"),
    [
        ((), 1.0),
        (("other/0/1",), 0.5),
        (("other/0/0", "other/0/1"), 0.5),
        (("other/0/1", "count/0/0"), 0.0),
        (("market/0/0",), 0.0),
        (("out/0/0", "out/0/1"), 1.0),
    ],
)
def test_it_is_what_the_planner_s_measure_says_of_those_that_are_there(tmp_path: Path, missing: tuple[str, ...], now: float) -> None:
    found = promise(plan(tmp_path, target={"completeness": 0.4}), *missing)
    assert found.now == pytest.approx(now)
    assert found.wanted == 0.4
    assert found.holds is (now >= 0.4)


def test_under_a_model_in_which_one_node_fails_a_task_must_live_on_another_one_too(tmp_path: Path) -> None:
    written = plan(tmp_path, target={"completeness": 0.4}, failures="node")
    assert promise(written).now == pytest.approx(1.0)
    assert promise(written, "other/0/1").now == pytest.approx(0.5)


def test_a_fidelity_is_measured_as_such(tmp_path: Path) -> None:
    written = plan(tmp_path, strategy="fidelity", target={"fidelity": 0.4})
    assert promise(written).wanted == 0.4
    assert promise(written, "count/0/0", "count/0/1", "other/0/0", "other/0/1").now == 0.0


def test_where_nothing_is_asked_for_what_the_plan_promises_is(tmp_path: Path) -> None:
    written = plan(tmp_path)
    assert promise(written).wanted == written.worth.guarantee == pytest.approx(1.0)


def test_it_is_measured_only_when_who_is_missing_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = list[frozenset[str]]()

    def counting(_ready: object, _plan: object, missing: frozenset[str]) -> float:
        measured.append(missing)
        return 0.5

    monkeypatch.setattr(promises, "guaranteed", counting)
    asked, written = Promises(), plan(tmp_path)
    some, more = frozenset({ReplicaName("count/0/0")}), frozenset({ReplicaName("count/0/1")})
    for missing in (some, some, frozenset[ReplicaName](), more, some, frozenset[ReplicaName]()):
        asked.of(written, missing, dict)
    assert measured == [some, more]
    asked.of(replace(written, generation=2), some, dict)
    assert measured == [some, more, some], "another plan is another measure"


def test_the_condition_says_what_is_guaranteed_and_what_was_wanted(tmp_path: Path) -> None:
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    one = operator(plant)
    one.run("running")
    one.go_on(3)
    assert met(plant) == ("True", "AllActive", "guarantees 1.00 now, wanted 0.9: all active replicas have caught up")
    plant.ready = False  # what is started from now on
    lost = next(pod["metadata"]["name"] for pod in plant.pods() if "-count-0-1-" in pod["metadata"]["name"])
    plant.fail(lost)
    one.go_on(4)
    assert met(plant) == ("False", "ReplicasMissing", "guarantees 0.00 now, wanted 0.9: count/0/1 cannot take over now")


def met(plant: Plant) -> tuple[str, str, str]:
    [said] = [one for one in plant.things[PATH]["status"]["conditions"] if one["type"] == "GuaranteeMet"]
    return said["status"], said["reason"], said["message"]
