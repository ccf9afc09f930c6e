"""From pydantic's JSON schema to the structural OpenAPI schema that Kubernetes accepts.

Why: Kubernetes knows no references, no null, no alternatives of types, and has its own words for lists and rules.
Called by: topology.crd, experiments.crd.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from levee.topology.crd_rules import TOPOLOGIES, Besides, Rule

Schema = dict[str, Any]

_KEPT = (
    "description", "type", "format", "x-kubernetes-int-or-string", "enum", "default", "example",
    "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "minLength", "maxLength", "pattern",
    "minItems", "maxItems", "minProperties", "maxProperties", "required", "properties", "items", "additionalProperties",
    "x-kubernetes-preserve-unknown-fields", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-validations",
)  # fmt: skip  # what a structural schema may hold, in the order in which people read it


@dataclass(frozen=True, slots=True)
class Around:
    """What all parts of one schema share."""

    definitions: Mapping[str, Any]
    besides: Besides


def structural(model: type[BaseModel], path: str, besides: Besides = TOPOLOGIES) -> Schema:
    """The schema of a model that stands at this path of the resource."""
    whole = model.model_json_schema(mode="validation")
    return _part(whole, Around(whole.get("$defs", {}), besides), path)


def _part(schema: Mapping[str, Any], around: Around, path: str) -> Schema:
    flat = _flat(schema, around.definitions)
    for bound, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if bound in flat:  # OpenAPI 3.0: the limit, and whether it is excluded
            flat |= {plain: flat[bound], bound: True}
    match flat.get("type"):
        case "object" if "properties" in flat:
            flat["properties"] = {name: _property(part, around, _below(path, name)) for name, part in flat["properties"].items()}
            flat.pop("additionalProperties", None)
        case "object" if isinstance(flat.get("additionalProperties"), dict):
            flat["additionalProperties"] = _part(flat["additionalProperties"], around, f"{path}{{}}")
        case "array":
            flat |= {"items": _part(flat["items"], around, f"{path}[]")} | _list_type(around.besides.keys.get(path))
        case _:
            pass
    flat |= _validations(around.besides.rules.get(path, ()))
    return {key: flat[key] for key in _KEPT if key in flat}


def _property(schema: Mapping[str, Any], around: Around, path: str) -> Schema:
    part = _part(schema, around, path)
    may_be_absent = any(choice.get("type") == "null" for choice in schema.get("anyOf", ()))
    if "properties" in part and "required" not in part and path.startswith("spec.") and not may_be_absent:
        part = {
            key: ({} if key == "default" else part.get(key)) for key in _KEPT if key in part or key == "default"
        }  # else no default inside is applied
    return part


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _flat(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Schema:
    """Without references and without null; what stands beside a reference wins over what is behind it."""
    flat = dict(schema)
    if "anyOf" in flat:
        (only,) = [choice for choice in flat.pop("anyOf") if choice.get("type") != "null"]
        flat = _flat(only, definitions) | flat
    if "$ref" in flat:
        flat = _flat(definitions[flat.pop("$ref").rsplit("/", 1)[1]], definitions) | flat
    if flat.get("default", "") is None:
        del flat["default"]
    if examples := flat.pop("examples", None):
        flat["example"] = examples[0]
    return flat


def _list_type(key: str | None) -> Schema:
    return {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key]} if key else {"x-kubernetes-list-type": "atomic"}


def _validations(rules: Sequence[Rule]) -> Schema:
    return {"x-kubernetes-validations": [{"rule": rule.cel, "message": rule.message} for rule in rules]} if rules else {}
