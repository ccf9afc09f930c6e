"""Suspend, resume and revert by the real deeds, under an operator that is killed at each write of theirs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from levee.lifecycle.failures import Terms
from levee.lifecycle.machine import Budget
from levee.serve.life import Life
from levee.worlds.kubernetes.api import Denied, Object
from levee.worlds.local.book import Book
from levee_spark.log.values import ControlRecord
from tests.serve.plant import PATH, PODS, Killed, Operator, Plant, PlantApi, operator, topology

ALONE, TWICE = {"strategy": "none", "replicas": 1}, {"target": {"completeness": 0.9}}


def begun(place: Path, **spec: object) -> Plant:
    plant = Plant()
    plant.apply(topology(place, **spec))
    one = operator(plant)
    one.run("running")
    one.go_on(3)
    return plant


@contextmanager
def stopping() -> Iterator[None]:
    """The workers have found the order to stop, and come to the last epoch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Book, "stop_epoch", lambda _: 7)
        yield


def newest(plant: Plant) -> ControlRecord:
    """By an operator of its own, who writes nothing."""
    one = operator(plant)
    one.go_on(1)
    assert one.life is not None
    record = one.life.ground.need_world().book.newest()
    assert record is not None
    return record


def killed_at_each_write(
    place: Path, make: Callable[[Path], Plant], act: Callable[[Operator], None], step: int = 1
) -> Iterator[tuple[int, Plant]]:
    """Another operator ends what the one that was killed has begun."""
    for write in range(1, 100, step):
        plant = make(place / str(write))
        try:
            act(operator(plant, (write, write // step % 2 == 0)))
        except Killed:
            act(operator(plant))
            yield write, plant
        else:
            return


def comes_to(state: str) -> Callable[[Operator], None]:
    def act(one: Operator) -> None:
        one.run(state, 100)
        one.go_on(3)

    return act


def attempts(plant: Plant) -> int:
    return int(plant.things[PATH]["status"]["attempts"])


def test_a_suspend_orders_one_stop_and_ends_each_pod_once(tmp_path: Path) -> None:
    def make(place: Path) -> Plant:
        plant = begun(place)
        plant.apply(topology(place, suspend=True))
        return plant

    deaths = 0
    with stopping():
        for write, plant in killed_at_each_write(tmp_path, make, comes_to("suspended")):
            deaths += 1
            assert not plant.pods(), f"write {write}"
            assert sorted(plant.ended) == sorted(plant.born), f"write {write}"
            assert (len(plant.born), attempts(plant)) == (6, 0), f"write {write}"
    assert deaths > 7


def test_a_resume_starts_each_pod_once_and_goes_on_with_one_record(tmp_path: Path) -> None:
    def make(place: Path) -> Plant:
        plant = begun(place)
        plant.apply(topology(place, suspend=True))
        with stopping():
            comes_to("suspended")(operator(plant))
        plant.apply(topology(place))
        return plant

    deaths, numbers = 0, set()
    for write, plant in killed_at_each_write(tmp_path, make, resumed):
        deaths += 1
        record = newest(plant)
        numbers.add(record.number)
        assert not record.shape.stopped, f"write {write}"
        assert (len(plant.pods()), len(plant.born), len(set(plant.ended))) == (6, 12, 6), f"write {write}"
        assert attempts(plant) == 0, f"write {write}"
    assert deaths > 8
    assert len(numbers) == 1, "no record is written twice"


def resumed(one: Operator) -> None:
    one.go_on(2)
    comes_to("running")(one)


def test_a_change_that_is_taken_back_after_it_was_in_force_leaves_what_was_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pods that it needs are not valid, as the API server says."""
    create = PlantApi.do_create

    def invalid(api: PlantApi, path: str, body: Object) -> Object | None:
        if path == PODS and len(api.plant.pods()) >= 5:
            raise Denied(422, "Invalid", "spec.containers[0].image")
        return create(api, path, body)

    def make(place: Path) -> Plant:
        plant = begun(place, faultTolerance=ALONE)
        assert len(plant.pods()) == 5
        plant.apply(topology(place, faultTolerance=TWICE))
        return plant

    monkeypatch.setattr(PlantApi, "do_create", invalid)
    monkeypatch.setattr(Life, "terms", lambda *_: Terms(Budget(attempts=1, backoff_ms=1)))
    deaths = 0
    for write, plant in killed_at_each_write(tmp_path, make, taken_back, step=3):
        deaths += 1
        record = newest(plant)
        assert (plant.things[PATH]["status"]["state"], record.shape.stopped) == ("running", False), f"write {write}"
        assert (len(plant.pods()), plant.ended) == (5, []), f"write {write}"
        [planned] = [one for one in plant.things[PATH]["status"]["conditions"] if one["type"] == "Planned"]
        assert (planned["status"], planned["reason"]) == ("False", "NotInForce"), f"write {write}"
    assert deaths > 4


def taken_back(one: Operator) -> None:
    """It was tried as often as the budget says."""
    for _ in range(60):
        one.go_on(1)
        if one.state() == "running" and one.life is not None and one.life.ground.trouble[1]:
            break
    one.go_on(3)
