"""Trouble with the store or the API server ends nothing that runs: it is waited for, and told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from levee.worlds.kubernetes.api import Denied, Object, Unreachable
from levee.worlds.local.book import Book
from levee_spark.store.blobs import Trouble
from levee_spark.store.local import LocalBlobs
from tests.serve.clock import Clock
from tests.serve.plant import PATH, PODS, Operator, Plant, PlantApi, operator, topology

MINUTES = 10


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock().rule(monkeypatch)


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    made = Plant()
    made.apply(topology(tmp_path / "store"))
    return made


def running(plant: Plant, clock: Clock) -> Operator:
    one = operator(plant)
    one.run("running")
    clock.pass_by(one, 0.2, turns=8)
    return one


READS, WRITES = ("get", "names"), ("create", "overwrite")


def silence(patch: pytest.MonkeyPatch, verbs: tuple[str, ...] = READS + WRITES) -> None:
    def silent(*_: object, **__: object) -> Any:
        raise Trouble("connection refused")

    for verb in verbs:
        patch.setattr(LocalBlobs, verb, silent)


def refuse_pods(patch: pytest.MonkeyPatch, why: Exception) -> None:
    create = PlantApi.do_create

    def refused(api: PlantApi, path: str, body: Object) -> Object | None:
        if path == PODS:
            raise why
        return create(api, path, body)

    patch.setattr(PlantApi, "do_create", refused)


def status(plant: Plant) -> Any:
    return plant.things[PATH]["status"]


def messages(plant: Plant) -> str:
    return " ".join(one["message"] for one in status(plant)["conditions"])


def another_target(plant: Plant) -> None:
    told = topology(Path(plant.things[PATH]["spec"]["store"]["uri"].removeprefix("file://")))
    told["spec"]["faultTolerance"]["target"] = {"completeness": 0.5}
    plant.apply(told)


def suspend(plant: Plant, *, on: bool = True) -> None:
    plant.apply({**plant.things[PATH], "spec": plant.things[PATH]["spec"] | {"suspend": on}})


DEEDS: dict[str, tuple[Callable[[Plant], None], str]] = {
    "edit": (another_target, "updating"),
    "suspend": (suspend, "suspending"),
    "cancel": (Plant.delete_topology, "canceling"),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_what_its_user_wants_waits_for_a_silent_store(plant: Plant, clock: Clock, monkeypatch: pytest.MonkeyPatch, deed: str) -> None:
    one, (act, state) = running(plant, clock), DEEDS[deed]
    with monkeypatch.context() as patch:
        silence(patch)
        act(plant)
        clock.pass_by(one, MINUTES)
        assert (one.state(), len(plant.pods()), status(plant)["attempts"]) == (state, 6, 0)
        assert "the store does not answer" in messages(plant)
        assert any(reason == "Waiting" and "the store does not answer" in note for reason, note in plant.told())
    monkeypatch.setattr(Book, "stop_epoch", lambda _: 7)
    clock.pass_by(one, 1)
    if deed == "cancel":
        assert PATH not in plant.things
    else:
        assert one.state() == {"edit": "running", "suspend": "suspended"}[deed]


@pytest.mark.parametrize("verbs", [READS + WRITES, READS, WRITES], ids=str)
def test_an_operator_that_comes_while_the_store_is_silent_leaves_all_as_it_is(
    plant: Plant, clock: Clock, monkeypatch: pytest.MonkeyPatch, verbs: tuple[str, ...]
) -> None:
    running(plant, clock)
    born = list(plant.born)
    with monkeypatch.context() as patch:
        silence(patch, verbs)
        other = operator(plant)
        clock.pass_by(other, MINUTES)
        assert (other.state(), len(plant.pods()), status(plant)["attempts"]) == ("running", 6, 0)
        assert "connection refused" in messages(plant)
    clock.pass_by(other, 1)
    assert (other.state(), plant.born) == ("running", born)
    assert "connection refused" not in messages(plant)


def test_a_resume_waits_for_a_silent_store(plant: Plant, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    one = running(plant, clock)
    suspend(plant)
    with monkeypatch.context() as patch:
        patch.setattr(Book, "stop_epoch", lambda _: 7)
        one.run("suspended")
    with monkeypatch.context() as patch:
        silence(patch)
        suspend(plant, on=False)
        clock.pass_by(one, MINUTES)
        assert (one.state(), plant.pods(), status(plant)["attempts"]) == ("updating", [], 0)
    clock.pass_by(one, 1)
    assert (one.state(), len(plant.pods())) == ("running", 6)


@pytest.mark.parametrize("minutes", [10, 40])
def test_what_is_under_way_when_the_store_falls_silent_costs_no_attempt(
    plant: Plant, clock: Clock, monkeypatch: pytest.MonkeyPatch, minutes: float
) -> None:
    one = running(plant, clock)
    suspend(plant)
    clock.pass_by(one, 0.2, turns=4)
    assert one.state() == "suspending"
    with monkeypatch.context() as patch:
        silence(patch)
        clock.pass_by(one, minutes)
        assert (one.state(), len(plant.pods()), status(plant)["attempts"]) == ("suspending", 6, 0)
    monkeypatch.setattr(Book, "stop_epoch", lambda _: 7)
    clock.pass_by(one, 1, turns=10)
    assert (one.state(), status(plant)["attempts"], status(plant)["lifecycle"]["failures"]) == ("suspended", 0, 0)


REFUSALS = [Unreachable("500 failed calling webhook"), Denied(403, "Forbidden", "exceeded quota"), Denied(422, "Invalid", "spec.x")]


@pytest.mark.parametrize("why", REFUSALS, ids=lambda why: type(why).__name__)
@pytest.mark.parametrize("takes_over", [False, True])
def test_pods_that_are_refused_are_tried_again_for_as_long_as_it_takes(
    plant: Plant, clock: Clock, monkeypatch: pytest.MonkeyPatch, why: Exception, takes_over: bool
) -> None:
    one = running(plant, clock)
    lost = plant.born[0]
    with monkeypatch.context() as patch:
        refuse_pods(patch, why)
        plant.remove(f"{PODS}/{lost}")
        one = operator(plant) if takes_over else one
        tried = len(plant.written)
        clock.pass_by(one, MINUTES)
        assert (one.state(), len(plant.pods())) == ("running", 5)
        assert str(why) in messages(plant)
        assert len([said for said in plant.written[tried:] if said.startswith(f"create {PODS}")]) < 100, "later and later"
    clock.pass_by(one, 6)
    assert (one.state(), len(plant.pods())) == ("running", 6)
    assert str(why) not in messages(plant)


def test_one_pod_that_is_refused_keeps_no_other_from_being_started(plant: Plant, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    one, create = running(plant, clock), PlantApi.do_create

    def refused(api: PlantApi, path: str, body: Object) -> Object | None:
        if path == PODS and "market-0-0" in body["metadata"]["name"]:
            raise Denied(403, "Forbidden", "not on this node")
        return create(api, path, body)

    monkeypatch.setattr(PlantApi, "do_create", refused)
    for pod in plant.pods():
        plant.remove(f"{PODS}/{pod['metadata']['name']}")
    clock.pass_by(one, 2)
    assert len(plant.pods()) == 5


def test_a_deleted_topology_does_not_wait_for_ever_for_a_store_that_is_gone(
    plant: Plant, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = running(plant, clock)
    silence(monkeypatch)
    plant.delete_topology()
    clock.pass_by(one, 35)
    assert PATH not in plant.things
    assert not plant.pods()


def test_a_mistake_of_ours_ends_nothing_that_runs(plant: Plant, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    running(plant, clock)

    def mistaken(*_: object) -> Any:
        raise ValueError("a bug")

    monkeypatch.setattr("levee.serve.replicas.Replicas.find_the_end", mistaken)
    other = operator(plant)
    clock.pass_by(other, 20)
    assert (other.state(), len(plant.pods())) == ("running", 6)


# ---- a task that has nobody left


def alone(plant: Plant, clock: Clock, on_failure: str) -> Operator:
    """No task has a standby; the pod of one has ended, and those that are to replace it take long to start."""
    told = topology(Path(plant.things[PATH]["spec"]["store"]["uri"].removeprefix("file://")))
    told["spec"]["faultTolerance"] = {"strategy": "none", "replicas": 1, "onFailure": on_failure}
    plant.things.clear()
    plant.apply(told)
    one = running(plant, clock)
    clock.pass_by(one, 1)
    plant.ready = False
    plant.fail(next(name for name in plant.born if "-count-" in name))
    return one


def test_a_replacement_that_takes_minutes_to_start_is_waited_for(plant: Plant, clock: Clock) -> None:
    one = alone(plant, clock, "restart")
    clock.pass_by(one, 5)
    assert (one.state(), status(plant)["attempts"], status(plant)["lifecycle"].get("failures")) == ("running", 0, 0)
    plant.ready = True
    for pod in plant.pods():
        plant.start(pod)
        plant.put(f"{PODS}/{pod['metadata']['name']}", pod)
    clock.pass_by(one, 1)
    assert {one["type"]: one["status"] for one in status(plant)["conditions"]}["Ready"] == "True"


def test_with_cancel_a_task_that_has_nobody_left_ends_it(plant: Plant, clock: Clock) -> None:
    one = alone(plant, clock, "cancel")
    clock.pass_by(one, 0.5)
    assert one.state() == "canceling"
    clock.pass_by(one, 6)
    assert one.state() == "failed"
