"""Put other values into the text of a document, and leave everything else as it stands: comments, order, quotes.

Why: whoever writes YAML back from values throws its author's comments away. So only the characters of the fields concerned are replaced;
and where that cannot be done safely it is refused.
Called by: the command line, for `levee profile --write`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from levee.topology.complaint import Complaint
from levee.topology.documents import read_documents
from levee.topology.flow import flow
from levee.topology.lists import is_list
from levee.topology.paths import Path, shown_path

COMMENT = re.compile(r"(?<!\S)#")
ANCHOR = re.compile(r"&[^\s,\[\]{}]+")


@dataclass(frozen=True, slots=True)
class Change:
    """Of one field: a number, a text, or a list of mappings of such."""

    path: Path
    value: Any


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters of the text, and what is to stand there."""

    begin: int
    end: int
    text: str


class CannotRewrite(Exception):
    """Fields stand in ways in which they cannot be changed by themselves; says which."""

    def __init__(self, complaints: Sequence[Complaint]) -> None:
        super().__init__("; ".join(one.wrong for one in complaints))
        self.complaints = tuple(complaints)


def cannot(path: Path, wrong: str) -> CannotRewrite:
    return CannotRewrite([Complaint(shown_path(path) or "--file", wrong, "paste it from what is printed")])


def rewritten(text: str, changes: Sequence[Change]) -> str:
    """Of a text with one document. What comes out is read again, and must be the same but for the changes."""
    documents = read_documents(text)
    if len(documents) != 1 or is_list(documents[0]):
        raise cannot((), "holds more than one document, or a list of them")
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert root is not None, "there is a document"
    shared = {node for node, count in Counter(map(id, every(root))).items() if count > 1}
    edits: list[Edit] = []
    complaints: list[Complaint] = []
    for change in changes:
        try:
            edits.append(edit_of(text, root, change, shared))
        except CannotRewrite as one:
            complaints += one.complaints
    if complaints:
        raise CannotRewrite(complaints)
    found = text
    for edit in sorted(edits, key=lambda edit: edit.begin, reverse=True):
        found = found[: edit.begin] + edit.text + found[edit.end :]
    check(text, found, changes)
    return found


def check(before: str, after: str, changes: Sequence[Change]) -> None:
    [document] = read_documents(before)
    expected = document.value
    for change in changes:
        place = expected
        for step in change.path[:-1]:
            place = place[step]
        place[change.path[-1]] = change.value
    found = read_documents(after)
    if len(found) != 1 or found[0].value != expected:
        raise cannot((), "would not be what it should be after the change")


def every(node: Node) -> Iterator[Node]:
    """Each as often as it is meant: what stands behind an anchor, once for every alias."""
    yield node
    if isinstance(node, MappingNode):
        for key, value in node.value:
            yield from every(key)
            yield from every(value)
    elif isinstance(node, SequenceNode):
        for item in node.value:
            yield from every(item)


def edit_of(text: str, root: Node, change: Change, shared: set[int]) -> Edit:
    *way, last = change.path
    place = root
    for step in way:
        place = below(place, step, change.path)
        if id(place) in shared:
            raise cannot(change.path, f"is shared with others by {anchor(text, place)}")
    if isinstance(last, int) or not isinstance(place, MappingNode):
        raise cannot(change.path, "is no field of a mapping")
    found = entry(place, last)
    if found is None:
        return inserted(place, last, change)
    key, value = found
    for node in every(value):
        if id(node) in shared:
            raise cannot(change.path, f"{'is' if node is value else 'has in it what is'} shared with others by {anchor(text, node)}")
    return replaced(text, key, value, change)


def anchor(text: str, node: Node) -> str:
    """As it stands in the text."""
    found = ANCHOR.match(text, node.start_mark.index)
    return f"the anchor {found[0]}" if found else "an anchor"


def below(place: Node, step: str | int, path: Path) -> Node:
    if isinstance(place, SequenceNode) and isinstance(step, int) and step < len(place.value):
        found: Node = place.value[step]
        return found
    pair = entry(place, step) if isinstance(place, MappingNode) and isinstance(step, str) else None
    if pair is None:
        raise cannot(path, "is not where it is looked for; perhaps it is merged in from elsewhere (<<)")
    return pair[1]


def entry(place: MappingNode, name: str) -> tuple[Node, Node] | None:
    return next(((key, value) for key, value in place.value if key.value == name), None)


def replaced(text: str, key: Node, value: Node, change: Change) -> Edit:
    """A list in block style becomes one in flow style, beside its key; comments in it would be lost."""
    if not isinstance(value, CollectionNode):
        return Edit(value.start_mark.index, value.end_mark.index, flow(change.value, quoted=quoted(key)))
    begin, end = value.start_mark.index, value.end_mark.index
    if not value.flow_style:
        begin, end = text.index(":", key.end_mark.index) + 1, last_scalar(value, change.path).end_mark.index
    if (comment := COMMENT.search(text, begin, end)) is not None:
        line = text.count("\n", 0, comment.start()) + 1
        raise cannot(change.path, f"has comments in it, which would be lost (line {line})")
    return Edit(begin, end, f"{'' if value.flow_style else ' '}{flow(change.value, quoted=quoted(key))}")


def last_scalar(node: Node, path: Path) -> Node:
    """Where a list in block style ends; its own mark is behind the lines that follow."""
    while isinstance(node, CollectionNode) and not node.flow_style:
        if not node.value:
            raise cannot(path, "is empty in a way that is not understood")
        last = node.value[-1]
        node = last[1] if isinstance(node, MappingNode) else last
    return node


def inserted(place: MappingNode, name: str, change: Change) -> Edit:
    """Before the last field, which is there in any case; in the style of the mapping."""
    if not place.value:
        raise cannot(change.path, "is empty in a way that is not understood")
    key, _ = place.value[-1]
    between = ", " if place.flow_style else "\n" + " " * key.start_mark.column
    named = f'"{name}"' if quoted(key) else name
    return Edit(key.start_mark.index, key.start_mark.index, f"{named}: {flow(change.value, quoted=quoted(key))}{between}")


def quoted(key: Node) -> bool:
    """As in JSON, where all texts are."""
    return isinstance(key, ScalarNode) and key.style == '"'
