"""A document with mistakes of shape, made whole so that the rest of it can be checked all the same.

Why: users want every mistake at once, and meaning can only be checked in a whole resource. What was put in is remembered:
nothing is complained about that depends on it.
Called by: topology.load.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from levee.topology.model_walk import field_exactly
from levee.topology.paths import Path
from levee.topology.shape import MISTAKES_MAX, misspelled

ROUNDS = 4  # filling in a missing part can uncover a missing part of it, but not deeper than the models go
M = TypeVar("M", bound=BaseModel)


def repair(root: type[M], value: object, written: Mapping[Path, str]) -> tuple[M, frozenset[Path]] | None:
    """A whole model and the paths where its values are ours; None where nothing sensible can be made of it."""
    tree, made_up = deepcopy(value), set[Path]()
    for _ in range(ROUNDS):
        try:
            return root.model_validate(tree), frozenset(made_up)
        except ValidationError as error:
            details = error.errors(include_url=False)
        if len(details) > MISTAKES_MAX:
            return None
        for detail in details:
            made_up.update(_mend(root, tree, detail, written))
    return None


def _mend(root: type[BaseModel], tree: Any, detail: ErrorDetails, written: Mapping[Path, str]) -> tuple[Path, ...]:
    """Change the tree in place, so that this mistake is gone; the paths that can no longer be relied on."""
    path: Path = tuple(detail["loc"])
    if detail["type"] == "extra_forbidden":
        meant = misspelled(root, detail)
        _remove(tree, path)
        return (meant,) if meant else ()
    if detail["type"] == "string_type" and isinstance(detail["input"], bool | int | float):
        _put(tree, path, written.get(path, str(detail["input"])))
        return ()  # It only lacks its quotes: what was meant is known.
    if path and isinstance(path[-1], int) and (item := _example_item(root, path)):
        _put(tree, path, item)
        return (path,)
    return (_replace(root, tree, path),)


def _example_item(root: type[BaseModel], path: Path) -> Any:
    """An item of the list at this path, under a name that no user has."""
    info = field_exactly(root, path[:-1])
    if info is None or not info.examples or not isinstance(info.examples[0], list):
        return None
    item = deepcopy(info.examples[0][0])
    return item | {"name": f"made-up-{path[-1]}"} if "name" in item else item


def _replace(root: type[BaseModel], tree: Any, path: Path) -> Path:
    """By the example where the field is required, else by its default."""
    while path and isinstance(path[-1], int):
        path = path[:-1]  # Without an item its neighbours would move: the list goes as a whole.
    info = field_exactly(root, path)
    if info is not None and info.is_required() and info.examples:
        _put(tree, path, deepcopy(info.examples[0]))
    else:
        _remove(tree, path)
    return path


def _holder(tree: Any, path: Path) -> Any:
    """What holds the last step; nothing where the tree has changed on the way."""
    for step in path[:-1]:
        match tree, step:
            case dict(), str():
                tree = tree.get(step)
            case list(), int() if step < len(tree):
                tree = tree[step]
            case _:
                return None
    return tree


def _put(tree: Any, path: Path, value: Any) -> None:
    match _holder(tree, path), path[-1]:
        case dict() as holder, str() as key:
            holder[key] = value
        case list() as items, int() as index if index < len(items):
            items[index] = value
        case _:
            pass


def _remove(tree: Any, path: Path) -> None:
    if path and isinstance(holder := _holder(tree, path), dict):
        holder.pop(path[-1], None)
