"""The drawing of a graph: who reads whom, in how many parts, and how; as text, and what differs between two of them.

Why: streams go on only as those of the graph that made them. So a control record carries the drawing of the graph in force, and what a
changed resource adds, removes and touches follows from two drawings, whoever compares them and whatever became of the older resource.
Called by: control.making and the worker (which name their graph by it), control.rules, worlds.reshaping.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from levee.topology.graph import Partitioning, Topology
from levee.topology.names import OperatorName, TaskId, task_id


@dataclass(frozen=True, slots=True)
class Reading:
    """How the tasks of an operator share the rows of an input."""

    origin: OperatorName
    partitioning: str
    columns: tuple[str, ...] = ()
    shares: tuple[float, ...] = ()  # of a split only: elsewhere they say how much is expected, not who reads what


@dataclass(frozen=True, slots=True)
class Part:
    parallelism: int
    inputs: tuple[Reading, ...] = ()

    @property
    def origins(self) -> tuple[OperatorName, ...]:
        return tuple(one.origin for one in self.inputs)


@dataclass(frozen=True, slots=True)
class Drawing:
    sources: Mapping[OperatorName, int]
    operators: Mapping[OperatorName, Part]
    sinks: Mapping[OperatorName, OperatorName]

    def tasks(self) -> dict[OperatorName, tuple[TaskId, ...]]:
        widths = dict(self.sources) | {name: part.parallelism for name, part in self.operators.items()} | dict.fromkeys(self.sinks, 1)
        return {name: tuple(task_id(name, index) for index in range(width)) for name, width in widths.items()}

    def streams(self) -> frozenset[OperatorName]:
        return frozenset((*self.sources, *self.operators))

    def spread(self, name: OperatorName) -> object:
        """By what the rows that reach an operator are told apart among its tasks: a state can follow only where that stays as it is."""
        part = self.operators.get(name)
        if part is None:
            return name, self.sources.get(name, 1)
        if part.parallelism == 1:
            return 1
        return part.parallelism, {one.origin: self.shared(one) for one in part.inputs}

    def shared(self, one: Reading) -> object:
        keyed = one.partitioning == Partitioning.FULL.value and bool(one.columns)
        return one if keyed else (one, self.spread(one.origin))


@dataclass(frozen=True, slots=True)
class Difference:
    """Between what is in force and what is wanted."""

    added: frozenset[TaskId]
    removed: frozenset[TaskId]
    touched: frozenset[OperatorName]  # operators that are in both and read something else, or in another number
    scattered: frozenset[OperatorName]  # of those that are in both: the rows of a key may reach another task than before
    resized: frozenset[OperatorName]  # sources that are in both, in another number
    turned: frozenset[OperatorName]  # names that are of another kind


def drawn(topology: Topology) -> str:
    told = {
        "sources": {one.name: one.parallelism for one in topology.sources},
        "operators": {
            one.name: [
                one.parallelism,
                [
                    [edge.origin, edge.partitioning.value, edge.columns, one.shares if edge.partitioning is Partitioning.SPLIT else ()]
                    for edge in one.inputs
                ],
            ]
            for one in topology.operators
        },
        "sinks": {one.name: one.origin for one in topology.sinks},
    }
    return json.dumps(told, sort_keys=True, separators=(",", ":"))


def read(text: str) -> Drawing | None:
    """None: it is none. Streams of early versions only named their graph."""
    if not text.startswith("{"):
        return None
    told = json.loads(text)
    return Drawing(
        {OperatorName(name): width for name, width in told["sources"].items()},
        {OperatorName(name): Part(width, tuple(map(reading, inputs))) for name, (width, inputs) in told["operators"].items()},
        {OperatorName(name): OperatorName(origin) for name, origin in told["sinks"].items()},
    )


def reading(told: tuple[str, str, list[str], list[float]]) -> Reading:
    origin, partitioning, columns, shares = told
    return Reading(OperatorName(origin), partitioning, tuple(columns), tuple(shares))


def difference(before: Drawing, after: Drawing) -> Difference:
    """A sink that reads another stream is touched, too."""
    were, are = before.tasks(), after.tasks()
    both = [name for name in before.operators if name in after.operators]
    changed = {name for name in both if before.operators[name] != after.operators[name]}
    changed |= {name for name, origin in before.sinks.items() if after.sinks.get(name, origin) != origin}
    return Difference(
        frozenset(task for name, tasks in are.items() for task in tasks if task not in were.get(name, ())),
        frozenset(task for name, tasks in were.items() for task in tasks if task not in are.get(name, ())),
        frozenset(changed),
        frozenset(name for name in both if is_scattered(before, after, name)),
        frozenset(name for name, width in before.sources.items() if after.sources.get(name, width) != width),
        frozenset(name for name in were if name in are and kind(before, name) != kind(after, name)),
    )


def is_scattered(before: Drawing, after: Drawing, name: OperatorName) -> bool:
    """An input that only one of the two has says nothing about the rows of the others."""
    was, now = before.operators[name], after.operators[name]
    if was.parallelism == now.parallelism == 1:
        return False
    shared = {one.origin: before.shared(one) for one in was.inputs}, {one.origin: after.shared(one) for one in now.inputs}
    common = shared[0].keys() & shared[1].keys()
    return was.parallelism != now.parallelism or any(shared[0][origin] != shared[1][origin] for origin in common)


def kind(drawing: Drawing, name: OperatorName) -> str:
    return next(word for word in ("sources", "operators", "sinks") if name in getattr(drawing, word))


def touched(before: str, after: str) -> frozenset[OperatorName]:
    """Of two texts; nothing where one of them is no drawing."""
    was, now = read(before), read(after)
    return difference(was, now).touched if was is not None and now is not None else frozenset()
