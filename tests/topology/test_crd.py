"""The CustomResourceDefinition: current, structural, and of one mind with the validator."""

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import celpy
import pytest
import yaml
from celpy import celtypes
from celpy.adapter import json_to_cel
from jsonschema import Draft4Validator

from levee.topology.crd import NAME, crd, crd_text
from levee.topology.crd_rules import LIST_KEYS, RULES
from tests.topology.shop import CLICKS, Change, Tree, changed, drop, put, said_after
from tests.topology.test_messages import SOUND

ROOT = Path(__file__).parents[2]
SCHEMA: Tree = crd()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
FORBIDDEN = {
    "$ref",
    "$defs",
    "definitions",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "nullable",
    "title",
    "const",
    "uniqueItems",
    "examples",
    "patternProperties",
}


def parts(schema: Tree = SCHEMA, path: str = "") -> Iterator[tuple[str, Tree]]:
    """Every part of the schema with its path; a list's items are [], a mapping's values {}."""
    yield path, schema
    for name, part in schema.get("properties", {}).items():
        yield from parts(part, f"{path}.{name}" if path else name)
    if "items" in schema:
        yield from parts(schema["items"], f"{path}[]")
    if "additionalProperties" in schema:
        yield from parts(schema["additionalProperties"], f"{path}{{}}")


PARTS = dict(parts())


def plain(schema: Any) -> Any:
    """As a JSON schema that jsonschema knows: int-or-string spelled out, unknown fields refused instead of pruned."""
    if not isinstance(schema, dict):
        return schema
    known = {key: plain(value) for key, value in schema.items() if not key.startswith("x-") and key != "properties"}
    if "properties" in schema:
        known |= {"properties": {name: plain(part) for name, part in schema["properties"].items()}, "additionalProperties": False}
    if schema.get("x-kubernetes-int-or-string"):
        known |= {"type": ["integer", "string"]}
    return known


def with_defaults(schema: Tree, value: Any) -> Any:
    """As the API server fills in what is left out."""
    if isinstance(value, dict) and "properties" in schema:
        filled = {name: deepcopy(part["default"]) for name, part in schema["properties"].items() if "default" in part and name not in value}
        return {name: with_defaults(schema["properties"].get(name, {}), item) for name, item in (value | filled).items()}
    if isinstance(value, list):
        return [with_defaults(schema["items"], item) for item in value]
    return value


def refused(path: str, schema: Tree, value: Any, old: Any = None) -> Iterator[str]:
    """The messages of the rules that a value breaks; transition rules only where there is an old value."""
    for rule in RULES.get(path, ()):
        if ("oldSelf" not in rule.cel or old is not None) and not holds(rule.cel, schema, value, old):
            yield rule.message
    if isinstance(value, dict):
        for name, item in value.items():
            if name in schema.get("properties", {}):
                below = f"{path}.{name}" if path else name
                yield from refused(below, schema["properties"][name], item, old.get(name) if isinstance(old, dict) else None)
    if isinstance(value, list):
        for item in value:
            yield from refused(f"{path}[]", schema["items"], item)


def holds(cel: str, schema: Tree, value: Any, old: Any) -> bool:
    environment = celpy.Environment()
    program = environment.program(environment.compile(cel.replace("__import__", "import_")), functions={"sum": total})
    return bool(program.evaluate({"self": typed(schema, value), "oldSelf": typed(schema, old)}))


def total(numbers: Any) -> celtypes.DoubleType:
    return celtypes.DoubleType(sum(numbers))


def typed(schema: Tree, value: Any) -> Any:
    """Numbers as the schema has them: 1 in a field of type number is 1.0 to the API server."""
    if schema.get("type") == "number":
        return celtypes.DoubleType(value)
    if isinstance(value, dict):
        of, other = schema.get("properties", {}), schema.get("additionalProperties", {})
        names = {name: "import_" if name == "import" else name for name in value}
        return celtypes.MapType({celtypes.StringType(names[name]): typed(of.get(name, other), item) for name, item in value.items()})
    if isinstance(value, list):
        return celtypes.ListType([typed(schema.get("items", {}), item) for item in value])
    return json_to_cel(value)


