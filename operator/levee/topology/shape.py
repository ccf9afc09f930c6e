"""Mistakes of shape, in words: missing and unknown fields, wrong kinds, values out of range.

Why: pydantic names its own types; users should read where, what is wrong and what to write instead.
Called by: topology.load.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from levee.topology.complaint import Complaint
from levee.topology.model_walk import alias_of, field_at, fields_of, model_at
from levee.topology.paths import Path, shown_path
from levee.topology.scalars import is_endless_number, kind_of
from levee.topology.wording import close_to, listed, number, shortened

MISTAKES_MAX = 200  # of one document; a file with more is no topology

_HINTS = {"a list": ": items that begin with '- ', or [...]"} | dict.fromkeys(
    ("true or false", "a whole number", "a number"), ", without quotes"
)
_NOUNS = {"str": "text", "string": "text", "int": "a whole number", "float": "a number", "bool": "true or false", "list": "a list"}
_NOUNS |= {"dict": "a mapping", "model": "a mapping"}
_LIMITS = {"greater_than": ("gt", "more than"), "greater_than_equal": ("ge", "at least")}
_LIMITS |= {"less_than": ("lt", "less than"), "less_than_equal": ("le", "at most")}


def shape_mistakes(root: type[BaseModel], error: ValidationError, written: Mapping[Path, str]) -> tuple[Complaint, ...]:
    """All of them, in the order of the document's model; a missing field is left out where a misspelled one explains it."""
    details = error.errors(include_url=False)[:MISTAKES_MAX]
    meant = {misspelled(root, detail) for detail in details if detail["type"] == "extra_forbidden"}
    return tuple(
        _complaint(root, detail, written) for detail in details if detail["type"] != "missing" or tuple(detail["loc"]) not in meant
    )


def misspelled(root: type[BaseModel], detail: ErrorDetails) -> Path | None:
    """The path that was probably meant by an unknown field."""
    *parent, key = detail["loc"]
    known = fields_of(model_at(root, tuple(parent)))
    meant = close_to(str(key), known)
    return (*parent, meant) if meant else None


def _complaint(root: type[BaseModel], detail: ErrorDetails, written: Mapping[Path, str]) -> Complaint:
    path: Path = tuple(detail["loc"])
    wrong, fix = _words(root, detail, path, written)
    return Complaint(shown_path(path) or "the document", wrong, fix)


def _words(root: type[BaseModel], detail: ErrorDetails, path: Path, written: Mapping[Path, str]) -> tuple[str, str]:
    value, context = detail["input"], detail.get("ctx", {})
    match detail["type"]:
        case "missing":
            return "is missing", f"add {path[-1]}: {_described(root, path)}"
        case "extra_forbidden":
            return _unknown(root, detail, path)
        case "unit":
            return str(context["wrong"]), str(context["fix"])
        case "enum" | "literal_error":
            return _choice(value, str(context["expected"]))
        case "string_pattern_mismatch" | "string_too_short":
            return f"{_quoted(value)} is not allowed here", f"write something like {_example(root, path)}"
        case "too_short":
            return "is empty", f"add at least one: {_described(root, path)}"
        case "too_long" | "string_too_long":
            most = context["max_length"]
            unit = "items" if detail["type"] == "too_long" else "characters"
            return f"has more than {most} {unit}", f"keep it to {most}"
        case "finite_number":
            return f"is {value}, which is not a finite number", "write a number"
        case str() as limit if limit in _LIMITS:
            name, words = _LIMITS[limit]
            return (
                f"is {number(value)}, but must be {words} {number(context[name])}",
                f"write {words} {number(context[name])}",
            )
        case other:
            return _kind(root, other, value, path, written)


def _unknown(root: type[BaseModel], detail: ErrorDetails, path: Path) -> tuple[str, str]:
    meant = misspelled(root, detail)
    if meant:
        return "is not a known field", f"use '{meant[-1]}'"
    known = fields_of(model_at(root, path[:-1]))
    return "is not a known field", f"remove it; known here: {listed(known, 'and')}"


def _choice(value: object, expected: str) -> tuple[str, str]:
    choices = [choice.strip("'") for choice in expected.replace(" or ", ", ").split(", ")]
    meant = close_to(value, choices) if isinstance(value, str) else None
    return f"{_quoted(value)} is not one of {listed(choices)}", f"use '{meant}'" if meant else f"use {listed(choices)}"


def _kind(root: type[BaseModel], error: str, value: Any, path: Path, written: Mapping[Path, str]) -> tuple[str, str]:
    wanted = _NOUNS.get(error.split("_", maxsplit=1)[0], "something else")
    if wanted == "text" and isinstance(value, bool):
        word = written.get(path, str(value).lower())
        return f"{word} is read as a boolean, not as text", f"quote it: '{word}'"
    if wanted == "text" and isinstance(value, int | float):
        return f"{value} is a number, but must be text", f"quote it: '{value}'"
    fix = _fields(root, path) if wanted == "a mapping" else f"write {wanted}{_HINTS.get(wanted, '')}"
    if isinstance(value, str) and is_endless_number(value) and "number" in wanted:
        return f"is {shortened(value)}, a number of {len(value)} characters, which is beyond all use", f"write a shorter {wanted[2:]}"
    if isinstance(value, str):
        return f"is the text {_quoted(value)}, but must be {wanted}", fix
    shown = str(value).lower() if isinstance(value, bool | int | float) else kind_of(value)
    return f"is {shown}, but must be {wanted}", fix


def _fields(root: type[BaseModel], path: Path) -> str:
    model = model_at(root, path)
    needed = [name for name, info in model.model_fields.items() if info.is_required()] if model else []
    names = [alias_of(name, model.model_fields[name]) for name in needed] if model else []
    return f"write a mapping with {listed(names, 'and')}" if names else "write a mapping"


def _quoted(value: object) -> str:
    return f"'{shortened(value)}'" if isinstance(value, str) else kind_of(value)


def _described(root: type[BaseModel], path: Path) -> str:
    found = field_at(root, path)
    text = (found.description or "") if found else ""
    return text[:1].lower() + text[1:].rstrip(".")


def _example(root: type[BaseModel], path: Path) -> str:
    found = field_at(root, path)
    return str(found.examples[0]) if found and found.examples else "a word"
