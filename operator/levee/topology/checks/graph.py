"""The graph: no cycles, nothing that no source reaches, nothing whose work is thrown away, counts that can be wired.

Called by: topology.check. Names that are not known are another check's matter; here they get the benefit of the doubt.
"""

from collections.abc import Iterator, Mapping

from levee.topology.checks.names import distinct, emitters, references
from levee.topology.complaint import Complaint
from levee.topology.partitioning import fitting_counts, partitioning
from levee.topology.spec import Resource, Spec
from levee.topology.wording import close_to, count, listed

Edges = Mapping[str, tuple[str, ...]]  # operator -> the operators it reads


def _edges(spec: Spec) -> Edges:
    operators = {operator.name for operator in spec.operators}
    return {operator.name: tuple(edge.origin for edge in operator.inputs if edge.origin in operators) for operator in spec.operators}


def _cycles(edges: Edges) -> Iterator[tuple[str, ...]]:
    """Cycles without a common operator, one after the other until none is left, each in the direction of the rows."""
    remaining = dict(edges)
    while cycle := _cycle(remaining):
        yield cycle
        remaining = {name: origins for name, origins in remaining.items() if name not in cycle}


def _cycle(edges: Edges) -> tuple[str, ...]:
    """Operators that read nothing that is left are taken away; walking back from any of the rest must run into a circle."""
    rest = dict(edges)
    while done := [name for name, origins in rest.items() if not any(origin in rest for origin in origins)]:
        rest = {name: origins for name, origins in rest.items() if name not in done}
    if not rest:
        return ()
    walk = [next(iter(rest))]
    while walk[-1] not in walk[:-1]:
        walk.append(next(origin for origin in rest[walk[-1]] if origin in rest))
    circle = walk[walk.index(walk[-1]) + 1 :][::-1]
    start = min(range(len(circle)), key=lambda place: list(edges).index(circle[place]))
    return tuple(circle[start:] + circle[:start])


def cycles(resource: Resource) -> Iterator[Complaint]:
    for cycle in _cycles(_edges(resource.spec)) if distinct(resource.spec) else ():
        where = _input_place(resource.spec, cycle[0], cycle[-1])
        if len(cycle) == 1:
            yield Complaint(where, f"'{cycle[0]}' reads its own output", "remove this input: an operator keeps its state without it")
        else:
            circle = " -> ".join([*cycle, cycle[0]])
            yield Complaint(
                where, f"streams run in a circle: {circle}", f"remove one of these inputs, such as '{cycle[-1]}' of '{cycle[0]}'"
            )


def _input_place(spec: Spec, reader: str, origin: str) -> str:
    return next(where for where, name, read in references(spec) if (name, read) == (reader, origin))


def unreachable(resource: Resource) -> Iterator[Complaint]:
    """Operators that only a cycle feeds; those on the cycle itself are complained about already."""
    spec = resource.spec
    known = set(emitters(spec))
    on_cycle = {name for cycle in _cycles(_edges(spec)) for name in cycle}
    reached = {source.name for source in spec.sources}
    reached |= {operator.name for operator in spec.operators if any(edge.origin not in known for edge in operator.inputs)}
    for _ in spec.operators:
        more = {operator.name for operator in spec.operators if any(edge.origin in reached for edge in operator.inputs)} - reached
        reached |= more
        if not more:
            break
    for index, operator in enumerate(spec.operators):
        if operator.name not in reached and operator.name not in on_cycle:
            yield Complaint(
                f"spec.operators[{index}]",
                f"'{operator.name}' gets no rows: no source reaches it",
                "let it read a source, or what comes from one",
            )


def unused(resource: Resource) -> Iterator[Complaint]:
    """Streams that reach no sink. A misspelled reference counts as what was probably meant; if nobody can tell, it may be any stream."""
    spec = resource.spec
    known = emitters(spec)
    edges = [(reader, origin if origin in known else close_to(origin, known)) for _, reader, origin in references(spec)]
    if not distinct(spec) or any(origin is None for _, origin in edges):
        return
    useful = {sink.name for sink in spec.sinks}
    for _ in range(len(spec.operators) + 1):
        useful |= {origin for reader, origin in edges if reader in useful and origin is not None}
    for where, stream in spec.placed_streams:
        if stream.name not in useful:
            yield Complaint(
                where, f"what '{stream.name}' emits reaches no sink", f"add a sink with from: {stream.name}, or remove '{stream.name}'"
            )


def wiring(resource: Resource) -> Iterator[Complaint]:
    spec = resource.spec
    counts = {stream.name: stream.parallelism for stream in spec.streams}
    for index, operator in enumerate(spec.operators):
        unkeyed = tuple(counts[edge.origin] for edge in operator.inputs if not edge.partition_by and edge.origin in counts)
        for place, edge in enumerate(operator.inputs):
            producers = counts.get(edge.origin)
            if producers is None or partitioning(producers, operator.parallelism, keyed=bool(edge.partition_by)):
                continue
            have = f"{count(operator.parallelism, 'task')} cannot be wired to the {count(producers, 'task')} of '{edge.origin}'"
            wrong = f"{have}: without partitionBy one number must be a multiple of the other"
            fitting = listed(fitting_counts(unkeyed, operator.parallelism))
            fix = f"add partitionBy with the key's columns, or set parallelism of '{operator.name}' to {fitting}"
            yield Complaint(f"spec.operators[{index}].inputs[{place}]", wrong, fix)
