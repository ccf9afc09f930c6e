"""The CustomResourceDefinition of experiments: current, structural, bounded, and of one mind with the validator."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft4Validator

from levee.experiments.crd import EXPERIMENT, FOR_GOOD, KEYS, RULES
from levee.topology.crd import crd, crd_text
from tests.experiments.texts import CRASH, changed, said, step
from tests.topology.test_crd import FORBIDDEN, holds, parts, plain, with_defaults

ROOT = Path(__file__).parents[2]
SCHEMA: Any = crd(EXPERIMENT)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
PARTS = dict(parts(SCHEMA))


def refused(path: str, schema: Any, value: Any, old: Any = None) -> list[str]:
    found = [
        rule.message
        for rule in RULES.get(path, ())
        if ("oldSelf" not in rule.cel or old is not None) and not holds(rule.cel, schema, value, old)
    ]
    if isinstance(value, dict):
        for name, item in value.items():
            if name in schema.get("properties", {}):
                below = f"{path}.{name}" if path else name
                found += refused(below, schema["properties"][name], item, old.get(name) if isinstance(old, dict) else None)
    if isinstance(value, list):
        for item in value:
            found += refused(f"{path}[]", schema["items"], item)
    return found


def admitted(tree: Any, old: Any = None) -> list[str]:
    """What the API server would say, as far as its schema and rules go."""
    filled, before = with_defaults(SCHEMA, tree), with_defaults(SCHEMA, old) if old else None
    return [error.message for error in Draft4Validator(plain(SCHEMA)).iter_errors(filled)] or refused("", SCHEMA, filled, before)


@pytest.mark.parametrize("folder", ["crds", "helm/levee/files/crds"])
def test_the_written_file_is_current(folder: str) -> None:
    assert (ROOT / folder / f"{EXPERIMENT.name}.yaml").read_text(encoding="utf-8") == crd_text(EXPERIMENT), "run `make crds`"


@pytest.mark.parametrize("path", PARTS)
def test_every_part_is_structural(path: str) -> None:
    part = PARTS[path]
    assert not FORBIDDEN & part.keys()
    assert "type" in part
    assert not ("properties" in part and "additionalProperties" in part)
    if not path.endswith("[]") and path != "metadata":
        assert len(part["description"]) > 5


@pytest.mark.parametrize("path", [path for path, part in PARTS.items() if part.get("type") in {"array", "string"}])
def test_everything_that_can_grow_is_bounded(path: str) -> None:
    part = PARTS[path]
    bound = {"array": "maxItems", "string": "maxLength"}[part["type"]]
    assert "enum" in part or part.get("format") == "date-time" or path in {"apiVersion", "kind"} or bound in part


def test_every_rule_and_key_stands_at_a_part_that_exists() -> None:
    assert set(RULES) | set(KEYS) <= set(PARTS)


def test_every_default_is_valid_as_it_is_written_and_as_it_is_filled_in() -> None:
    for path, part in PARTS.items():
        if "default" in part:
            assert not list(Draft4Validator(plain(part)).iter_errors(with_defaults(part, part["default"]))), path
            assert not refused(path, part, part["default"], part["default"]), path
            assert not refused(path, part, with_defaults(part, part["default"])), path


def test_the_columns_show_fields_that_exist() -> None:
    for column in crd(EXPERIMENT)["spec"]["versions"][0]["additionalPrinterColumns"]:
        path = column["jsonPath"].removeprefix(".")
        assert path in PARTS or path.startswith("metadata.")


BOTH = [
    ({"steps": [step(operator="a") | {"probe": "ready"}]}, "a step has either an action or a probe"),
    ({"steps": [{"arguments": {"operator": "a"}}]}, "a step has either an action or a probe"),
    (
        {"steps": [step(operator="a", when={"after": "1s", "state": "running"})]},
        "a step has one moment: after, epoch, rate, state, transition",
    ),
    ({"steps": [step(operator="a", when={})]}, "a step has one moment: after, epoch, rate, state, transition"),
    ({"steps": [step(operator="a", when={"rate": {"source": "web"}})]}, "a rate has either atLeast or atMost"),
    (
        {"steadyState": {"probes": [{"probe": "state", "equals": "Settled", "atMost": 1}]}},
        "a probe equals a text, or is within limits",
    ),
    ({"safety": {"lostFor": "1h"}}, "lostFor must be shorter than timeLimit"),
]


@pytest.mark.parametrize(("spec", "message"), BOTH, ids=[str(number) for number, _ in enumerate(BOTH)])
def test_what_the_rules_refuse_the_validator_refuses_too(spec: dict[str, Any], message: str) -> None:
    assert admitted(changed(**spec)) == [message]
    assert said(changed(**spec))


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"steps": [step(operator="a", when={"rate": {"source": "web", "atLeast": 1}})]},
        {"steps": [step(operator="a", when={"transition": {"to": "updating"}})], "ttl": "1h"},
        {"steps": [step("pause_replica", operator="a", for_s=0.5)], "safety": {"targets": {"nodes": ["node-1"], "operators": ["a/1"]}}},
        {"steadyState": {"probes": [{"probe": "lag_below", "arguments": {"epochs": 5}}], "every": "500ms", "recovery": "1m"}},
    ],
)
def test_what_the_validator_accepts_the_rules_admit(spec: dict[str, Any]) -> None:
    assert said(changed(**spec)) == []
    assert admitted(changed(**spec)) == []


@pytest.mark.parametrize("spec", [{"topology": "other"}, {"safety": {"lostFor": "1s"}}, {"ttl": "1h"}, {"steps": [step(operator="b")]}])
def test_an_experiment_cannot_be_changed(spec: dict[str, Any]) -> None:
    assert admitted(changed(**spec), old=CRASH) == [FOR_GOOD]
    assert admitted(changed(**spec), old=changed(**spec)) == []


def test_a_default_is_as_the_validator_has_it() -> None:
    from levee.experiments.spec import ExperimentSpec

    filled = with_defaults(SCHEMA, CRASH)["spec"]
    assert ExperimentSpec.model_validate(filled) == ExperimentSpec.model_validate(CRASH["spec"])


EXAMPLES = sorted((ROOT / "examples" / "experiments").glob("*.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_admitted(path: Path) -> None:
    tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert admitted(tree) == []
    assert said(tree) == []


def test_the_document_in_the_docs_is_admitted() -> None:
    text = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    _, found = text.split("```yaml\n")
    tree = yaml.safe_load(found.partition("```")[0])
    assert admitted(tree) == []
    assert said(tree) == []
