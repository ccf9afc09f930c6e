"""What the operator goes by stands in the status twice: as fields that people read, and as one line with a checksum.

Why: whoever may write a status may make `submitted` of a `running`, and a false word that the lifecycle knows would be acted on like a true
one. The line is written with the fields, by the same request.
Called by: records, life.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from levee.worlds.kubernetes.api import Object

LINE = "record"
PLAIN = ("state", "since", "attempts", "history")
LIFECYCLE = ("ending", "failures", "failedAt", "claims", "read", "restartNonce")
Fields = Mapping[str, Any]  # by these names


def checked(status: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """As it was written, and what somebody else has made otherwise. Where no line can be read the fields are all there is."""
    line = line_in(status)
    if line is None:
        return status, ()
    told = fields_told(line)
    if told is None:
        return status, (where(LINE),)
    found = fields_in(status)
    wrong = [name for name in (*PLAIN, *LIFECYCLE) if comparable(found).get(name) != told.get(name)]
    if not wrong:
        return status, ()
    history = [{"state": told["state"], "since": told["since"]}] if "history" in wrong else status.get("history")
    return {**status, **laid_out({**told, "history": history}, line)}, tuple(map(where, wrong))


def as_written(resource: Object) -> Object:
    status, wrong = checked(resource.get("status") or {})
    return {**resource, "status": status} if wrong else resource


def where(name: str) -> str:
    return name if name in PLAIN else f"lifecycle.{name}"


def line_in(status: Mapping[str, Any]) -> str | None:
    return (status.get("lifecycle") or {}).get(LINE)


def fields_in(status: Mapping[str, Any]) -> Fields:
    """Those that are said, a null among them."""
    lifecycle = status.get("lifecycle") or {}
    return {name: status[name] for name in PLAIN if name in status} | {name: lifecycle[name] for name in LIFECYCLE if name in lifecycle}


def laid_out(fields: Fields, line: str) -> dict[str, Any]:
    """As a patch that leaves nothing of what was there."""
    lifecycle = {name: fields.get(name) for name in LIFECYCLE} | {LINE: line}
    return {name: fields.get(name) for name in PLAIN} | {"lifecycle": lifecycle}


# ---- the line


def line_of(fields: Fields) -> str:
    text = canonical(comparable(fields))
    return f"{text} {digest(text)}"


def fields_told(line: str) -> Fields | None:
    """None: it is no such line, or not what was written."""
    text, _, told = line.rpartition(" ")
    if digest(text) != told:
        return None
    found: Fields = json.loads(text)
    return found


def comparable(fields: Fields) -> dict[str, Any]:
    """A history is long, and told apart by its digest."""
    said = {name: value for name, value in fields.items() if value is not None}
    return said | ({"history": digest(canonical(passages(said["history"])))} if "history" in said else {})


def passages(history: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in one.items() if value is not None} for one in history]


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()
