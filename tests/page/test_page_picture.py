"""What the page shows, as a value: nothing is known in a browser that is not known here."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from levee.control.names import ReplicaName
from levee.control.seen import Observation
from levee.control.wanted import Patience, Placed, Wanted
from levee.page.picture import replicas
from levee.page.picture.graph import Graph
from levee.page.picture.view import Brief
from levee.page.picture.whole import CONFIGURATIONS_MAX, picture
from levee.topology.graph import Configuration
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId
from levee.worlds.local.table import TaskEntry
from levee_spark.log.values import Shape
from tests.page.views import AT, GRAPH, LOADED, SECRET, SEEN, TABLE, shown, view

PAGE = Path(__file__).parents[2] / "docs" / "page.md"


def box(name: str, **changes: Any) -> Any:
    return next(one for one in shown(**changes)["boxes"] if one["name"] == name)


def of_replicas(field: str, **changes: Any) -> dict[str, Any]:
    return {one["replica"]: one[field] for part in shown(**changes)["boxes"] for task in part["tasks"] for one in task["replicas"]}


def wanted(*active: str) -> Wanted:
    """With a replica that nobody has seen."""
    names = (*of_replicas("mark"), "raw/0/1")
    return Wanted(
        Shape((), ""),
        (TaskId("market/0"),),
        (Placed(SEEN.workers[0].worker, NodeName("node-1"), tuple(map(ReplicaName, names))),),
        GRAPH.configurations,
        {ConfigurationName("calm"): frozenset(map(ReplicaName, active)), ConfigurationName("peak"): frozenset()},
        Patience(5_000),
    )


def test_the_graph_is_that_of_the_resource_and_of_options_nothing_is_shown() -> None:
    boxes = [(one["name"], one["kind"], one["says"]) for one in shown()["boxes"]]
    assert boxes == [
        ("market", "source", "kafka"),
        ("total", "operator", "shop.features:total"),
        ("out", "sink", "jdbc"),
        ("raw", "sink", "console"),
    ]
    assert SECRET not in json.dumps(picture(AT, view()))
    assert LOADED.resource is not None
    assert SECRET in LOADED.resource.model_dump_json()


def test_a_stream_has_its_lanes_and_how_its_rows_are_spread() -> None:
    streams = {(one["from"], one["to"]): (one["partitioning"], one["columns"], one["late"], one["lanes"]) for one in shown()["streams"]}
    assert streams == {
        ("market", "total"): ("full", ["symbol"], "wait", ["final"]),
        ("total", "out"): ("merge", [], "tentative", ["final", "tentative"]),
        ("market", "raw"): ("merge", [], "wait", ["final"]),
    }


def test_replicas_of_a_task_emit_the_same_rows_and_tasks_of_an_operator_others() -> None:
    assert {one["name"]: one["rowsPerS"] for one in shown()["boxes"]} == {"market": 500.0, "total": 50.0, "out": 50.0, "raw": 0.0}


def test_each_replica_is_drawn_by_its_role_or_by_why_it_has_none() -> None:
    assert of_replicas("mark") == {
        "market/0/0": "primary",
        "market/0/1": "secondary",
        "total/0/0": "primary",
        "total/0/1": "secondary",
        "total/1/0": "primary",
        "total/1/1": "idle",
        "out/0/0": "deliverer",
        "out/0/1": "failed",
        "raw/0/0": "failed",
    }
    assert set(of_replicas("mark").values()) <= set(replicas.MARKS)
    assert of_replicas("status")["out/0/1"] == "node lost"
    assert of_replicas("lagEpochs")["total/0/0"] == 1


def test_whoever_is_planned_and_was_never_seen_is_missed_once_the_topology_has_begun() -> None:
    there = wanted("market/0/0")
    assert of_replicas("mark", wanted=there)["raw/0/1"] == "failed"
    assert of_replicas("mark", wanted=there, seen=replace(SEEN, anchored=False))["raw/0/1"] == "starting"
    assert of_replicas("epoch", wanted=there)["raw/0/1"] is None


def test_whether_a_replica_should_be_active_is_known_by_who_knows_the_plan() -> None:
    assert set(of_replicas("active").values()) == {None}
    told = of_replicas("active", wanted=wanted("market/0/0"))
    assert [name for name, active in told.items() if active] == ["market/0/0"]


def test_rates_stand_against_the_configurations() -> None:
    one = shown()
    assert one["rates"] == {"market": 500.0}
    assert [(each["name"], each["inForce"], each["covers"]) for each in one["configurations"]] == [
        ("calm", True, False),
        ("peak", False, True),
    ]
    unknown = shown(seen=replace(SEEN, rates=None, rates_missing="no replica has said one"))
    assert (unknown["rates"], unknown["ratesMissing"]) == (None, "no replica has said one")
    assert {each["covers"] for each in unknown["configurations"]} == {None}


def test_of_thousands_of_configurations_the_one_in_force_is_shown_in_any_case() -> None:
    many = tuple(Configuration(ConfigurationName(f"c{n}"), 0.001, {OperatorName("market"): float(n)}) for n in range(1_000))
    one = shown(graph=replace(GRAPH, configurations=many), seen=replace(SEEN, configuration=ConfigurationName("c999")))
    assert [each["name"] for each in one["configurations"]][-2:] == [f"c{CONFIGURATIONS_MAX - 1}", "c999"]
    assert one["configurationsLeftOut"] == 1_000 - CONFIGURATIONS_MAX - 1


def test_of_thousands_of_tasks_those_that_are_not_well_are_shown_first() -> None:
    tasks = tuple(TaskEntry(TaskId(f"total/{n}"), (TaskId("market/0"),)) for n in range(1_000))
    names = (*of_replicas("mark"), *(f"total/{n}/0" for n in range(2, 999)))
    held = replace(SEEN.workers[0], replicas=tuple(map(ReplicaName, names)), states=SEEN.workers[0].states)
    there = replace(wanted(), workers=(Placed(held.worker, held.node, (ReplicaName("total/999/0"),)),))
    idle = tuple(replace(SEEN.workers[1].states[2], replica=ReplicaName(f"total/{n}/0")) for n in range(999))
    seen = replace(SEEN, workers=(replace(held, states=idle),))
    found = box("total", table=replace(TABLE, tasks=(*TABLE.tasks[:1], *tasks)), seen=seen, wanted=there)
    assert (len(found["tasks"]), found["tasksLeftOut"]) == (replicas.TASKS_MAX, 1_000 - replicas.TASKS_MAX)
    assert found["tasks"][0]["task"] == "total/999"


def test_events_come_newest_first_and_long_texts_are_cut() -> None:
    told = replace(TABLE.events[0], text="x" * 10_000)
    one = shown(table=replace(TABLE, events=(TABLE.events[1], told)))
    assert [each["grave"] for each in one["events"]] == [True, True]
    assert one["events"][0]["at"] == told.at
    assert len(one["events"][0]["text"]) < 5_000


def test_how_it_stands_is_told_in_the_words_of_the_status() -> None:
    one = shown()
    assert (one["reason"], one["text"], one["ready"], one["record"]) == ("Degraded", "out/0/1 cannot work", True, 4)
    assert one["summary"] == {"epoch": 3, "lagEpochs": 39, "working": 7, "replicas": 9, "rowsPerS": 500.0}
    assert one["guarantee"] == {"wanted": 0.9, "now": 0.95, "holds": True}
    assert [each["type"] for each in one["conditions"]] == ["Ready"]
    assert one["nodes"][1:] == [{"node": "node-2", "alive": True, "accepts": False}, {"node": "node-3", "alive": False, "accepts": True}]


def test_a_number_that_json_does_not_know_is_none() -> None:
    seen = replace(SEEN, rates={OperatorName("market"): float("nan")})
    assert shown(seen=seen)["rates"] == {"market": None}
    json.dumps(picture(AT, view(seen=seen)), allow_nan=False)


def test_what_is_not_valid_or_has_not_begun_has_a_picture_too() -> None:
    nothing = shown(graph=Graph(), seen=Observation(), table=replace(TABLE, tasks=(), events=()))
    assert (nothing["boxes"], nothing["streams"], nothing["rates"], nothing["nodes"]) == ([], [], None, [])
    assert nothing["configuration"] is None


def test_many_are_a_list() -> None:
    told = picture(
        AT, None, [Brief("shop/clicks", "running", True, None, "calm", 3, 4, 1)], asked="shop/klicks", count=7, note="it stands by"
    )
    assert (told["shown"], told["asked"], told["count"], told["note"]) == (None, "shop/klicks", 7, "it stands by")
    assert told["wrong"] == "There is no topology 'shop/klicks' here. Did you mean 'shop/clicks'?"
    [one] = told["topologies"]
    assert (one["name"], one["replicas"], one["met"]) == ("shop/clicks", {"active": 3, "desired": 4}, None)


def fields(value: Any) -> set[str]:
    match value:
        case dict():
            return {name for name in value if re.fullmatch("[a-zA-Z]+", name)} | {one for each in value.values() for one in fields(each)}
        case list():
            return {one for each in value for one in fields(each)}
        case _:
            return set()


@pytest.mark.parametrize("told", [picture(AT, view(wanted=wanted())), picture(AT, None, [Brief("a", "running")])])
def test_every_field_is_explained(told: Any) -> None:
    explained = set(re.findall(r"`([a-zA-Z]+)`", PAGE.read_text(encoding="utf-8")))
    assert fields(told) - {"market"} <= explained
