"""A resource that the cluster's schema lets pass and that is wrong: told in the words of `levee validate`, and nothing is made."""

import json
from pathlib import Path
from typing import Any

import pytest

from levee.lifecycle.failures import Terms
from levee.lifecycle.machine import Budget
from levee.serve.life import Life
from levee.topology.load import load
from levee.topology.wording import complaint_text
from levee.worlds.kubernetes import companions
from levee.worlds.kubernetes.names import PAUSED, Owner
from levee.worlds.local.book import Book
from tests.serve.plant import PATH, PODS, Denied, Operator, Plant, PlantApi, operator, topology

EVENTS = "/apis/events.k8s.io/v1/namespaces/shop/events"
BAD: dict[str, Any] = {
    "a stream that nothing emits": lambda spec: spec["operators"][0]["inputs"][0].update({"from": "nowhere"}),
    "a sink of a stream that nothing emits": lambda spec: spec["sinks"][0].update({"from": "nowhere"}),
    "a cycle": lambda spec: spec["operators"][0]["inputs"].append({"from": "count"}),
    "a name for two things": lambda spec: spec["operators"][0].update({"name": "market"}),
}


def bad(store: Path, how: str) -> Any:
    told = topology(store)
    BAD[how](told["spec"])
    return json.loads(json.dumps(told))


def validated(told: Any) -> list[str]:
    """What `levee validate` prints of it, complaint by complaint."""
    [loaded] = load(companions.text(Owner("shop", "clicks", "x"), told), origin="shop/clicks")
    assert loaded.complaints
    return [complaint_text(one) for one in loaded.complaints]


def condition(plant: Plant, kind: str) -> Any:
    return next(one for one in plant.things[PATH]["status"]["conditions"] if one["type"] == kind)


def warnings(plant: Plant) -> list[tuple[str, str]]:
    events = [thing for path, thing in plant.things.items() if path.startswith(EVENTS) and thing["type"] == "Warning"]
    return [(one["reason"], one["note"]) for one in events]


def running(plant: Plant) -> Operator:
    one = operator(plant)
    one.run("running")
    one.go_on(3)
    return one


@pytest.mark.parametrize("how", BAD)
def test_it_fails_in_the_words_of_levee_validate_with_an_event_and_nothing_is_made(tmp_path: Path, how: str) -> None:
    plant, told = Plant(), bad(tmp_path, how)
    plant.apply(told)
    operator(plant).run("failed")
    for kind in ("Ready", "Planned"):
        said = condition(plant, kind)
        assert (said["status"], said["reason"]) == ("False", "Invalid")
        assert all(text in said["message"] for text in validated(told))
    [(reason, note)] = warnings(plant)
    assert reason == "Refused"
    assert all(text in note for text in validated(told))
    assert {path for path in plant.things if not path.startswith(EVENTS)} == {PATH}


@pytest.mark.parametrize("how", BAD)
def test_one_that_runs_goes_on_and_says_so_whoever_looks_after_it(tmp_path: Path, how: str) -> None:
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    one = running(plant)
    born, told = list(plant.born), bad(tmp_path / "store", how)
    plant.apply(told)
    one.go_on(6)
    one.run("running")
    one.go_on(3)
    check_that_it_goes_on(plant, told, born)
    assert [reason for reason, _ in warnings(plant)] == ["Refused"]
    other = operator(plant)
    other.go_on(6)
    check_that_it_goes_on(plant, told, born)


def check_that_it_goes_on(plant: Plant, told: Any, born: list[str]) -> None:
    said = condition(plant, "Planned")
    assert (said["status"], said["reason"], said["observedGeneration"]) == ("False", "Invalid", 2)
    assert all(text in said["message"] for text in validated(told))
    assert said["message"].endswith("it goes on as its last good resource said")
    assert condition(plant, "Ready")["status"] == condition(plant, "GuaranteeMet")["status"] == "True"
    assert plant.things[PATH]["status"]["state"] == "running"
    assert (plant.born, plant.ended) == (born, [])


def test_what_is_mended_is_taken_up_and_no_longer_complained_of(tmp_path: Path) -> None:
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    one = running(plant)
    plant.apply(bad(tmp_path / "store", "a cycle"))
    one.go_on(6)
    plant.apply(topology(tmp_path / "store"))
    one.go_on(6)
    one.run("running")
    one.go_on(2)
    assert condition(plant, "Planned")["status"] == "True"


def test_another_operator_replaces_what_a_topology_loses_whose_resource_is_nonsense(tmp_path: Path) -> None:
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    one = running(plant)
    plant.apply(bad(tmp_path / "store", "a cycle"))
    one.go_on(6)
    plant.fail(plant.born[0])
    other = operator(plant)
    other.go_on(6)
    assert len(plant.born) == 7
    assert len(plant.pods()) == 6


