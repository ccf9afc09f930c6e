"""An edited function is tried on the state that is there, in a pod of its own, before it takes over."""

import copy
import itertools
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from levee.serve.shop import Shop
from levee.worlds.kubernetes.api import Denied, Object
from levee_spark.check import finding
from levee_spark.check.finding import Finding, Weight
from tests.serve.plant import PATH, PODS, Killed, Operator, Plant, PlantApi, operator, stamp, topology

WRONG = Finding("count", Weight.WRONG, "the state has other columns", "mend the function, or say `state: discard`", detail="line 7")
OTHER = "levee_spark.examples.pipeline:enrich"


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(1_800_000_000_000, 1_000)
    monkeypatch.setattr(Shop, "wall_ms", lambda _: next(clock))


def edited(place: Path, **operator: Any) -> Any:
    told = topology(place / "store")
    told["spec"]["operators"][0] |= {"function": OTHER, **operator}
    return told


def begun(place: Path) -> Plant:
    plant = Plant()
    plant.apply(topology(place / "store"))
    operator(plant).run("running")
    plant.apply(edited(place))
    return plant


def trials(plant: Plant) -> list[str]:
    return [name for name in plant.born if "-trial-" in name]


def end(plant: Plant, message: str, phase: str = "Succeeded", name: str = "clicks-trial-2") -> None:
    """The kubelet has the last words of the container."""
    pod = copy.deepcopy(plant.things[f"{PODS}/{name}"])
    ended = {"terminated": {"reason": "Completed", "exitCode": 0, "finishedAt": stamp(), "message": message}}
    pod["status"] = {"phase": phase, "containerStatuses": [{"name": "worker", "state": ended}]}
    plant.put(f"{PODS}/{name}", pod)


def waiting(plant: Plant) -> Operator:
    one = operator(plant)
    one.run("updating", 10)
    one.go_on(6)
    return one


def planned(plant: Plant) -> tuple[str, str, str]:
    [said] = [one for one in plant.things[PATH]["status"]["conditions"] if one["type"] == "Planned"]
    return said["status"], said["reason"], said["message"]


def functions(one: Operator) -> dict[str, str]:
    assert one.life is not None
    assert one.life.ground.world is not None
    record = one.life.ground.world.book.newest()
    assert record is not None
    return {str(name): function for name, function in record.shape.functions}


def ordered(plant: Plant, name: str) -> Any:
    [container] = plant.things[f"{PODS}/{name}"]["spec"]["containers"]
    [order] = [json.loads(one["value"]) for one in container["env"] if one["name"] == "LEVEE_ORDER"]
    return order


def test_until_the_trial_has_ended_the_old_function_is_in_force(tmp_path: Path) -> None:
    plant = begun(tmp_path)
    one = waiting(plant)
    assert trials(plant) == ["clicks-trial-2"]
    assert one.state() == "updating"
    assert functions(one)["count"] != OTHER
    status, reason, message = planned(plant)
    assert (status, reason) == ("Unknown", "Waiting")
    assert "tries the new function of count" in message
    [ready] = [each for each in plant.things[PATH]["status"]["conditions"] if each["type"] == "Ready"]
    assert ready["status"] == "True", "what is in force goes on"
    assert [told for told, _ in plant.told()].count("DryRun") == 1


def test_the_trial_is_told_what_to_try_and_has_no_rights_but_a_worker_s(tmp_path: Path) -> None:
    plant = begun(tmp_path)
    waiting(plant)
    spec = plant.things[f"{PODS}/clicks-trial-2"]["spec"]
    [container] = spec["containers"]
    order = ordered(plant, "clicks-trial-2")
    assert (order["edited"], order["uid"]) == ({"kept": ["count"], "anew": []}, plant.things[PATH]["metadata"]["uid"])
    assert spec["automountServiceAccountToken"] is False
    assert not {"livenessProbe", "readinessProbe", "ports"} & container.keys()
    mounted = plant.things[f"/api/v1/namespaces/shop/configmaps/{spec['volumes'][-1]['configMap']['name']}"]
    assert OTHER in mounted["data"]["topology.yaml"]


def test_a_function_that_goes_on_with_the_state_takes_over_and_the_trial_is_cleared_away(tmp_path: Path) -> None:
    plant = begun(tmp_path)
    one = waiting(plant)
    end(plant, "[]")
    one.run("running", 20)
    assert functions(one)["count"] == OTHER
    assert f"{PODS}/clicks-trial-2" not in plant.things
    assert planned(plant)[0] == "True"


def test_a_trial_that_changes_as_it_is_cleared_away_is_gone_a_turn_later(tmp_path: Path) -> None:
    plant = begun(tmp_path)
    one = waiting(plant)
    end(plant, "[]")
    plant.change_unseen("clicks-trial-2")
    one.go_on(1)
    assert functions(one)["count"] == OTHER
    assert f"{PODS}/clicks-trial-2" in plant.things
    plant.tell("clicks-trial-2")
    one.run("running", 20)
    assert f"{PODS}/clicks-trial-2" not in plant.things


