"""What `kubectl get -o yaml` prints is understood as it is, and no two topologies may bear one name."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from levee.cli.main import run
from levee.topology.load import Loaded, load, unique
from levee.topology.wording import complaint_text
from tests.topology.shop import CLICKS, Tree, changed, put, text

WRITE = "write the topologies as a list, or one document each"


def stored(name: str, tree: Tree = CLICKS) -> Tree:
    """As the cluster gives it back."""
    given = {"uid": "0-1", "resourceVersion": "7", "generation": 2, "creationTimestamp": "2026-11-18T10:00:00Z", "managedFields": [{}]}
    return deepcopy(tree) | {"metadata": {"name": name, "namespace": "shop"} | given, "status": {"state": "running", "history": [1, {}]}}


def listed(*items: Any, kind: str = "List") -> str:
    return yaml.safe_dump({"apiVersion": "v1", "kind": kind, "metadata": {"resourceVersion": ""}, "items": list(items)})


def told(loaded: tuple[Loaded, ...]) -> list[list[str]]:
    return [[complaint_text(complaint) for complaint in one.complaints] for one in loaded]


@pytest.mark.parametrize("kind", ["List", "FaultTolerantTopologyList"])
def test_a_list_is_its_items_each_with_its_place(kind: str) -> None:
    loaded = load(listed(stored("one"), stored("two"), kind=kind), origin="all.yaml")
    assert [(one.short_name, one.origin, one.complaints) for one in loaded] == [
        ("shop/one", "all.yaml, items[0]", ()),
        ("shop/two", "all.yaml, items[1]", ()),
    ]


def test_a_list_may_stand_beside_other_documents() -> None:
    loaded = load(f"{listed(stored('one'))}---\n{yaml.safe_dump(CLICKS)}", origin="all.yaml")
    assert loaded[0].origin == "all.yaml, line 1, items[0]"
    assert [one.short_name for one in loaded] == ["shop/one", "shop/clicks"]


def test_what_a_cluster_adds_changes_nothing() -> None:
    (plain,), (returned,) = load(yaml.safe_dump(CLICKS), origin="a"), load(yaml.safe_dump(stored("clicks")), origin="a")
    assert plain.topology == returned.topology
    assert returned.complaints == ()


def test_mistakes_in_an_item_are_told_from_its_own_root() -> None:
    items = listed(stored("one"), stored("two", changed(put("operators.0.inputs.0.cost", 12))))
    items = items.replace("function: shop.clicks:totals", "function: shop.clicks:totals\n      function: shop.clicks:totals")
    assert items.count("function: shop.clicks:totals") == 4
    first, second = told(load(items, origin="all.yaml"))
    assert [line.split(":")[0].strip() for line in first] == ["spec.operators[2].function"]
    assert [line.split(":")[0].strip() for line in second] == ["spec.operators[2].function", "spec.operators[0].inputs[0].cost"]


def test_a_boolean_in_an_item_is_told_as_it_was_written() -> None:
    items = listed(stored("one")).replace("format: rate", "format: No", 1)
    assert "No is read as a boolean, not as text" in told(load(items, origin="all.yaml"))[0][0]


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ("", text("items", "is missing", WRITE)),
        ("items: []", text("items", "is empty", WRITE)),
        ("items: {}", text("items", "is a mapping, but must be a list", WRITE)),
        ("items: [null]", text("items[0]", "is nothing, not a resource", "remove it")),
    ],
)
def test_a_list_without_topologies_is_refused(items: str, expected: str) -> None:
    assert told(load(f"apiVersion: v1\nkind: List\n{items}\n", origin="all.yaml")) == [[expected]]


def test_an_item_of_another_kind_is_refused() -> None:
    ((wrong,),) = told(load(listed(stored("one") | {"kind": "Pod"}), origin="all.yaml"))
    assert "kind: is 'Pod', but only FaultTolerantTopology is understood here" in wrong


def test_a_name_may_be_given_once_whatever_the_file() -> None:
    one, two = load(listed(stored("one"), stored("one")), origin="a.yaml"), load(yaml.safe_dump(stored("one")), origin="b.yaml")
    fix = "give each topology a name of its own in its namespace, or keep one of the two"
    again = text("metadata.name", "'shop/one' is already the name of the topology in a.yaml, items[0]", fix)
    assert told(unique((*one, *two))) == [[], [again], [again]]


def test_one_name_in_two_namespaces_is_two_names() -> None:
    elsewhere = deepcopy(CLICKS) | {"metadata": {"name": "clicks"}}
    explicit = deepcopy(CLICKS) | {"metadata": {"name": "clicks", "namespace": "default"}}
    loaded = [one for tree in (CLICKS, elsewhere, explicit) for one in load(yaml.safe_dump(tree), origin="a.yaml")]
    assert [len(one.complaints) for one in unique(loaded)] == [0, 0, 1]


def test_another_kind_of_the_same_name_takes_nothing_away() -> None:
    loaded = load(f"{yaml.safe_dump(CLICKS | {'kind': 'Pod'})}---\n{yaml.safe_dump(CLICKS)}", origin="a.yaml")
    assert [one.topology is not None for one in unique(loaded)] == [False, True]


@pytest.mark.parametrize("kind", ["[]", "{}", "3", ""])
def test_a_kind_may_be_anything(kind: str) -> None:
    (one,) = load(f"kind: {kind}\nitems: []\n", origin="all.yaml")
    assert "kind" in {complaint.where for complaint in one.complaints}


@pytest.mark.parametrize("command", ["validate", "plan"])
def test_the_same_topology_twice_is_refused(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "clicks.json"
    path.write_text(json.dumps(CLICKS))
    assert run([command, "-f", str(path), "-f", str(path)]) == 1
    assert f"'shop/clicks' is already the name of the topology in {path}." in capsys.readouterr().err
