"""What can be said of the chart without helm: its values, their schema, their page, and what it has copied."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import chart_values
from levee import __version__
from servers.pins import read_pins

CHART = chart_values.CHART
ROOT = CHART.parents[1]
SCHEMA = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
VALUES = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
SETS = sorted((CHART / "ci").glob("*-values.yaml"))
OF_KUBERNETES = {"requests", "limits", "claims", "nodeAffinity", "podAffinity", "podAntiAffinity"}

BAD = [
    ({"watchNamespace": ["orders"]}, "watchNamespace"),
    ({"watchNamespaces": "orders"}, "'orders' is not of type 'array'"),
    ({"watchNamespaces": ["Orders"]}, "'Orders' does not match"),
    ({"watchNamespaces": ["orders", "orders"]}, "non-unique"),
    ({"replicas": 3}, "maximum of 2"),
    ({"replicas": "1"}, "'1' is not of type 'integer'"),
    ({"image": {"digest": "sha256:12"}}, "'sha256:12' does not match"),
    ({"image": {"repository": "levee/operator@sha256:12"}}, "does not match"),
    ({"image": {"pullPolicy": "always"}}, "'always' is not one of"),
    ({"workers": {"priorityClassName": "Streams"}}, "is not valid under any of the given schemas"),
    ({"metrics": {"annotations": "yes"}}, "'yes' is not of type 'boolean'"),
    ({"prometheus": {"address": "prometheus:9090"}}, "does not match"),
    ({"prometheus": {"address": "http://user:password@prometheus:9090"}}, "does not match"),
    ({"prometheus": {"address": "http://prometheus:9090/graph?x=1"}}, "does not match"),
    ({"prometheus": {"windowSeconds": "1m"}}, "'1m' is not of type 'integer'"),
    ({"prometheus": {"intervalSeconds": 0}}, "minimum of 1"),
    ({"prometheus": {"auth": {"secret": "Reader"}}}, "is not valid under any of the given schemas"),
    ({"crds": {"install": "yes"}}, "'yes' is not of type 'boolean'"),
    ({"probes": {"port": 80}}, "minimum of 1024"),
    ({"page": {"port": 80}}, "minimum of 1024"),
    ({"page": {"hosts": ["https://levee.example.com"]}}, "does not match"),
    ({"networkPolicy": {"pageFrom": [{"pods": {}}]}}, "'pods' was unexpected"),
    ({"metrics": {"rules": {"runbooks": "docs"}}}, "is not valid under any of the given schemas"),
    ({"metrics": {"dashboards": {"label": "grafana dashboard"}}}, "'grafana dashboard' does not match"),
    ({"resources": {"request": {}}}, "'request' was unexpected"),
    ({"resources": {"limits": {"memory": "1 GB"}}}, "'1 GB' is not valid"),
    ({"extraEnv": [{"name": "A"}]}, "is not valid under any of the given schemas"),
    ({"podAnnotations": {"a": 1}}, "1 is not of type 'string'"),
    ({"networkPolicy": {"store": {"cidrs": ["10.0.0.1"]}}}, "'10.0.0.1' does not match"),
    ({"store": {"embedded": {"persistence": {"hostPath": "/srv"}}}}, "'nodeSelector' is a required property"),
    ({"store": {"embedded": {"persistence": {"hostPath": "/srv"}, "nodeSelector": {}}}}, "non-empty"),
    ({"store": {"embedded": {"user": 0}}}, "minimum of 1"),
]


def complaints(values: object) -> list[str]:
    return [error.message for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(values)]


def paths(values: Any, prefix: str = "") -> Iterator[str]:
    for name, value in values.items():
        yield prefix + name
        if isinstance(value, dict) and not OF_KUBERNETES & value.keys():
            yield from paths(value, f"{prefix}{name}.")


def resolved(schema: Any) -> Any:
    return SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema


def schema_paths(schema: Any, prefix: str = "") -> Iterator[str]:
    for name, below in resolved(schema).get("properties", {}).items():
        if name not in OF_KUBERNETES:
            yield prefix + name
            yield from schema_paths(below, f"{prefix}{name}.")


def objects(schema: Any) -> Iterator[Any]:
    if isinstance(schema, dict):
        if "properties" in schema and schema.get("type") == "object":
            yield schema
        for below in schema.values():
            yield from objects(below)


@pytest.mark.parametrize("file", [CHART / "values.yaml", *SETS], ids=lambda file: file.name)
def test_the_schema_takes_the_values_of_the_chart_and_of_its_examples(file: Path) -> None:
    assert complaints(yaml.safe_load(file.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(("values", "said"), BAD, ids=lambda value: json.dumps(value) if isinstance(value, dict) else "")
def test_values_that_make_no_sense_are_refused_with_a_reason(values: dict[str, Any], said: str) -> None:
    found = complaints(values)
    assert any(said in one for one in found), found


def test_the_schema_and_the_values_name_the_same() -> None:
    assert set(schema_paths(SCHEMA)) - {"global"} == set(paths(VALUES))


def test_the_schema_is_sound_and_knows_no_object_that_takes_everything() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert all(one["additionalProperties"] is False for one in objects(SCHEMA))


def test_every_value_has_its_meaning_above_it_and_the_page_tells_it() -> None:
    found = tuple(chart_values.values((CHART / "values.yaml").read_text(encoding="utf-8")))
    assert [value.path for value in found if not value.meaning] == []
    page = (CHART / "README.md").read_text(encoding="utf-8")
    assert page == chart_values.filled(page, found), "run: .venv/bin/python hack/chart_values.py"


def test_a_value_without_a_comment_is_found_and_one_with_a_comment_is_told_whole() -> None:
    text = "a:\n  # First,\n  # and more.\n  b: [1]\n  c: ''\n# All of it.\nd:\n  e: {f: 1}\n"
    assert list(chart_values.values(text)) == [
        chart_values.Value("a.b", "[1]", "First, and more."),
        chart_values.Value("a.c", '""', ""),
        chart_values.Value("d", '{"e": {"f": 1}}', "All of it."),
    ]


def test_the_chart_carries_the_resource_definition_as_it_is() -> None:
    theirs, ours = sorted((ROOT / "crds").glob("*.yaml")), sorted((CHART / "files" / "crds").glob("*.yaml"))
    assert [file.name for file in theirs] == [file.name for file in ours]
    assert not any(file.is_symlink() for file in ours)
    assert [file.read_text("utf-8") for file in theirs] == [file.read_text("utf-8") for file in ours], "run: make crds"


def test_the_chart_has_the_version_of_levee() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    assert chart["version"] == chart["appVersion"] == __version__


def test_the_embedded_store_is_the_server_that_tests_run_against() -> None:
    assert VALUES["store"]["embedded"]["image"]["tag"] == read_pins().programs["versitygw"].version