def without_nulls(tree: Any) -> Any:
    """The API server drops them before it looks any further."""
    return {key: without_nulls(item) for key, item in tree.items() if item is not None} if isinstance(tree, dict) else tree


def admitted(tree: Tree, old: Tree | None = None) -> list[str]:
    """What the API server would say, as far as its schema and rules go."""
    filled = with_defaults(SCHEMA, tree)
    before = with_defaults(SCHEMA, old) if old else None
    return [error.message for error in Draft4Validator(plain(SCHEMA)).iter_errors(filled)] or list(refused("", SCHEMA, filled, before))


def test_the_written_file_is_current() -> None:
    assert (ROOT / "crds" / f"{NAME}.yaml").read_text(encoding="utf-8") == crd_text(), "run `make crds`"


def test_the_file_is_small_enough_for_kubectl_apply() -> None:
    assert len(crd_text()) < 262_144  # it is kept once more in an annotation


@pytest.mark.parametrize("path", PARTS)
def test_every_part_is_structural(path: str) -> None:
    part = PARTS[path]
    assert not FORBIDDEN & part.keys()
    assert ("type" in part) != bool(part.get("x-kubernetes-int-or-string"))
    assert not ("properties" in part and "additionalProperties" in part)
    assert "default" not in part or part["default"] is not None
    if not path.endswith(("[]", "{}")) and path != "metadata":  # of which nothing may be said
        assert len(part["description"]) > 5


@pytest.mark.parametrize(
    "path", [path for path, part in PARTS.items() if part.get("type") in {"array", "string"} or "additionalProperties" in part]
)
def test_everything_that_can_grow_is_bounded(path: str) -> None:
    part = PARTS[path]
    bound = {"array": "maxItems", "string": "maxLength", "object": "maxProperties"}[part["type"]]
    free = "enum" in part or part.get("format") == "date-time" or path in {"apiVersion", "kind"}
    assert free or bound in part


@pytest.mark.parametrize("path", [path for path, part in PARTS.items() if part.get("type") == "array"])
def test_every_list_says_how_it_is_merged(path: str) -> None:
    part = PARTS[path]
    keys = part.get("x-kubernetes-list-map-keys", [])
    assert part["x-kubernetes-list-type"] == ("map" if keys else "atomic")
    assert set(keys) <= set(part["items"].get("required", []))


def test_every_default_is_valid_where_it_stands() -> None:
    for path, part in PARTS.items():
        if "default" in part:
            filled = with_defaults(part, part["default"])
            assert not list(Draft4Validator(plain(part)).iter_errors(filled)), path
            assert not list(refused(path, part, filled)), path


def test_every_default_passes_the_rules_of_edits_as_it_is_written() -> None:
    """So the API server tries them when it is given the definition, before it fills in the defaults of their fields."""
    for path, part in PARTS.items():
        if "default" in part:
            assert not list(refused(path, part, part["default"], part["default"])), path


def test_every_rule_and_key_stands_at_a_part_that_exists() -> None:
    assert set(RULES) | set(LIST_KEYS) <= set(PARTS)


def test_the_columns_show_fields_that_exist() -> None:
    for column in crd()["spec"]["versions"][0]["additionalPrinterColumns"]:
        path = column["jsonPath"].removeprefix(".").split("[")[0]
        assert path in PARTS or path.startswith("metadata.")


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_is_admitted(path: Path) -> None:
    assert admitted(yaml.safe_load(path.read_text(encoding="utf-8"))) == []


