"""Reports as JSON and YAML, in the shape that docs/plan-output.md promises.

Why: scripts and dashboards read plans, too; the shape follows from the report's own fields, so that nothing can be left out.
Called by: cli.commands.plan for --format json|yaml.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

API_VERSION = "levee.dev/v1alpha1"


def document(kind: str, value: object) -> dict[str, Any]:
    body = _plain(value)
    assert isinstance(body, dict)
    return {"apiVersion": API_VERSION, "kind": kind, **body}


def several(kind: str, documents: list[dict[str, Any]]) -> dict[str, Any]:
    """One document stands alone; several are a list, as of kubectl."""
    return documents[0] if len(documents) == 1 else {"apiVersion": API_VERSION, "kind": f"{kind}List", "items": documents}


def as_json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_yaml(value: dict[str, Any]) -> str:
    import yaml

    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=110)
    assert isinstance(text, str)
    return text


def _plain(value: object) -> Any:
    """Dataclasses become objects with camelCase keys; what is missing stays, as null, so that the shape never changes."""
    if is_dataclass(value) and not isinstance(value, type):
        return {_camel(field.name): _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return round(value, 9) if math.isfinite(value) else None  # Beyond nine digits there is only noise of the solver.
    return value


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
