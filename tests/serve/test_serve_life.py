"""A topology's life under an operator that may die at every request it makes."""

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.lifecycle.stub import PlannerHere
from levee.control.actions import Decision
from levee.control.decide import decide
from levee.control.names import Instant, ReplicaName
from levee.control.part import is_of_workers
from levee.control.seen import Observation, ReplicaSeen, Status
from levee.control.wanted import Wanted
from levee.worlds.kubernetes.names import FAILURES, FINALIZER, PAUSED
from levee.worlds.local.book import Book
from levee_spark.log import control
from tests.serve.plant import PATH, PODS, Killed, Operator, Plant, node, operator, topology, well


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    made = Plant()
    made.apply(topology(tmp_path / "store"))
    return made


def conditions(plant: Plant) -> dict[str, tuple[str, str]]:
    return {one["type"]: (one["status"], one["reason"]) for one in plant.things[PATH]["status"]["conditions"]}


def running(plant: Plant) -> Operator:
    one = operator(plant)
    one.run("running")
    one.go_on(3)
    return one


def test_a_resource_becomes_pods_that_are_ready(plant: Plant) -> None:
    running(plant)
    assert len(plant.born) == len(set(plant.born)) == len(plant.pods()) == 6
    assert conditions(plant)["Ready"] == ("True", "AllReady")
    assert conditions(plant)["Planned"] == ("True", "PlanFound")
    assert conditions(plant)["GuaranteeMet"] == ("True", "AllActive")
    assert FINALIZER in plant.things[PATH]["metadata"]["finalizers"]
    assert plant.things["/apis/policy/v1/namespaces/shop/poddisruptionbudgets/clicks"]["spec"]["minAvailable"] == 5


def test_what_runs_well_is_left_alone(plant: Plant) -> None:
    one = running(plant)
    before = len(plant.written)
    one.go_on(10)
    assert plant.written[before:] == []


def test_another_operator_goes_on_without_a_write(plant: Plant) -> None:
    running(plant)
    before, born = len(plant.written), list(plant.born)
    other = operator(plant)
    other.go_on(5)
    assert plant.born == born
    assert not plant.ended
    assert plant.written[before:] == []


@pytest.mark.parametrize("carried_out", [False, True])
def test_killed_at_any_write_of_its_start_another_operator_ends_where_it_would_have(tmp_path: Path, carried_out: bool) -> None:
    """Not one pod is started twice, and none is ended."""
    deaths = 0
    for write in range(1, 100):
        plant = Plant()
        plant.apply(topology(tmp_path / f"{write}-{carried_out}"))
        one = operator(plant, (write, carried_out))
        try:
            one.run("running")
            one.go_on(3)
        except Killed:
            deaths += 1
        else:
            break
        running(plant)
        assert len(plant.born) == len(set(plant.born)) == len(plant.pods()) == 6, f"write {write}"
        assert not plant.ended, f"write {write}"
        assert conditions(plant)["Ready"] == ("True", "AllReady"), f"write {write}"
    assert deaths > 12


def test_two_operators_at_once_start_nothing_twice(plant: Plant) -> None:
    one, other = operator(plant), operator(plant)
    plant.watchers = [one.shop.cluster, other.shop.cluster]
    for _ in range(40):
        one.go_on(1)
        other.go_on(1)
    assert one.state() == "running"
    assert len(plant.born) == len(set(plant.born)) == len(plant.pods()) == 6


def test_a_pod_that_died_is_replaced_under_a_new_name(plant: Plant) -> None:
    one = running(plant)
    lost = plant.born[0]
    plant.fail(lost)
    one.go_on(3)
    assert len(plant.pods()) == 6
    assert plant.born[-1] == f"{lost.removesuffix('-1')}-2"
    assert plant.ended == [lost]


def test_a_pod_that_is_long_in_leaving_is_replaced_once(plant: Plant) -> None:
    one = running(plant)
    lost = plant.born[0]
    plant.ask_to_leave(lost)
    one.go_on(8)
    assert len(plant.born) == 7
    plant.remove(f"{PODS}/{lost}")
    one.go_on(4)
    assert len(plant.born) == 7
    assert len(plant.pods()) == 6


def test_a_pod_that_vanished_while_no_operator_was_there_is_started_again(plant: Plant) -> None:
    running(plant)
    lost = plant.born[0]
    plant.remove(f"{PODS}/{lost}")
    running(plant)
    assert len(plant.pods()) == 6


