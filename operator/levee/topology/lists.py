"""Lists of resources, as `kubectl get -o yaml` prints them, taken apart.

Why: what stands in a cluster can be validated and planned as it comes; nobody should have to cut it up by hand.
Called by: topology.load.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from levee.topology.complaint import Complaint
from levee.topology.documents import Document
from levee.topology.scalars import kind_of
from levee.topology.spec import KIND

KINDS = ("List", f"{KIND}List")
FIX = "write the topologies as a list, or one document each"
_AT = re.compile(r"items\[(\d+)\]\.?")


def is_list(document: Document) -> bool:
    return isinstance(document.value, dict) and document.value.get("kind") in KINDS


def unpacked(document: Document) -> Iterator[tuple[str, Document]]:
    """The items, each with where it stands; before them what is wrong with the list itself."""
    items = document.value.get("items")
    own = [complaint for complaint in document.complaints if not _AT.match(complaint.where)]
    own += _not_items(items)
    if own:
        yield "", Document(document.line, complaints=tuple(own))
    for index, value in enumerate(items if isinstance(items, list) else ()):
        yield f"items[{index}]", _item(document, index, value)


def _not_items(items: Any) -> list[Complaint]:
    if isinstance(items, list) and items:
        return []
    wrong = "is missing" if items is None else "is empty" if items == [] else f"is {kind_of(items)}, but must be a list"
    return [Complaint("items", wrong, FIX)]


def _item(document: Document, index: int, value: Any) -> Document:
    """With what is known of the item, told from its own root."""
    inside = f"items[{index}]"
    complaints = (
        replace(complaint, where=_AT.sub("", complaint.where, count=1) or "the document")
        for complaint in document.complaints
        if (found := _AT.match(complaint.where)) and int(found[1]) == index
    )
    written = {path[2:]: text for path, text in document.written.items() if path[:2] == ("items", index)}
    missing = () if value is not None else (Complaint(inside, "is nothing, not a resource", "remove it"),)
    return Document(document.line, value, (*complaints, *missing), written)
