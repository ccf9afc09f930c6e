"""Records as bytes: canonical, versioned, and refused with place and reason where they are not what they should be.

Why: replicas on different versions of Python must write the same bytes for the same record, and a torn or foreign object must be noticed
when it is read. A record is one line of JSON (sorted keys, a version, its kind, length and checksum of each part of the payload) behind a
checksum of its own, then the parts, as the lane gave them. So a manifest can be read with a range request, and so can the one part that
a consumer needs; and the payload stays plain Arrow.
Called by: the drivers of real stores.
"""

import json
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from hashlib import blake2b
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from levee_spark.log.values import Record

MAGIC = b"levee"
VERSION = 1
KINDS: dict[str, type[Any]] = {one.__name__: one for one in get_args(Record)}
HEADER_LIMIT = 1 << 20  # a longer first line is no header of ours


class Undecodable(Exception):
    """What is wrong with an object, and where in it."""


@dataclass(frozen=True, slots=True)
class Header:
    """All of an object but its payload, verified."""

    where: str
    kind: type[Any]
    values: dict[str, Any]
    begin: int  # of the payload, in the object
    parts: tuple[tuple[int, str], ...] | None  # length and checksum of each; None: there is no payload
    split: bool  # the payload is a tuple of parts, and not the one part

    def span(self, part: int | None) -> tuple[int, int]:
        """Where in the object the payload lies, or one part of it."""
        lengths = [length for length, _ in self.parts or ()]
        first, last = self.chosen(part)
        return self.begin + sum(lengths[:first]), self.begin + sum(lengths[:last])

    def chosen(self, part: int | None) -> tuple[int, int]:
        """A payload that was not split is everybody's part."""
        count = len(self.parts or ())
        if part is None or not self.split:
            return 0, count
        if not 0 <= part < count:
            raise Undecodable(f"{self.where}: has {count} parts, part {part} was asked for")
        return part, part + 1

    def record(self, body: bytes | memoryview, part: int | None = None) -> Record:
        """With the bytes of `span(part)`; of a payload in parts all of them, or the one."""
        return self.filled(self.payload(memoryview(body), part))

    def without_payload(self) -> Record:
        return self.filled(None)

    def filled(self, payload: object) -> Record:
        record: Record = build(self.kind, self.values | {"payload": payload}, self.where)
        return record

    def payload(self, body: memoryview, part: int | None) -> object:
        begin, end = self.span(part)
        if len(body) != end - begin:
            raise Undecodable(f"{self.where}: {len(body)} bytes of payload instead of {end - begin}: torn or altered")
        if self.parts is None:
            return None
        first, last = self.chosen(part)
        made: list[memoryview] = []
        for index, (length, expected) in enumerate(self.parts[first:last], start=first):
            made.append(body[:length])
            body = body[length:]
            if checksum(made[-1]) != expected:
                raise Undecodable(f"{self.where}: the checksum is not that of the {length} bytes of part {index}: torn or altered")
        return tuple(made) if self.split and part is None else made[0]


def encode(record: Record) -> bytes:
    """The payload of an epoch, a segment or a checkpoint's file must be bytes, a tuple of bytes (one for each consumer's part), or None."""
    payload = getattr(record, "payload", None)
    split = isinstance(payload, tuple)
    parts = None if payload is None else [memoryview(one) for one in (payload if split else (payload,))]
    plain = {name: plainly(getattr(record, name)) for name in names_of(type(record)) if name != "payload"}
    described = None if parts is None else {"parts": [[one.nbytes, checksum(one)] for one in parts], "split": split}
    text = canonical({"kind": type(record).__name__, "version": VERSION, "record": plain, "payload": described})
    return b"".join((b" ".join((MAGIC, checksum(text).encode(), text)), b"\n", *(parts or ())))


def decode(data: bytes | memoryview, where: str) -> Record:
    header = header_of(data, where)
    return header.record(memoryview(data)[header.begin :])


def header_of(data: bytes | memoryview, where: str) -> Header:
    """Of an object, or of as much of its beginning as holds the header."""
    head, found, _ = bytes(data[:HEADER_LIMIT]).partition(b"\n")
    words = head.split(b" ", 2)
    if not found or len(words) != 3 or words[0] != MAGIC:
        raise Undecodable(f"{where}: {len(data)} bytes that do not begin with a header of the epoch log")
    if checksum(words[2]).encode() != words[1]:
        raise Undecodable(f"{where}: the checksum is not that of its {len(words[2])} bytes of header: torn or altered")
    return from_text(json.loads(words[2]), len(head) + 1, where)


def from_text(text: dict[str, Any], begin: int, where: str) -> Header:
    if text.get("version") != VERSION:
        raise Undecodable(f"{where}: version {text.get('version')}; this release reads version {VERSION}. Use the release that wrote it.")
    kind = KINDS.get(text["kind"])
    if kind is None:
        raise Undecodable(f"{where}: unknown kind {text['kind']!r}; known are {', '.join(KINDS)}")
    described = text["payload"]
    parts = None if described is None else tuple((length, digest) for length, digest in described["parts"])
    return Header(where, kind, text["record"], begin, parts, described is not None and described["split"])


def build(kind: type[Any], values: dict[str, Any], where: str) -> Any:
    """What has a default may have been written before there was such a field."""
    if missing := [one.name for one in fields(kind) if one.name not in values and one.default is MISSING]:
        raise Undecodable(f"{where}: {kind.__name__} lacks {', '.join(missing)}")
    hints = hints_of(kind)  # type: ignore[arg-type]  # a class is hashable, whatever mypy makes of type[Any]
    told = [one.name for one in fields(kind) if one.name in values]
    return kind(**{name: typed(hints[name], values[name], f"{where}: {kind.__name__}.{name}") for name in told})


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


@cache
def hints_of(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def names_of(kind: type[Any]) -> list[str]:
    return [one.name for one in fields(kind)]


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def checksum(data: bytes | memoryview) -> str:
    return blake2b(data, digest_size=16).hexdigest()