def test_deleting_the_resource_ends_everything_and_lets_it_go(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    one = running(plant)
    plant.delete_topology()
    one.go_on(1)
    assert one.state() == "canceling", "it ends at an epoch"
    monkeypatch.setattr(Book, "stop_epoch", lambda _: 7)  # the workers have found the order, and come to the last epoch
    one.run("gone", 20)
    assert PATH not in plant.things
    assert not plant.pods()


def test_an_invalid_resource_starts_nothing_and_says_what_is_wrong(tmp_path: Path) -> None:
    plant = Plant()
    told = topology(tmp_path)
    told["spec"]["operators"][0]["inputs"][0]["from"] = "nowhere"
    plant.apply(told)
    operator(plant).run("failed")
    assert not plant.born
    assert conditions(plant)["Planned"][0] == "False"
    [message] = [one["message"] for one in plant.things[PATH]["status"]["conditions"] if one["type"] == "Ready"]
    assert "nowhere" in message


def test_a_corrected_resource_is_taken_up(tmp_path: Path) -> None:
    plant = Plant()
    told = topology(tmp_path)
    told["spec"]["operators"][0]["inputs"][0]["from"] = "nowhere"
    plant.apply(told)
    operator(plant).run("failed")
    other = operator(plant)
    other.go_on(4)
    assert other.state() == "failed", "the same resource fails once"
    plant.apply(topology(tmp_path))
    other.run("running")


def test_a_running_topology_that_is_edited_into_nonsense_goes_on(plant: Plant, tmp_path: Path) -> None:
    one = running(plant)
    born = list(plant.born)
    told = topology(tmp_path / "store")
    told["spec"]["operators"][0]["inputs"][0]["from"] = "nowhere"
    plant.apply(told)
    one.go_on(6)
    one.run("running")
    one.go_on(3)
    assert plant.born == born
    assert not plant.ended
    assert conditions(plant)["Planned"] == ("False", "Invalid")
    assert conditions(plant)["Ready"] == ("True", "AllReady")


def test_a_new_target_moves_no_pod_that_need_not_move(plant: Plant, tmp_path: Path) -> None:
    one = running(plant)
    born = list(plant.born)
    told = topology(tmp_path / "store")
    told["spec"]["faultTolerance"]["target"] = {"completeness": 0.5}
    plant.apply(told)
    one.go_on(2)
    one.run("running")
    one.go_on(3)
    assert plant.born == born
    assert not plant.ended
    assert one.life is not None
    assert one.life.ground.number == 2


@pytest.mark.parametrize("change", [{"suspend": True}, None])
def test_a_suspended_or_paused_resource_is_not_begun(tmp_path: Path, change: dict[str, Any] | None) -> None:
    plant = Plant()
    plant.apply(topology(tmp_path, **(change or {})))
    if change is None:
        plant.annotate(PAUSED, "true")
    operator(plant).go_on(5)
    assert plant.things[PATH]["status"]["state"] == "submitted"
    assert not plant.born


@pytest.mark.parametrize("ended", [None, "false"])
def test_while_it_is_paused_an_edit_waits_and_what_runs_goes_on(plant: Plant, tmp_path: Path, ended: str | None) -> None:
    one = running(plant)
    born = list(plant.born)
    plant.annotate(PAUSED, "true")
    told = topology(tmp_path / "store")
    told["spec"]["faultTolerance"]["target"] = {"completeness": 0.5}
    plant.apply(told)
    one.go_on(6)
    assert one.life is not None
    assert (one.state(), one.life.ground.number) == ("running", 1)
    assert "last edit, which waits until the annotation levee.dev/paused is removed" in plan_told(plant)
    plant.fail(born[0])
    one.go_on(6)
    assert len(plant.born) == len(born) + 1, "what is lost is replaced"
    plant.annotate(PAUSED, ended)
    one.go_on(2)
    one.run("running")
    one.go_on(3)
    assert one.life.ground.number == 2
    assert "paused" not in plan_told(plant)


def plan_told(plant: Plant) -> str:
    [message] = [one["message"] for one in plant.things[PATH]["status"]["conditions"] if one["type"] == "Planned"]
    return str(message)


def test_another_nonce_restarts_all_pods_once(plant: Plant, tmp_path: Path) -> None:
    one = running(plant)
    plant.apply(topology(tmp_path / "store", restartNonce=1))
    one.go_on(4)
    one.run("running")
    one.go_on(4)
    assert len(plant.ended) == 6
    assert len(plant.pods()) == 6
    assert len(plant.born) == 12


def test_another_nonce_while_it_is_suspended_starts_its_pods_once(plant: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = running(plant)
    monkeypatch.setattr(Book, "stop_epoch", lambda _: 7)
    plant.apply(topology(tmp_path / "store", suspend=True))
    one.run("suspended", 20)
    one.go_on(2)
    plant.apply(topology(tmp_path / "store", suspend=True, restartNonce=1))
    one.go_on(3)
    plant.apply(topology(tmp_path / "store", restartNonce=1))
    one.run("running")
    one.go_on(6)
    assert (one.state(), len(plant.born), len(plant.pods())) == ("running", 12, 6)


def test_a_restart_beside_an_edit_is_not_forgotten_by_who_goes_on_with_the_edit(
    plant: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = running(plant)
    monkeypatch.setattr(PlannerHere, "submit", lambda *_: Future())
    plant.apply(topology(tmp_path / "store", restartNonce=1, faultTolerance={"target": {"completeness": 0.5}}))
    one.run("updating")
    monkeypatch.undo()
    other = operator(plant)
    other.go_on(8)
    assert (other.state(), len(plant.ended), len(plant.pods())) == ("running", 6, 6)


def test_another_nonce_restarts_pods_that_never_became_ready(plant: Plant, tmp_path: Path) -> None:
    plant.ready = False
    one = operator(plant)
    one.run("dispatching")
    one.go_on(3)
    plant.ready = True
    plant.apply(topology(tmp_path / "store", restartNonce=1))
    one.run("running")
    assert len(plant.ended) == 6
    assert len(plant.pods()) == 6


def test_killed_at_any_write_of_a_restart_no_pod_is_restarted_twice(tmp_path: Path) -> None:
    deaths = 0
    for write in range(1, 100):
        place = tmp_path / str(write)
        plant = Plant()
        plant.apply(topology(place))
        running(plant)
        plant.apply(topology(place, restartNonce=1))
        one = operator(plant, (write, write % 2 == 0))
        try:
            one.go_on(8)
        except Killed:
            deaths += 1
        else:
            break
        operator(plant).go_on(8)
        assert plant.things[PATH]["status"]["state"] == "running", f"write {write}"
        assert sorted(plant.ended) == sorted(set(plant.born)), f"write {write}"
        assert len(plant.born) == 12, f"write {write}"
    assert deaths > 12


def test_a_pod_that_was_given_up_is_told_of_and_another_nonce_starts_it_again(plant: Plant, tmp_path: Path) -> None:
    one = running(plant)
    lost = next(pod for pod in plant.pods() if "count" in pod["metadata"]["name"])
    lost["metadata"]["annotations"][FAILURES] = "6"
    plant.put(f"{PODS}/{lost['metadata']['name']}", lost)
    plant.fail(lost["metadata"]["name"])
    one.go_on(4)
    assert len(plant.pods()) == 6, "nobody starts it again"
    assert conditions(plant)["Healthy"] == ("False", "WorkerGivenUp")
    plant.apply(topology(tmp_path / "store", restartNonce=1))
    one.go_on(4)
    one.run("running")
    one.go_on(4)
    assert conditions(plant)["Healthy"][0] == "True"


def test_a_pod_that_is_evicted_from_a_cordoned_node_begins_elsewhere_and_comes_back(plant: Plant) -> None:
    one = running(plant)
    lost = next(pod["metadata"]["name"] for pod in plant.pods() if "-count-0-0-" in pod["metadata"]["name"])
    home = plant.things[f"{PODS}/{lost}"]["spec"]["nodeName"]
    number = int(home.removeprefix("node-"))
    one.shop.cluster.keep_node(node(number) | {"spec": {"unschedulable": True}})
    plant.ask_to_leave(lost)
    one.go_on(3)
    plant.remove(f"{PODS}/{lost}")
    one.go_on(4)
    [moved] = [pod for pod in plant.pods() if "-count-0-0-" in pod["metadata"]["name"]]
    assert moved["spec"]["nodeName"] != home
    assert len(plant.born) == 7, "nothing else has moved"
    one.shop.cluster.keep_node(node(number))
    one.go_on(8)
    [back] = [pod for pod in plant.pods() if "-count-0-0-" in pod["metadata"]["name"]]
    assert back["spec"]["nodeName"] == home
    assert len(plant.pods()) == 6


def test_a_task_that_fails_again_and_again_is_told_once_in_full(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    one = running(plant)
    for turn in range(12):
        monkeypatch.setattr("tests.serve.plant.well", failing if turn % 2 else well)
        one.go_on(1)
    told = [note for reason, note in plant.told() if reason == "Lost"]
    assert [note for note in told if "line 7" in note] == ["count/0/0 failed after epoch 7: it broke in line 7"]
    assert [note for note in told if "still fails" in note] == [
        f"count/0 still fails: count/0/0 after epoch 7, {times} times by now" for times in (2, 4)
    ]


def failing(replica: ReplicaName) -> ReplicaSeen:
    broken = replace(well(replica), status=Status.FAILED, error="it broke in line 7")
    return broken if replica == "count/0/0" else well(replica)


def test_no_pod_is_started_on_the_word_of_a_record_that_is_not_the_newest(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator sleeps between what it decides and what it does; meanwhile another one writes a record."""
    one, slept = running(plant), 0

    def decides_and_sleeps(wanted: Wanted, seen: Observation, now: Instant) -> Decision:
        nonlocal slept
        found = decide(wanted, seen, now)
        if found.actions and is_of_workers(found):
            slept += 1
            write_a_record(one)
        return found

    with monkeypatch.context() as patch:
        patch.setattr("levee.serve.life.decide", decides_and_sleeps)
        plant.fail(plant.born[0])
        one.go_on(5)
        assert slept > 1
        assert len(plant.born) == 6
    one.go_on(4)
    assert len(plant.born) == 7
    assert len(plant.pods()) == 6


def write_a_record(one: Operator) -> None:
    assert one.life is not None
    assert one.life.ground.world is not None
    mine = one.life.ground.world.book
    book = Book(mine.wiring, mine.driver, "another")
    record = book.newest()
    assert record is not None
    assert book.write(control.successor(record, book.holder))
