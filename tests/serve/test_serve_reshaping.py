"""Another graph is taken up where a topology was suspended; one that runs stops for it, and goes on from there."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from levee.serve.shop import Shop
from levee.topology import drawing
from levee.topology.names import OperatorName, TaskId
from levee.worlds import reshaping
from levee.worlds.local.book import Book
from levee_spark.check import finding
from levee_spark.check.finding import Finding, Weight
from levee_spark.log.requests import Script
from tests.serve.plant import PATH, Killed, Operator, Plant, operator, topology

LAST = 7
WITHOUT_MORE, WITH_MORE = 6, 10  # pods: two for each task


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock is a second later; the workers have found the order to stop, and come to the last epoch."""
    clock = itertools.count(1_800_000_000_000, 1_000)
    monkeypatch.setattr(Shop, "wall_ms", lambda _: next(clock))
    monkeypatch.setattr(Book, "stop_epoch", lambda _: LAST)


def grown(place: Path, **spec: Any) -> Any:
    """With one operator more, which reads what the first reads."""
    told = topology(place / "store", **spec)
    operators = told["spec"]["operators"]
    operators.append({**operators[0], "name": "more"})
    told["spec"]["sinks"].append({"name": "second", "from": "more", "spark": {"format": "console"}})
    return told


def begun(place: Path) -> tuple[Plant, Operator]:
    plant = Plant(found="[]")
    plant.apply(topology(place / "store"))
    one = operator(plant)
    one.run("running")
    return plant, one


def graph_in_force(one: Operator) -> drawing.Drawing:
    assert one.life is not None
    record = one.life.ground.need_world().book.newest()
    assert record is not None
    found = drawing.read(record.shape.graph)
    assert found is not None
    return found


def planned(plant: Plant) -> tuple[str, str]:
    [found] = [one for one in plant.things[PATH]["status"]["conditions"] if one["type"] == "Planned"]
    return found["reason"], found["message"]


def uids(plant: Plant) -> set[str]:
    return {pod["metadata"]["uid"] for pod in plant.pods()}


def states(one: Operator) -> list[str]:
    """That were stored, the last ones last."""
    return [passage["state"] for passage in one.plant.things[PATH]["status"]["history"]]


def test_what_runs_stops_for_another_graph_and_goes_on_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, one = begun(tmp_path)
    monkeypatch.setattr(reshaping, "behind", lambda *_: ())
    before = uids(plant)
    plant.apply(grown(tmp_path))
    one.run("reshaping", 30)
    assert OperatorName("more") not in graph_in_force(one).operators
    one.run("running", 30)
    assert OperatorName("more") in graph_in_force(one).operators
    assert states(one)[-4:] == ["updating", "reshaping", "updating", "running"]
    assert before.isdisjoint(uids(plant))  # each was started for one graph
    assert one.life is not None
    book = one.life.ground.need_world().book
    assert (tmp_path / "store" / book.wiring.layout.checkpoint(TaskId("more/0"), LAST)).exists()


def test_nothing_stops_for_an_operator_whose_function_fails(tmp_path: Path) -> None:
    plant, one = begun(tmp_path)
    before, fails = uids(plant), Finding("more", Weight.WRONG, "there is no such column", "mend the function")
    plant.found = finding.fitted([fails], 4_000)
    plant.apply(grown(tmp_path))
    one.run("updating", 10)
    one.run("running", 30)
    reason, message = planned(plant)
    assert reason == "DryRunFailed"
    assert "'more': the new function was tried from an empty state, and fails: there is no such column" in message
    assert "reshaping" not in states(one)
    assert (uids(plant), OperatorName("more") in graph_in_force(one).operators) == (before, False)


def test_who_takes_over_while_it_stops_for_another_graph_goes_on_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, one = begun(tmp_path)
    monkeypatch.setattr(reshaping, "behind", lambda *_: ())
    plant.apply(grown(tmp_path))
    one.run("reshaping", 30)
    another = operator(plant)
    another.run("running", 30)
    assert OperatorName("more") in graph_in_force(another).operators


