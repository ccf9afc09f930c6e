"""Who reads whom in a topology, as it is drawn: a box for each source, operator and sink, and a line for each stream that is read.

Why: options of sources and sinks may hold credentials, so only their formats are taken over from the resource, by name.
Called by: whoever makes a View.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from levee.topology.graph import Configuration, Late, Topology
from levee.topology.load import Loaded
from levee.topology.names import OperatorName
from levee.topology.spec import Spec
from levee.topology.streams import Source

FINAL, TENTATIVE = "final", "tentative"


@dataclass(frozen=True, slots=True)
class Box:
    name: OperatorName
    kind: str  # source | operator | sink
    says: str  # the format of a source or a sink, the function of an operator
    late: Late | None = None  # of its stream; a sink has none

    @property
    def lanes(self) -> tuple[str, ...]:
        """In which its stream may be read, where its epochs are late."""
        if self.late is None:
            return ()
        return (FINAL, TENTATIVE) if self.late in {Late.TENTATIVE, Late.PREDICT} else (FINAL,)


@dataclass(frozen=True, slots=True)
class Line:
    origin: OperatorName
    to: OperatorName
    partitioning: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Graph:
    boxes: tuple[Box, ...] = ()  # producers first
    lines: tuple[Line, ...] = ()
    configurations: tuple[Configuration, ...] = ()


def graph_of(found: Loaded) -> Graph:
    """Of what is not valid there is none."""
    if found.topology is None or found.resource is None:
        return Graph()
    topology, spec = found.topology, found.resource.spec
    return Graph(tuple(boxes(topology, spec)), tuple(lines(topology)), topology.configurations)


def boxes(topology: Topology, spec: Spec) -> Iterator[Box]:
    late = {one.name: one.late for one in topology.sources}
    functions = {one.name: one.function for one in spec.operators}
    for source in spec.sources:
        yield Box(OperatorName(source.name), "source", source_says(source), late[OperatorName(source.name)])
    for operator in topology.operators:
        yield Box(operator.name, "operator", functions[operator.name], operator.late)
    for sink in spec.sinks:
        yield Box(OperatorName(sink.name), "sink", sink.spark.format)


def source_says(source: Source) -> str:
    return source.spark.format if source.spark is not None else "import"


def lines(topology: Topology) -> Iterator[Line]:
    for operator in topology.operators:
        for edge in operator.inputs:
            yield Line(edge.origin, operator.name, edge.partitioning.value, edge.columns)
    for sink in topology.sinks:
        yield Line(sink.origin, sink.name, "merge")
