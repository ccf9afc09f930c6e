"""What a user wants to be otherwise in a pod, laid over what Levee makes.

Why: people know how pod templates are merged from kubectl: objects key by key, lists of named things by name, other lists as wholes.
Called by: pods.
"""

from collections.abc import Mapping, Sequence
from typing import Any

KEYS = ("name", "mountPath", "containerPort")  # of what lists hold; the first that all elements bear


def merged(below: Any, above: Any) -> Any:
    """A null takes away what is there."""
    match below, above:
        case Mapping(), Mapping():
            taken = {key: merged(below.get(key), value) for key, value in above.items() if value is not None}
            return {key: value for key, value in below.items() if key not in above} | taken
        case list(), list() if key := key_of([*below, *above]):
            return by_key(below, above, key)
        case _, Mapping():
            return {key: merged(None, value) for key, value in above.items() if value is not None}
        case _:
            return above


def key_of(elements: Sequence[Any]) -> str | None:
    if not all(isinstance(one, Mapping) for one in elements):
        return None
    return next((key for key in KEYS if all(key in one for one in elements)), None)


def by_key(below: Sequence[Mapping[str, Any]], above: Sequence[Mapping[str, Any]], key: str) -> list[Any]:
    over = {one[key]: one for one in above}
    known = {one[key] for one in below}
    kept = [merged(one, over[one[key]]) if one[key] in over else one for one in below]
    return kept + [merged(None, one) for one in above if one[key] not in known]
