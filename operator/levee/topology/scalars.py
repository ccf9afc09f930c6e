"""What a YAML scalar means: the reading of kubectl, without its surprises.

Why: YAML 1.1 also reads dates, base-60 numbers and octals; here these stay text, and the field's own check explains them.
Called by: topology.yaml_tree; kind_of also by whatever words a mistake.
"""

import re
from typing import Final

_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEAN: Final = {
    cased: value
    for word, value in (("true", True), ("yes", True), ("on", True), ("false", False), ("no", False), ("off", False))
    for cased in (word, word.capitalize(), word.upper())
}
_INTEGER: Final = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_REAL: Final = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,4})?")
_OTHER: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LEADING_ZERO: Final = re.compile(r"[-+]?0[0-9]+")
_REAL_LENGTH_MAX: Final = 400  # longer digits are text: converting them is slow and nobody means them

_KINDS: Final = {bool: "a boolean", int: "a number", float: "a number", str: "text", list: "a list", type(None): "nothing"}

Scalar = str | int | float | bool | None


def plain(text: str) -> Scalar:
    """The value of a scalar that stands without quotes and without a tag."""
    if text in _NULL:
        return None
    if text in _BOOLEAN:
        return _BOOLEAN[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OTHER.fullmatch(text):
        return float(text.replace(".", "", 1))
    if len(text) <= _REAL_LENGTH_MAX and _REAL.fullmatch(text) and not _LEADING_ZERO.fullmatch(text):
        return float(text)
    return text


def is_endless_number(text: str) -> bool:
    """Whether it is text only because it has more digits than anybody means."""
    return len(text) > _REAL_LENGTH_MAX and _REAL.fullmatch(text) is not None


def kind_of(value: object) -> str:
    """What users call a value of this kind."""
    return _KINDS.get(type(value), "a mapping")