def test_another_operator_still_says_why_a_topology_was_never_begun(tmp_path: Path) -> None:
    plant, told = Plant(), bad(tmp_path, "a cycle")
    plant.apply(told)
    operator(plant).run("failed")
    operator(plant).go_on(4)
    assert all(text in condition(plant, kind)["message"] for text in validated(told) for kind in ("Ready", "Planned"))


def told_now(plant: Plant, bad: Any) -> bool:
    said = condition(plant, "Planned")
    return (said["status"], said["reason"]) == ("False", "Invalid") and all(text in said["message"] for text in validated(bad))


def waiting(told: Any) -> Any:
    told["spec"]["suspend"] = True
    return told


def test_before_it_is_taken_up_it_is_told_what_is_wrong_with_it(tmp_path: Path) -> None:
    plant, told = Plant(), waiting(bad(tmp_path / "store", "a cycle"))
    plant.apply(told)
    one = operator(plant)
    one.go_on(3)
    assert told_now(plant, told)
    assert one.state() == "submitted"
    plant.apply(waiting(topology(tmp_path / "store")))
    one.go_on(3)
    assert condition(plant, "Planned")["reason"] == "NotYet"
    assert not plant.born


def test_while_it_is_suspended_it_is_told_what_is_wrong_with_an_edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, told = Plant(), waiting(bad(tmp_path / "store", "a cycle"))
    plant.apply(topology(tmp_path / "store"))
    one = running(plant)
    monkeypatch.setattr(Book, "stop_epoch", lambda _: 7)
    plant.apply(waiting(topology(tmp_path / "store")))
    one.run("suspended", 20)
    plant.apply(told)
    one.go_on(3)
    assert told_now(plant, told)
    assert "goes on" not in condition(plant, "Planned")["message"]
    operator(plant).go_on(3)
    assert told_now(plant, told)
    plant.apply(waiting(topology(tmp_path / "store")))
    one.go_on(3)
    assert condition(plant, "Planned")["message"] == "it is planned anew when it is resumed"


def test_while_it_is_paused_it_is_told_what_is_wrong_with_an_edit_that_waits(tmp_path: Path) -> None:
    plant, told = Plant(), bad(tmp_path / "store", "a cycle")
    plant.apply(topology(tmp_path / "store"))
    one = running(plant)
    plant.annotate(PAUSED, "true")
    plant.apply(told)
    one.go_on(3)
    assert told_now(plant, told)
    assert one.state() == "running"


TEMPLATES: dict[str, Any] = {
    "a list that is a word": {"spec": {"tolerations": "all"}},
    "metadata that is a list": {"metadata": ["team"]},
}


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_a_template_that_is_none_is_refused_before_a_pod_needs_it(tmp_path: Path, template: Any) -> None:
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    one = running(plant)
    plant.apply(topology(tmp_path / "store", podTemplate=template))
    one.go_on(6)
    said = condition(plant, "Planned")
    assert (one.state(), said["status"], said["reason"]) == ("running", "False", "Invalid")
    assert "spec.podTemplate" in said["message"]
    plant.fail(plant.born[0])
    one.go_on(6)
    assert len(plant.pods()) == 6, "what is lost is replaced, as its last good resource said"


def test_a_template_that_the_api_server_refuses_is_not_taken_up(tmp_path: Path) -> None:
    plant = Plant()
    plant.refuses = "Invalid: spec.containers[0].resources.requests: must be less than or equal to memory limit of 10Mi"
    plant.apply(topology(tmp_path / "store", podTemplate={"spec": {"containers": [{"name": "worker"}]}}))
    operator(plant).run("failed")
    for kind in ("Ready", "Planned"):
        assert "memory limit of 10Mi" in condition(plant, kind)["message"]
    assert not plant.born


def test_one_whose_pods_are_never_taken_says_why_it_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create = PlantApi.do_create

    def invalid(api: PlantApi, path: str, body: Any) -> Any:
        if path == PODS:
            raise Denied(400, "BadRequest", "cannot unmarshal number into labels")
        return create(api, path, body)

    monkeypatch.setattr(PlantApi, "do_create", invalid)
    monkeypatch.setattr(Life, "terms", lambda *_: Terms(Budget(attempts=1, backoff_ms=1)))
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    operator(plant).run("failed", 200)
    for kind in ("Ready", "Planned"):
        said = condition(plant, kind)
        assert (said["status"], said["reason"]) == ("False", "GivenUp")
        assert "cannot unmarshal number into labels" in said["message"]
    told = [note for _, note in plant.told()]
    assert any("dispatching -> canceling: " in note and "cannot unmarshal" in note for note in told)
    assert "cleanup -> failed" in told
