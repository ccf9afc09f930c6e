"""Finding one's way from a path in a document to the model and field that describe it.

Why: complaints and repairs start from pydantic's paths and need descriptions, examples and neighbours.
Called by: topology.shape, topology.repair.
"""

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from levee.topology.paths import Path


def alias_of(name: str, info: FieldInfo) -> str:
    return info.alias or name


def fields_of(model: type[BaseModel] | None) -> tuple[str, ...]:
    """Names as users write them."""
    return tuple(alias_of(name, info) for name, info in model.model_fields.items()) if model else ()


def model_at(root: type[BaseModel], path: Path) -> type[BaseModel] | None:
    """The model whose fields stand at this path; indexes are stepped over."""
    model: type[BaseModel] | None = root
    for step in path:
        if isinstance(step, str) and model is not None:
            info = _field(model, step)
            model = next(_models(info.annotation), None) if info else None
    return model


def field_at(root: type[BaseModel], path: Path) -> FieldInfo | None:
    """The nearest field on the way to this path."""
    ends = range(len(path), 0, -1)
    return next((found for end in ends if (found := field_exactly(root, path[:end]))), None)


def field_exactly(root: type[BaseModel], path: Path) -> FieldInfo | None:
    """The field at this path; None for an item of a list and a value of a mapping."""
    if not path or isinstance(path[-1], int):
        return None
    model = model_at(root, path[:-1])
    return _field(model, path[-1]) if model else None


def _field(model: type[BaseModel], alias: str) -> FieldInfo | None:
    return next((info for name, info in model.model_fields.items() if alias_of(name, info) == alias), None)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models within an annotation such as list[Source] or Spark | None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
