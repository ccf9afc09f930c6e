"""Records as bytes: canonical, versioned, and refused with place and reason where they are not what they should be.

Why: replicas on different versions of Python must write the same bytes for the same record, and a torn or foreign object must be noticed
when it is read. A record is one line of JSON (sorted keys, a version, its kind and a checksum), then the payload, if it has one, as the
lane gave it. So a manifest can be read with a range request, and the payload stays plain Arrow.
Called by: the drivers of real stores.
"""

import json
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from levee_spark.log.values import (
    Anchor,
    ChangeEpoch,
    CheckpointFile,
    ControlRecord,
    EpochObject,
    Floor,
    Pin,
    Probe,
    PublishedCheckpoint,
    Record,
    Segment,
    Verdict,
)

MAGIC = b"levee"
VERSION = 1
KINDS: dict[str, type[Any]] = {
    one.__name__: one
    for one in (EpochObject, Segment, Verdict, Floor, Pin, PublishedCheckpoint, CheckpointFile, ControlRecord, ChangeEpoch, Anchor, Probe)
}
HEADER_LIMIT = 1 << 20  # a longer first line is no header of ours


class Undecodable(Exception):
    """What is wrong with an object, and where in it."""


def encode(record: Record) -> bytes:
    """The payload of an epoch, a segment or a checkpoint's file must be bytes already, or None."""
    payload = getattr(record, "payload", None)
    body = b"" if payload is None else bytes(payload)
    plain = {name: plainly(getattr(record, name)) for name in names_of(type(record)) if name != "payload"}
    header = {"kind": type(record).__name__, "version": VERSION, "record": plain, "payload": None if payload is None else len(body)}
    text = canonical(header)
    return b" ".join((MAGIC, checksum(text + body).encode(), text)) + b"\n" + body


def decode(data: bytes, where: str) -> Record:
    head, found, body = data[:HEADER_LIMIT].partition(b"\n")
    body = data[len(head) + 1 :]
    words = head.split(b" ", 2)
    if not found or len(words) != 3 or words[0] != MAGIC:
        raise Undecodable(f"{where}: {len(data)} bytes that do not begin with a header of the epoch log")
    if checksum(words[2] + body).encode() != words[1]:
        raise Undecodable(
            f"{where}: the checksum is not that of its {len(words[2])} bytes of header and {len(body)} of payload: torn or altered"
        )
    return from_header(json.loads(words[2]), body, where)


def from_header(header: dict[str, Any], body: bytes, where: str) -> Record:
    if header.get("version") != VERSION:
        raise Undecodable(f"{where}: version {header.get('version')}; this release reads version {VERSION}. Use the release that wrote it.")
    kind = KINDS.get(header["kind"])
    if kind is None:
        raise Undecodable(f"{where}: unknown kind {header['kind']!r}; known are {', '.join(KINDS)}")
    values = dict(header["record"])
    if "payload" in names_of(kind):
        values["payload"] = None if header["payload"] is None else body
    record: Record = build(kind, values, where)
    return record


def build(kind: type[Any], values: dict[str, Any], where: str) -> Any:
    if missing := [one.name for one in fields(kind) if one.name not in values]:
        raise Undecodable(f"{where}: {kind.__name__} lacks {', '.join(missing)}")
    hints = get_type_hints(kind)
    return kind(**{one.name: typed(hints[one.name], values[one.name], f"{where}: {kind.__name__}.{one.name}") for one in fields(kind)})


def typed(hint: Any, value: Any, where: str) -> Any:
    """A JSON value as the type that a field declares."""
    hint = getattr(hint, "__supertype__", hint)  # a NewType is what it wraps
    if hint is object:
        return value
    if get_origin(hint) in {Union, UnionType}:
        return None if value is None else typed(next(one for one in get_args(hint) if one is not type(None)), value, where)
    if get_origin(hint) is tuple:
        return typed_tuple(get_args(hint), value, where)
    if is_dataclass(hint):
        return build(hint, value, where)  # type: ignore[arg-type]  # a class, never an instance: it comes from a field's type
    if isinstance(value, bool) is not (hint is bool) or not isinstance(value, hint if hint in {int, str, bool} else str):
        raise Undecodable(f"{where} is {value!r}, not {hint.__name__}")
    return hint(value)


def typed_tuple(of: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise Undecodable(f"{where} is {value!r}, not a list")
    hints = [of[0]] * len(value) if of[-1] is Ellipsis else list(of)
    if len(hints) != len(value):
        raise Undecodable(f"{where} has {len(value)} entries, not {len(hints)}")
    return tuple(typed(hint, one, f"{where}[{index}]") for index, (hint, one) in enumerate(zip(hints, value, strict=True)))


def plainly(value: Any) -> Any:
    if is_dataclass(value):
        return {one.name: plainly(getattr(value, one.name)) for one in fields(value)}
    return [plainly(one) for one in value] if isinstance(value, tuple) else value


def names_of(kind: type[Any]) -> list[str]:
    return [one.name for one in fields(kind)]


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def checksum(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