ADD_UP = "the probabilities must add up to 1"
NO_RATES = "every source needs configurations with its rates, unless spec.configurations says them"
BROKEN: list[tuple[str, list[Change], str]] = [
    ("two ways to read", [put("sources.0.import", {"topology": "a", "stream": "b"})], "a source has either spark or import"),
    ("no way to read", [drop("sources.0.spark")], "a source has either spark or import"),
    ("two targets", [put("faultTolerance.target.budget", 3)], "a plan has one target: completeness, fidelity or budget"),
    ("no target", [drop("faultTolerance")], "the strategy completeness needs a target: {completeness: 0.7}"),
    ("the wrong target", [put("faultTolerance.target", {"fidelity": 1})], "the strategy completeness cannot have fidelity as its target"),
    (
        "a price of nothing",
        [put("faultTolerance.target", {"budget": 1, "penalty": "20h"})],
        "penalty is the price of missing completeness: it needs completeness as the target",
    ),
    (
        "a reserve of nothing",
        [put("faultTolerance.target", {"budget": 1, "reserve": 0.1})],
        "reserve is set aside from completeness: it needs completeness as the target, and no penalty",
    ),
    ("probabilities", [put("sources.0.configurations.1.probability", 0.3)], ADD_UP),
    ("joint probabilities", [put("configurations", [{"probability": 0.5, "rates": {"web": 400, "app": 20}}])], ADD_UP),
    ("the sum of shares", [put("operators.0.shares", [0.5, 0.4])], "shares must add up to 1"),
    ("the count of shares", [put("sources.0.shares", [0.5, 0.5])], "shares must have one share per task"),
    ("no rates", [drop("sources.0.configurations")], NO_RATES),
    ("a late deadline", [put("operators.0.deadline", "1m")], "the deadline of operators must be less than faultTolerance.failureTimeout"),
    (
        "one name for two",
        [put("sinks.0.name", "web")],
        "sources and sinks must not have the same name: a name stands for one stream",
    ),
]


@pytest.mark.parametrize(("changes", "message"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_what_the_rules_refuse_the_validator_refuses_too(changes: list[Change], message: str) -> None:
    assert admitted(changed(*changes)) == [message]
    assert said_after(*changes)


@pytest.mark.parametrize("changes", SOUND)
def test_what_the_validator_accepts_the_rules_admit(changes: list[Change]) -> None:
    assert admitted(without_nulls(changed(*changes))) == []


def test_a_topology_that_is_no_label_is_refused() -> None:
    assert admitted(CLICKS | {"metadata": {"name": "shop.clicks"}}) == ["metadata.name must be a DNS label that begins with a letter"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([put("store.uri", "s3://other/prefix")], "store cannot be changed: streams and checkpoints are kept there"),
        ([put("epoch.period", "2s")], "epoch.period cannot be changed: epochs are numbered by it"),
        (
            [put("epoch.retention", "20m")],
            "epoch.retention cannot be changed: a worker that slept must not take for new what others may delete",
        ),
        ([put("epoch.hold", "90ms")], "epoch.hold can be changed only while suspend is true: workers read it when they start"),
        ([put("epoch.maxRows", 7)], "epoch.maxRows can be changed only while suspend is true: workers read it when they start"),
        (
            [put("epoch.backlog", "2h")],
            "epoch.backlog can be changed only while suspend is true: sources and sinks that differ in it would wait for each other",
        ),
        ([put("epoch.hold", "100ms")], None),  # as it is when it is left out
        ([put("suspend", True)], None),
    ],
)
def test_what_streams_and_running_workers_rely_on_cannot_be_changed(changes: list[Change], message: str | None) -> None:
    assert admitted(changed(*changes), old=CLICKS) == ([message] if message else [])


@pytest.mark.parametrize("changes", [[put("epoch.hold", "90ms")], [put("epoch.maxRows", 7)], [put("epoch.backlog", "2h")]])
@pytest.mark.parametrize("suspend", [True, False])
def test_what_workers_read_when_they_start_can_be_changed_while_none_runs(changes: list[Change], suspend: bool) -> None:
    assert admitted(changed(*changes, put("suspend", suspend)), old=changed(put("suspend", True))) == []


def test_a_store_cannot_be_changed_while_it_is_suspended_either() -> None:
    old = changed(put("suspend", True))
    for path, value in (("store.uri", "s3://other/prefix"), ("epoch.period", "2s"), ("epoch.retention", "20m")):
        [said] = admitted(changed(put(path, value), put("suspend", True)), old=old)
        assert said.startswith(f"{path.split('.uri')[0]} cannot be changed: ")


def test_a_period_that_was_given_cannot_be_taken_away() -> None:
    assert admitted(CLICKS, old=changed(put("epoch.period", "2s"))) == ["epoch.period cannot be changed: epochs are numbered by it"]
