"""From text to topologies, or to everything that is wrong with them.

Why: one door for the command line, the operator and the admission of resources, so that all three say the same.
Called by: levee validate, levee plan.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from levee.topology.check import check
from levee.topology.complaint import Complaint
from levee.topology.convert import convert
from levee.topology.documents import Document, decode, read_documents
from levee.topology.graph import Topology
from levee.topology.lists import is_list, unpacked
from levee.topology.paths import Path
from levee.topology.repair import repair
from levee.topology.scalars import kind_of
from levee.topology.shape import shape_mistakes
from levee.topology.spec import API_VERSION, KIND, Resource
from levee.topology.wording import printable, shortened, tidied


@dataclass(frozen=True, slots=True)
class Loaded:
    """One document: a topology or what else was asked for, or the complaints about it."""

    origin: str  # the file, and the line where there are several
    name: str  # "FaultTolerantTopology shop/clicks", or the origin where the document does not say
    topology: Topology | None = None
    resource: Resource | None = None
    complaints: tuple[Complaint, ...] = ()
    other: object | None = None  # of another kind, for whoever has asked for that

    @property
    def short_name(self) -> str:
        """shop/clicks"""
        return self.name if self.name == self.origin else self.name.partition(" ")[2]


Judge = Callable[[Document], tuple[object | None, tuple[Complaint, ...]]]
Others = Mapping[str, Judge]  # by kind
NO_OTHERS: Others = {}


def load_bytes(data: bytes, *, origin: str, others: Others = NO_OTHERS) -> tuple[Loaded, ...]:
    text = decode(data)
    if isinstance(text, Complaint):
        return (Loaded(origin, origin, complaints=(text,)),)
    return load(text, origin=origin, others=others)


def load(text: str, *, origin: str, others: Others = NO_OTHERS) -> tuple[Loaded, ...]:
    """Every document of the text, and every item of a list among them, in order."""
    documents = read_documents(text)
    places = [origin if len(documents) == 1 else f"{origin}, line {document.line}" for document in documents]
    return tuple(one for document, place in zip(documents, places, strict=True) for one in _each(document, place, others))


def load_value(value: object, *, origin: str) -> Loaded:
    """Of an API server, which has read it before: no text, and so no lines."""
    return _load(Document(1, value), origin, NO_OTHERS)


def unique(loaded: Iterable[Loaded]) -> tuple[Loaded, ...]:
    """The same, with a complaint about every resource that bears the name of one before it: a cluster would keep the last."""
    first: dict[str, str] = {}
    return tuple(_once(one, first) for one in loaded)


def _once(one: Loaded, first: dict[str, str]) -> Loaded:
    if one.name == one.origin or any(complaint.where == "kind" for complaint in one.complaints):
        return one  # Without a name, or no topology at all.
    if one.name not in first:
        first[one.name] = one.origin
        return one
    noun = "topology" if one.name.startswith(f"{KIND} ") else "resource"
    wrong = f"'{one.short_name}' is already the name of the {noun} in {first[one.name]}"
    twice = tidied(Complaint("metadata.name", wrong, f"give each {noun} a name of its own in its namespace, or keep one of the two"))
    return Loaded(one.origin, one.name, complaints=(twice, *one.complaints))


def _each(document: Document, origin: str, others: Others) -> Iterator[Loaded]:
    if not is_list(document):
        yield _load(document, origin, others)
        return
    for place, item in unpacked(document):
        yield _load(item, f"{origin}, {place}" if place else origin, others)


def _load(document: Document, origin: str, others: Others) -> Loaded:
    kind = document.value.get("kind") if isinstance(document.value, dict) else None
    name = _name(document.value, kind if isinstance(kind, str) and kind in others else KIND) or origin
    if isinstance(kind, str) and kind in others:
        other, wrong = others[kind](document)
        return Loaded(origin, name, other=None if wrong else other, complaints=tuple(map(tidied, wrong)))
    resource, complaints = _judge(document)
    if resource is None or complaints:
        return Loaded(origin, name, complaints=tuple(map(tidied, complaints)))
    return Loaded(origin, name, convert(resource), resource)


def _judge(document: Document) -> tuple[Resource | None, tuple[Complaint, ...]]:
    """The resource where it has the right shape, and everything that is wrong."""
    complaints = document.complaints + _identity(document) if document.value is not None else document.complaints
    if document.value is None or any(complaint.where in {"the document", "kind"} for complaint in complaints):
        return None, complaints
    value = {**without_nulls(document.value), "apiVersion": API_VERSION}
    try:
        resource = Resource.model_validate(value)
    except ValidationError as error:
        return None, complaints + shape_mistakes(Resource, error, document.written) + _meaning(value, document.written)
    return resource, complaints + check(resource)


def _meaning(value: Any, written: Mapping[Path, str]) -> tuple[Complaint, ...]:
    """What can be said about the rest of a document whose shape has mistakes."""
    repaired = repair(Resource, value, written)
    return check(*repaired) if repaired else ()


def _identity(document: Document) -> tuple[Complaint, ...]:
    value = document.value
    if not isinstance(value, dict):
        return (
            Complaint("the document", f"is {kind_of(value)}, not a resource", f"begin with apiVersion: {API_VERSION} and kind: {KIND}"),
        )
    wanted = (("apiVersion", API_VERSION), ("kind", KIND))
    return tuple(
        Complaint(key, f"is {_found(value.get(key))}, but only {expected} is understood here", f"write {key}: {expected}")
        for key, expected in wanted
        if value.get(key) != expected
    )


def _found(value: object) -> str:
    match value:
        case None:
            return "missing"
        case str():
            return f"'{shortened(value)}'"
        case _:
            return kind_of(value)


def _name(value: Any, kind: str) -> str | None:
    """As kubectl would name it; None where the document does not say."""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        return None
    namespace = metadata.get("namespace")
    return f"{kind} {printable(namespace, 60) if isinstance(namespace, str) else 'default'}/{printable(metadata['name'], 60)}"


def without_nulls(value: Any) -> Any:
    """A field without a value counts as left out, as Kubernetes has it."""
    match value:
        case dict():
            return {key: without_nulls(item) for key, item in value.items() if item is not None}
        case list():
            return [without_nulls(item) for item in value]
        case _:
            return value