def test_killed_at_any_write_of_a_change_of_graph_each_pod_of_the_new_one_is_started_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reshaping, "behind", lambda *_: ())
    deaths = 0
    for write in itertools.count(1):
        plant, _ = begun(tmp_path / str(write))
        before = uids(plant)
        plant.apply(grown(tmp_path / str(write)))
        one = operator(plant, (write, write % 2 == 0))
        try:
            takes_it_up(one)
        except Killed:
            deaths += 1
            one = operator(plant)
            takes_it_up(one)
        else:
            break
        told = f"write {write}"
        assert OperatorName("more") in graph_in_force(one).operators, told
        assert len(plant.pods()) == WITH_MORE, told
        assert before.isdisjoint(uids(plant)), told
        assert len(plant.born) == WITHOUT_MORE + WITH_MORE + 1, told  # one tries the new function
    assert deaths > WITHOUT_MORE + WITH_MORE  # all that were removed, all that were started, and what was stored


def takes_it_up(one: Operator) -> None:
    for _ in range(400):
        one.go_on(1)
        if one.state() == "running" and one.life is not None and one.life.ground.number == 2:
            one.go_on(2)
            return
    raise AssertionError(one.state())


def test_a_stream_that_somebody_imports_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reshaping, "behind", lambda *_: ())
    plant = Plant()
    plant.apply(grown(tmp_path))
    one = operator(plant)
    one.run("running")
    reader = topology(tmp_path / "store", sources=[{"name": "more", "import": {"topology": "clicks", "stream": "more"}}])
    plant.put(f"{PATH}-reader", reader | {"metadata": {"name": "reader", "namespace": "shop", "uid": "another"}})
    plant.apply(topology(tmp_path / "store"))
    one.go_on(6)
    assert planned(plant)[0] == "CannotChange"
    assert "'more' is gone, and its stream is imported by reader" in planned(plant)[1]
    assert "reshaping" not in states(one)
    plant.things.pop(f"{PATH}-reader")
    plant.apply(topology(tmp_path / "store", faultTolerance={"target": {"completeness": 0.8}}))  # what was refused is not tried again
    takes_it_up(one)
    assert OperatorName("more") not in graph_in_force(one).operators


def test_nothing_stops_for_a_graph_that_cannot_be(tmp_path: Path) -> None:
    plant, one = begun(tmp_path)
    born, told = list(plant.born), topology(tmp_path / "store")
    told["spec"]["sources"][0]["parallelism"] = 2
    plant.apply(told)
    one.go_on(6)
    one.run("running")
    assert planned(plant)[0] == "CannotChange"
    assert "another parallelism (1 before, 2 now)" in planned(plant)[1]
    assert plant.born == born
    assert "reshaping" not in states(one)


def test_an_operator_whose_state_could_not_follow_is_refused_before_anything_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, one = begun(tmp_path)
    monkeypatch.setattr(reshaping, "keeps_state", having_state)
    told = topology(tmp_path / "store")
    told["spec"]["operators"][0] |= {"parallelism": 2}
    told["spec"]["operators"][0]["inputs"][0]["partitionBy"] = ["key"]
    plant.apply(told)
    one.go_on(6)
    one.run("running")
    assert planned(plant)[0] == "CannotChange"
    assert "its state cannot follow them" in planned(plant)[1]
    assert "reshaping" not in states(one)


def having_state(_book: Book, _task: TaskId, epoch: int | None) -> Script[bool]:
    assert epoch is None, "it runs, so what it has published last counts"
    return True
    yield


def test_a_task_that_has_not_come_to_the_last_epoch_keeps_what_ran_as_it_was(tmp_path: Path) -> None:
    plant, one = begun(tmp_path)
    plant.apply(grown(tmp_path))
    one.run("reshaping", 30)
    one.go_on(8)
    goes_on_as_it_was(one)
    assert f"has not come to epoch {LAST}" in planned(plant)[1]


