"""A pod is ended as it was seen: one that has changed since is looked at again, in the next turn."""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from levee.control.names import ReplicaName
from levee.control.seen import ReplicaSeen, Status
from levee.serve.shop import Shop
from levee.worlds.local.book import Book
from tests.serve.plant import PODS, Denied, Operator, Plant, PlantApi, node, operator, topology

LONG_AGO = "2026-01-01T00:00:00Z"


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(1_800_000_000_000, 1_000)
    monkeypatch.setattr(Shop, "wall_ms", lambda _: next(clock))


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    made = Plant()
    made.apply(topology(tmp_path / "store"))
    return made


def running(plant: Plant) -> Operator:
    one = operator(plant)
    one.run("running")
    one.go_on(3)
    return one


def ready(status: str, since: str = LONG_AGO) -> dict[str, Any]:
    return {"conditions": [{"type": "Ready", "status": status, "lastTransitionTime": since}]}


def dead(number: int) -> dict[str, Any]:
    return node(number) | {"status": {"conditions": [{"type": "Ready", "status": "Unknown", "lastTransitionTime": LONG_AGO}]}}


def test_a_worker_that_answers_again_while_it_is_being_ended_is_left_alone(plant: Plant) -> None:
    one, hung = running(plant), plant.born[0]
    plant.change_unseen(hung, **ready("False"))
    plant.tell(hung)
    plant.change_unseen(hung, **ready("True"))
    one.go_on(2)  # first others lead in its place
    assert any(line.startswith(f"delete {PODS}/{hung}") for line in plant.written)
    assert plant.ended == []
    plant.tell(hung)
    one.go_on(3)
    assert (plant.ended, len(plant.born)) == ([], 6)


def test_a_pod_of_a_dead_node_that_changes_as_it_is_ended_goes_in_the_next_turn(plant: Plant) -> None:
    one = running(plant)
    there = [pod["metadata"]["name"] for pod in plant.pods() if pod["spec"]["nodeName"] == "node-1"]
    for name in there:
        plant.change_unseen(name, **ready("False"))
    one.shop.cluster.keep_node(dead(1))
    one.go_on(2)  # first others lead in their place
    assert (len(plant.born), plant.ended) == (6 + len(there), [])
    for name in there:
        plant.tell(name)
    one.go_on(1)
    assert sorted(plant.ended) == sorted(there)
    one.go_on(3)
    assert len(plant.born) == 6 + len(there)


def test_a_pod_that_was_replaced_goes_even_if_its_node_came_back_before_it_was_ended(plant: Plant) -> None:
    one = running(plant)
    there = [pod["metadata"]["name"] for pod in plant.pods() if pod["spec"]["nodeName"] == "node-1"]
    for name in there:
        plant.change_unseen(name)
    one.shop.cluster.keep_node(dead(1))
    one.go_on(2)  # first others lead in their place
    one.shop.cluster.keep_node(node(1))
    for name in there:
        plant.tell(name)
    one.go_on(8)
    assert set(there) <= set(plant.ended)
    assert len(plant.pods()) == 6
    assert len([pod for pod in plant.pods() if pod["spec"]["nodeName"] == "node-1"]) == len(there), "they are at home again"


def test_a_pod_that_died_and_changes_once_more_goes_in_the_turn_after_its_replacement(plant: Plant) -> None:
    one, lost = running(plant), plant.born[0]
    plant.fail(lost)
    plant.change_unseen(lost, message="and more of it")
    one.go_on(2)  # first others lead in its place
    assert (len(plant.born), plant.ended) == (7, [])
    plant.tell(lost)
    one.go_on(2)
    assert (len(plant.born), plant.ended) == (7, [lost])


def test_a_suspension_ends_the_pod_that_changed_a_turn_later(plant: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, changed = running(plant), plant.born[2]
    monkeypatch.setattr(Book, "stop_epoch", lambda _: 7)
    plant.apply(topology(tmp_path / "store", suspend=True))
    plant.change_unseen(changed)
    one.run("suspended", 20)
    assert [pod["metadata"]["name"] for pod in plant.pods()] == [changed]
    plant.tell(changed)
    one.go_on(4)
    assert not plant.pods()


def test_a_restart_ends_no_pod_twice_for_one_that_changed(plant: Plant, tmp_path: Path) -> None:
    one, changed = running(plant), plant.born[2]
    plant.change_unseen(changed)
    plant.apply(topology(tmp_path / "store", restartNonce=1))
    one.go_on(2)
    assert len(plant.ended) == 5
    plant.tell(changed)
    one.go_on(6)
    assert one.state() == "running"
    assert (len(plant.ended), len(set(plant.ended)), len(plant.born), len(plant.pods())) == (6, 6, 12, 6)


def test_in_a_namespace_that_goes_it_is_let_go_though_its_pods_may_not_be_deleted_any_more(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Role of who looks after it went first."""
    one = running(plant)
    plant.namespace_goes = True
    monkeypatch.setattr(PlantApi, "do_delete", refused)
    plant.delete_topology()
    one.run("gone", 20)


def refused(*_: Any, **__: Any) -> bool:
    raise Denied(403, "Forbidden", "pods")


@pytest.mark.parametrize(("change", "state"), [(None, "gone"), ({"suspend": True}, "suspended")])
def test_what_is_to_end_does_not_wait_for_a_task_that_has_failed(
    plant: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any] | None, state: str
) -> None:
    """It would never come to the last epoch, and nobody mends what is to go."""
    one = running(plant)
    monkeypatch.setattr("tests.serve.plant.well", failing)
    monkeypatch.setattr(Book, "stop_epoch", lambda _: 9)
    if change is None:
        plant.delete_topology()
    else:
        plant.apply(topology(tmp_path / "store", **change))
    one.go_on(3)  # of four seconds each
    assert one.state() in {"canceling", "suspending"}, "it may yet work again"
    one.run(state, 5)


def failing(replica: ReplicaName) -> ReplicaSeen:
    found = ReplicaSeen(replica, Status.RUNNING, epoch=7, rank=0)
    return replace(found, status=Status.FAILED, error="it broke") if replica.startswith("count/0") else found