def test_a_function_that_cannot_go_on_is_refused_and_says_why_and_what_to_do(tmp_path: Path) -> None:
    plant = begun(tmp_path)
    one = waiting(plant)
    end(plant, finding.fitted([WRONG], 4_000))
    one.run("running", 20)
    one.go_on(5)
    status, reason, message = planned(plant)
    assert (status, reason) == ("False", "DryRunFailed")
    for words in ("does not go on with it: the state has other columns", "state: discard", "it goes on as its last good resource said"):
        assert words in message
    assert functions(one)["count"] != OTHER
    assert ("Refused" in [reason for reason, _ in plant.told()]) and any("other columns" in note for _, note in plant.told())
    assert trials(plant) == ["clicks-trial-2"], "it is not tried again until the resource changes"
    assert f"{PODS}/clicks-trial-2" not in plant.things


def test_whose_state_is_discarded_is_tried_from_an_empty_one(tmp_path: Path) -> None:
    plant = begun(tmp_path)
    plant.apply(edited(tmp_path, state="discard"))
    one = waiting(plant)
    assert ordered(plant, "clicks-trial-3")["edited"] == {"kept": [], "anew": ["count"]}
    end(plant, finding.fitted([WRONG], 4_000), name="clicks-trial-3")
    one.run("running", 20)
    one.go_on(5)
    assert planned(plant)[:2] == ("False", "DryRunFailed")
    assert "was tried from an empty state, and fails: the state has other columns" in planned(plant)[2]
    assert functions(one)["count"] != OTHER


def test_a_trial_that_breaks_is_tried_again_as_often_as_the_budget_says(tmp_path: Path) -> None:
    plant = begun(tmp_path)
    one = waiting(plant)
    for _ in range(400):
        if f"{PODS}/clicks-trial-2" in plant.things:
            end(plant, "java.lang.OutOfMemoryError", phase="Failed")
        one.go_on(1)
        if one.state() == "running":
            break
    one.go_on(3)
    status, reason, message = planned(plant)
    assert (status, reason) == ("False", "DryRunFailed")
    assert "could not be tried: Completed with exit code 0: java.lang.OutOfMemoryError" in message
    assert 2 < len(trials(plant)) < 10
    assert functions(one)["count"] != OTHER


def test_killed_at_any_write_of_an_edit_it_is_tried_once_and_then_taken_up(tmp_path: Path) -> None:
    deaths = 0
    for write in range(1, 60):
        plant = begun(tmp_path / str(write))
        one = operator(plant, (write, write % 2 == 0))
        try:
            passes(plant, one)
        except Killed:
            deaths += 1
            one = operator(plant)
            passes(plant, one)
        else:
            break
        assert functions(one)["count"] == OTHER, f"write {write}"
        assert len(plant.pods()) == 6, f"write {write}"
        assert len(trials(plant)) == 1, f"write {write}"
    assert deaths > 4


def passes(plant: Plant, one: Operator) -> None:
    for _ in range(30):
        name = f"{PODS}/clicks-trial-2"
        if name in plant.things and plant.things[name]["status"]["phase"] == "Running":
            end(plant, "[]")
        one.go_on(1)
        if one.state() == "running" and one.life is not None and one.life.ground.number == 2:
            one.go_on(2)
            return
    raise AssertionError(one.state())


@pytest.mark.parametrize("size", [1, 5_000, 100_000])
def test_what_was_found_fits_into_a_container_s_last_words(size: int) -> None:
    told = [Finding(f"operator-{number}", Weight.WRONG, "w" * size, "fix it", detail="d" * size) for number in range(5)]
    text = finding.fitted(told, 4_000)
    assert len(text.encode()) <= 4_000
    found = finding.parse(text)
    assert found
    assert found[0].operator == "operator-0"
    assert (asdict(found[0]) == asdict(told[0])) is (size == 1)


def test_an_edit_waits_for_a_trial_that_may_not_begin_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, create = begun(tmp_path), PlantApi.do_create

    def limited(api: PlantApi, path: str, body: Object) -> Object | None:
        if "-trial-" in body["metadata"]["name"]:
            raise Denied(403, "Forbidden", "exceeded quota")
        return create(api, path, body)

    with monkeypatch.context() as patch:
        patch.setattr(PlantApi, "do_create", limited)
        one = operator(plant)
        one.run("updating")
        one.go_on(100)
        status, reason, message = planned(plant)
        assert (one.state(), status, reason) == ("updating", "Unknown", "Waiting")
        assert "exceeded quota" in message
        assert functions(one)["count"] != OTHER
    passes(plant, one)
    assert functions(one)["count"] == OTHER
