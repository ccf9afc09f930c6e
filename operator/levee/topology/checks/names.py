"""Names: what they may look like, that each stands for one thing, and that what is referred to exists.

Called by: topology.check.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from levee.topology.complaint import Complaint
from levee.topology.fields import LABEL_PATTERN
from levee.topology.spec import Resource, Spec
from levee.topology.wording import close_to, listed, shortened

_label = re.compile(LABEL_PATTERN)
LABEL_MAX = 63


class Reference(NamedTuple):
    where: str
    reader: str
    origin: str


def references(spec: Spec) -> Iterator[Reference]:
    """Everything that reads a stream."""
    for index, operator in enumerate(spec.operators):
        for place, edge in enumerate(operator.inputs):
            yield Reference(f"spec.operators[{index}].inputs[{place}]", operator.name, edge.origin)
    for index, sink in enumerate(spec.sinks):
        yield Reference(f"spec.sinks[{index}]", sink.name, sink.origin)


def emitters(spec: Spec) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stream.name for stream in spec.streams))


def distinct(spec: Spec) -> bool:
    """Whether the graph can be drawn at all: with one name for two parts, paths through it mean nothing."""
    names = [name for _, name in places(spec)]
    return len(set(names)) == len(names)


def places(spec: Spec) -> Iterator[tuple[str, str]]:
    """Where each source, operator and sink stands, and its name."""
    for where, stream in spec.placed_streams:
        yield where, stream.name
    for index, sink in enumerate(spec.sinks):
        yield f"spec.sinks[{index}]", sink.name


def labels(resource: Resource) -> Iterator[Complaint]:
    spec = resource.spec
    yield from label_mistakes("metadata.name", resource.metadata.name)
    yield from label_mistakes("metadata.namespace", resource.metadata.namespace)
    for where, name in places(spec):
        yield from label_mistakes(f"{where}.name", name)
    for index, source in enumerate(spec.sources):
        for place, level in enumerate(source.configurations):
            yield from label_mistakes(f"spec.sources[{index}].configurations[{place}].name", level.name or "c0")
    for index, joint in enumerate(spec.configurations):
        yield from label_mistakes(f"spec.configurations[{index}].name", joint.name or "c0")


def label_mistakes(where: str, name: str) -> Iterator[Complaint]:
    if _label.fullmatch(name) and len(name) <= LABEL_MAX:
        return
    slug = (
        re.sub(r"[^a-z0-9]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name[:200]).lower())
        .strip("-")
        .lstrip("-0123456789")[:LABEL_MAX]
        .strip("-")
    )
    if len(name) > LABEL_MAX:
        yield Complaint(where, f"'{shortened(name)}' has {len(name)} characters, but a name has at most {LABEL_MAX}", "shorten it")
    else:
        wrong = f"'{name}' is not a name: only lower-case letters, digits and '-' may stand in it, and a letter comes first"
        yield Complaint(where, wrong, f"use '{slug}'" if slug else "use a word such as 'clicks'")


def duplicates(resource: Resource) -> Iterator[Complaint]:
    first: dict[str, str] = {}
    for where, name in places(resource.spec):
        if name in first:
            yield Complaint(
                f"{where}.name", f"'{name}' is already the name of {first[name]}", "give each source, operator and sink a name of its own"
            )
        first.setdefault(name, where)


def duplicate_levels(resource: Resource) -> Iterator[Complaint]:
    lists = [
        (f"spec.sources[{i}].configurations", [level.name for level in source.configurations])
        for i, source in enumerate(resource.spec.sources)
    ]
    for where, given in (*lists, ("spec.configurations", [joint.name for joint in resource.spec.configurations])):
        names = [name or f"c{index}" for index, name in enumerate(given)]
        for index, name in enumerate(names):
            if name in names[:index]:
                yield Complaint(
                    f"{where}[{index}].name",
                    f"'{name}' is already the name of {where}[{names.index(name)}]",
                    "give each configuration a name of its own",
                )


def duplicate_inputs(resource: Resource) -> Iterator[Complaint]:
    for index, operator in enumerate(resource.spec.operators):
        origins = [edge.origin for edge in operator.inputs]
        for place, origin in enumerate(origins):
            if origin in origins[:place]:
                where = f"spec.operators[{index}].inputs[{place}]"
                yield Complaint(where, f"reads '{origin}', which inputs[{origins.index(origin)}] reads already", "read each stream once")


def unknown_references(resource: Resource) -> Iterator[Complaint]:
    spec = resource.spec
    known, sinks = emitters(spec), {sink.name for sink in spec.sinks}
    for where, reader, origin in references(spec):
        if origin in known:
            continue
        if origin in sinks:
            yield Complaint(where, f"reads '{origin}', which is a sink and emits nothing", f"read what '{origin}' reads")
            continue
        others = [name for name in known if name != reader]
        meant = close_to(origin, others)
        fix = (
            f"use '{meant}', or add an operator that emits '{origin}'"
            if meant
            else f"use {listed(others[:12])}, or add an operator that emits '{origin}'"
        )
        yield Complaint(where, f"reads stream '{shortened(origin)}', which nothing emits", fix)
