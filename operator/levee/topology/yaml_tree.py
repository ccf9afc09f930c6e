"""One YAML document as plain values, composed from the parser's events under limits.

Why: the usual composer recurses without limit, expands aliases silently and lets the last of two equal keys win.
Called by: topology.documents.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from levee.topology.complaint import Complaint
from levee.topology.paths import Path, shown_path
from levee.topology.scalars import kind_of, plain

DEPTH_MAX = 64
ALIASED_MAX = 10_000  # values that aliases may add to one document
NOTED_MAX = 200  # mistakes with keys; nobody reads more
_PREFIX = "tag:yaml.org,2002:"
_KNOWN_TAGS = {"!"} | {_PREFIX + kind for kind in ("str", "int", "float", "bool", "null", "map", "seq", "merge")}


class TreeError(Exception):
    """The document cannot be taken as values at all."""

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(complaint.wrong)
        self.complaint = complaint


@dataclass(frozen=True, slots=True)
class _Node:
    """A composed value, and how many values it is when every alias in it is written out."""

    value: Any
    size: int


@dataclass(slots=True)
class Composer:
    """Turns the events of one document into values; mistakes with keys are collected, the rest raises TreeError."""

    events: Iterator[Event]
    first_line: int = 1
    complaints: list[Complaint] = field(default_factory=list)
    written: dict[Path, str] = field(default_factory=dict)  # booleans as they stand in the text: `on` may be meant as a name
    aliased: int = 0
    _anchors: dict[str, _Node | None] = field(default_factory=dict)  # None: still being composed

    def document(self) -> Any:
        """The value between the start of a document, which is already read, and its end."""
        node = self._node(next(self.events), ())
        while not isinstance(next(self.events), DocumentEndEvent):
            pass
        return node.value

    def _node(self, event: Event, path: Path) -> _Node:
        if isinstance(event, AliasEvent):
            return self._alias(event)
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            self._anchors[anchor] = None
        node = self._content(event, path)
        if anchor is not None:
            self._anchors[anchor] = node
        return node

    def _content(self, event: Event, path: Path) -> _Node:
        tag: str | None = getattr(event, "tag", None)
        if tag is not None and tag not in _KNOWN_TAGS:
            raise TreeError(
                self._at(event, f"the tag {tag.replace(_PREFIX, '!!')} is not allowed", "write plain text, numbers, lists and mappings")
            )
        if len(path) > DEPTH_MAX:
            raise TreeError(self._at(event, f"is nested more than {DEPTH_MAX} levels deep", "a topology needs no more than 10 levels"))
        if isinstance(event, SequenceStartEvent):
            return self._sequence(path)
        if isinstance(event, MappingStartEvent):
            return self._mapping(path)
        assert isinstance(event, ScalarEvent), "the parser emits nothing else here"
        return self._scalar(event, path)

    def _alias(self, event: AliasEvent) -> _Node:
        node = self._anchors.get(event.anchor or "")
        if node is None:
            raise TreeError(self._dangling(event))
        self.aliased += node.size
        if self.aliased > ALIASED_MAX:
            wrong = f"aliases blow the document up by more than {ALIASED_MAX} values"
            raise TreeError(self._at(event, wrong, "write the values out instead of using aliases"))
        return node

    def _dangling(self, event: AliasEvent) -> Complaint:
        if event.anchor in self._anchors:
            return self._at(event, f"*{event.anchor} stands inside of what it stands for", "write the value out")
        return self._at(event, f"*{event.anchor} stands for nothing", f"put &{event.anchor} before the value it stands for")

    def _scalar(self, event: ScalarEvent, path: Path) -> _Node:
        value = plain(event.value) if event.implicit[0] or event.tag not in {None, "!", _PREFIX + "str"} else event.value
        if isinstance(value, bool):
            self.written[path] = event.value
        return _Node(value, 1)

    def _sequence(self, path: Path) -> _Node:
        items: list[Any] = []
        size = 1
        while not isinstance(event := next(self.events), SequenceEndEvent):
            node = self._node(event, (*path, len(items)))
            items.append(node.value)
            size += node.size
        return _Node(items, size)

    def _mapping(self, path: Path) -> _Node:
        found: dict[str, Any] = {}
        lines: dict[str, int] = {}
        merged: dict[str, Any] = {}
        size = 1
        while not isinstance(event := next(self.events), MappingEndEvent):
            key = self._key(event, path)
            value = self._node(next(self.events), (*path, key))
            size += 1 + value.size
            if key == "<<":
                merged = _merge(path, value.value) | merged
            elif key in lines:
                self._note(_twice(path, key, lines[key], self._line(event)))
            else:
                found[key], lines[key] = value.value, self._line(event)
        return _Node(merged | found, size)

    def _key(self, event: Event, path: Path) -> str:
        if not isinstance(event, ScalarEvent):
            raise TreeError(self._at(event, "a list, mapping or alias stands where a key is expected", "write a word and a colon"))
        key = self._scalar(event, (*path, event.value)).value
        if not isinstance(key, str):
            fix = f'quote it: "{event.value}"' if event.value else "write a word before the colon"
            self._note(self._at(event, f"the key {event.value or '(nothing)'} is read as {kind_of(key)}, not as text", fix))
        return event.value

    def _note(self, complaint: Complaint) -> None:
        if len(self.complaints) < NOTED_MAX:
            self.complaints.append(complaint)

    def _line(self, event: Event) -> int:
        return self.first_line + (event.start_mark.line if event.start_mark else 0)

    def _at(self, event: Event, wrong: str, fix: str) -> Complaint:
        column = event.start_mark.column + 1 if event.start_mark else 1
        return Complaint(f"line {self._line(event)}, column {column}", wrong, fix)


def _merge(path: Path, value: Any) -> dict[str, Any]:
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, dict) for part in parts):
        raise TreeError(Complaint(shown_path((*path, "<<")), "merges something that is not a mapping", "name a mapping: <<: *defaults"))
    return {key: item for part in reversed(parts) for key, item in part.items()}


def _twice(path: Path, key: str, first: int, second: int) -> Complaint:
    return Complaint(shown_path((*path, key)), f"stands twice, in line {first} and in line {second}", "keep one of the two")
