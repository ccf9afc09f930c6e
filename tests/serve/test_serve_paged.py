"""What the operator's page shows of the topologies that it looks after."""

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from levee.serve.app import Settings
from levee.serve.life import Life
from levee.serve.paged import Paged
from levee.worlds.kubernetes.api import Unreachable
from levee.worlds.kubernetes.names import Owner
from tests.serve.plant import PATH, Operator, Plant, operator, topology

SECRET = "hunter2"  # noqa: S105


@dataclass
class Some:
    """In place of a hub."""

    shop: Any
    found: list[Life]

    def lives(self) -> list[Life]:
        return self.found


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    made = Plant()
    spark = {"format": "kafka", "options": {"subscribe": "clicks", "kafka.sasl.jaas.config": SECRET}}
    made.apply(topology(tmp_path / "store", sources=[{"name": "market", "spark": spark, "configurations": [{"rate": 10}]}]))
    return made


def life(made: Operator) -> Life:
    assert made.life is not None
    made.life.renew(copy.deepcopy(made.plant.things[PATH]))
    return made.life


def shown(made: Operator, asked: str = "", *more: Life) -> Any:
    return Paged(Some(made.shop, [life(made), *more])).picture(asked)  # type: ignore[arg-type]  # a fake


def ran(plant: Plant) -> Operator:
    made = operator(plant)
    made.run("running")
    made.go_on(3)
    return made


def test_a_topology_that_runs_is_shown_with_replicas_conditions_and_events(plant: Plant) -> None:
    told = shown(ran(plant))
    one = told["shown"]
    assert (one["name"], one["state"], one["ready"], told["note"]) == ("shop/clicks", "running", True, "")
    assert [(part["name"], part["says"]) for part in one["boxes"]] == [
        ("market", "kafka"),
        ("count", "levee_spark.examples.pipeline:clean"),
        ("out", "console"),
    ]
    replicas = [each for part in one["boxes"] for task in part["tasks"] for each in task["replicas"]]
    assert len(replicas) == 6
    assert {each["status"] for each in replicas} == {"running"}
    assert {each["active"] for each in replicas} == {True}
    assert {each["type"] for each in one["conditions"]} == {"Ready", "Planned", "Healthy", "GuaranteeMet"}
    assert "AllReady" in {each["subject"] for each in one["events"]}
    assert [(each["at"][-1], each["grave"]) for each in one["events"][:1]] == [("Z", False)]
    assert one["guarantee"]["wanted"] == 0.9
    assert one["configurations"][0]["inForce"]


def test_what_a_source_must_keep_to_itself_is_not_shown(plant: Plant) -> None:
    told = json.dumps(shown(ran(plant)))
    assert SECRET not in told
    assert plant.things[PATH]["spec"]["store"]["uri"] not in told


def test_a_topology_that_ends_has_a_graph_and_no_replicas(plant: Plant) -> None:
    made = ran(plant)
    plant.apply(plant.things[PATH] | {"spec": plant.things[PATH]["spec"] | {"suspend": True}})
    made.run("suspending")
    made.go_on(1)
    one = shown(made)["shown"]
    assert (one["state"], one["ready"], one["reason"]) == ("suspending", False, "")
    assert [len(part["tasks"]) for part in one["boxes"]] == [0, 0, 0]
    assert one["streams"]


def test_a_topology_that_is_not_valid_says_why(plant: Plant) -> None:
    made = operator(plant)
    plant.things[PATH]["spec"]["operators"][0]["inputs"][0]["from"] = "markt"
    made.go_on(5)
    one = shown(made)["shown"]
    assert one["boxes"] == []
    assert any("markt" in each["message"] for each in one["conditions"])


def test_who_stands_by_shows_what_the_status_says_and_that_it_does(plant: Plant) -> None:
    ran(plant)
    second = operator(plant)
    second.shop.leads = lambda: False
    second.go_on(1)
    told = shown(second)
    assert "stands by" in told["note"]
    assert (told["shown"]["state"], told["shown"]["ready"]) == ("running", True)
    assert told["shown"]["nodes"] == []


def another(made: Operator) -> Life:
    resource = copy.deepcopy(made.plant.things[PATH])
    resource["metadata"] |= {"name": "orders", "uid": "another"}
    return Life(made.shop, Owner("shop", "orders", "another"), resource)


def test_of_several_there_is_a_list_and_each_by_its_name(plant: Plant) -> None:
    made = ran(plant)
    told = shown(made, "", another(made))
    assert [(one["name"], one["state"], one["ready"]) for one in told["topologies"]] == [
        ("shop/clicks", "running", True),
        ("shop/orders", "running", True),
    ]
    assert (told["shown"], told["count"]) == (None, 2)
    assert told["topologies"][0]["replicas"] == {"active": 6, "desired": 6}
    chosen = shown(made, "shop/clicks", another(made))
    assert (chosen["shown"]["name"], chosen["topologies"], chosen["count"]) == ("shop/clicks", [], 2)
    missing = shown(made, "shop/klicks", another(made))
    assert (missing["shown"], missing["asked"], len(missing["topologies"])) == (None, "shop/klicks", 2)


def test_without_any_topology_there_is_an_empty_list() -> None:
    told = Paged(Some(SimpleNamespace(leads=lambda: True), [])).picture("")  # type: ignore[arg-type]  # a fake
    assert (told["shown"], told["topologies"], told["count"]) == (None, [], 0)


def test_an_event_that_the_api_server_did_not_take_is_shown_all_the_same(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ran(plant)

    def create(*_: object) -> None:
        raise Unreachable("nobody there")

    monkeypatch.setattr(made.api, "do_create", create)
    life(made).teller.tell(life(made).owner, "Lost", "node-2 crashed", grave=True)
    newest = shown(made)["shown"]["events"][0]
    assert (newest["subject"], newest["text"], newest["grave"]) == ("Lost", "node-2 crashed", True)


def test_the_page_is_off_where_the_chart_says_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEVEE_PAGE_PORT", raising=False)
    assert Settings.read().page_port is None
    monkeypatch.setenv("LEVEE_PAGE_PORT", "8082")
    monkeypatch.setenv("LEVEE_PAGE_HOSTS", "levee-page,levee-page.system")
    found = Settings.read()
    assert (found.page_port, found.page_hosts) == (8082, ("levee-page", "levee-page.system"))