def test_a_suspended_topology_goes_on_with_another_graph_and_what_is_new_begins_where_all_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant, one = begun(tmp_path)
    monkeypatch.setattr(reshaping, "behind", lambda *_: ())
    plant.apply(topology(tmp_path / "store", suspend=True))
    one.run("suspended", 30)
    plant.apply(grown(tmp_path))
    one.run("running", 30)
    assert OperatorName("more") in graph_in_force(one).operators
    assert any("more" in str(pod) for pod in plant.pods())
    assert one.life is not None
    book = one.life.ground.need_world().book
    assert TaskId("more/0") in book.wiring.tasks
    assert (tmp_path / "store" / book.wiring.layout.checkpoint(TaskId("more/0"), LAST)).exists()


def test_a_task_that_has_not_come_to_the_last_epoch_keeps_the_graph_as_it_was(tmp_path: Path) -> None:
    plant, one = begun(tmp_path)
    plant.apply(topology(tmp_path / "store", suspend=True))
    one.run("suspended", 30)
    plant.apply(grown(tmp_path))
    one.go_on(8)
    reason, message = planned(plant)
    assert reason == "CannotChange"
    assert f"has not come to epoch {LAST}" in message
    assert OperatorName("more") not in graph_in_force(one).operators


def goes_on_as_it_was(one: Operator) -> None:
    """Its sources are told to begin again, by the graph that they had."""
    one.run("running", 30)
    one.go_on(3)
    assert one.life is not None
    record = one.life.ground.need_world().book.newest()
    assert record is not None
    assert not record.shape.stopped
    assert any(replica.startswith("market/") for replica, _ in record.live.ranks)
    assert OperatorName("more") not in graph_in_force(one).operators
    assert not any("more" in str(pod) for pod in one.plant.pods())
    assert healthy(one.plant) == "True"


def healthy(plant: Plant) -> str:
    [found] = [one for one in plant.things[PATH]["status"]["conditions"] if one["type"] == "Healthy"]
    return str(found["status"])


def suspended(plant: Plant, one: Operator, place: Path) -> None:
    plant.apply(topology(place / "store", suspend=True))
    one.run("suspended", 30)


def test_a_resume_that_is_refused_goes_on_with_the_graph_that_was_in_force(tmp_path: Path) -> None:
    plant, one = begun(tmp_path)
    suspended(plant, one, tmp_path)
    plant.apply(grown(tmp_path))
    one.go_on(4)
    goes_on_as_it_was(one)
    assert planned(plant)[0] == "CannotChange"


def test_a_resume_that_is_not_valid_goes_on_with_the_graph_that_was_in_force(tmp_path: Path) -> None:
    plant, one = begun(tmp_path)
    suspended(plant, one, tmp_path)
    told = topology(tmp_path / "store")
    told["spec"]["operators"][0]["inputs"][0]["from"] = "nowhere"
    plant.apply(told)
    one.go_on(4)
    goes_on_as_it_was(one)
    assert planned(plant)[0] == "Invalid"


@pytest.mark.parametrize("another", [False, True])
def test_a_graph_that_cannot_be_once_its_plan_is_written_is_not_tried_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, another: bool
) -> None:
    """The tasks have come to the last epoch when they are asked for the first time, and the store knows better the second time."""
    plant, one = begun(tmp_path)
    suspended(plant, one, tmp_path)
    answers = itertools.chain([()], itertools.repeat((TaskId("count/0"),)))
    monkeypatch.setattr(reshaping, "behind", lambda *_: next(answers))
    plant.apply(grown(tmp_path))
    one.go_on(2)
    if another:
        one = operator(plant)
    one.go_on(4)
    goes_on_as_it_was(one)
    assert planned(plant)[0] == "CannotChange"


def test_what_was_refused_can_be_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, one = begun(tmp_path)
    suspended(plant, one, tmp_path)
    plant.apply(grown(tmp_path))
    one.go_on(4)
    goes_on_as_it_was(one)
    suspended(plant, one, tmp_path)
    monkeypatch.setattr(reshaping, "behind", lambda *_: ())
    plant.apply(grown(tmp_path))
    one.run("running", 30)
    assert OperatorName("more") in graph_in_force(one).operators
