"""The fidelity problem at the level of tasks: which substreams each task reads, at which rates.

Why: information loss travels along substreams (Su and Zhou, "Tolerating Correlated Failures in Massively Parallel Stream Processing
Engines", section III); every optimiser of this package works on this one model.
Called by: levee plan and generate.topologies, through `fidelity_problem`; every module of this package.

Source tasks are tasks here: they fail like the others, and an active replica of one counts towards the budget.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from levee.planning.expand import reads
from levee.topology.graph import Configuration, Input, Late, Operator, Partitioning, Source, Topology
from levee.topology.names import OperatorName, TaskId, task_id


@dataclass(frozen=True, slots=True)
class InputStream:
    """What a task reads from one upstream operator."""

    substreams: tuple[tuple[int, float], ...]  # (producing task, rows per second that it sends here)
    selectivity: float = 1.0  # rows emitted per row read; weighs the stream in completeness only

    @property
    def rows_per_s(self) -> float:
        return sum(rate for _, rate in self.substreams)


@dataclass(frozen=True, slots=True)
class FidelityTask:
    id: TaskId
    operator: int
    streams: tuple[InputStream, ...]  # none: a source task
    rows_per_s: float  # of its output
    waits: bool = False  # its late policy is `wait`: when it fails, nothing below it is in time

    @property
    def is_source(self) -> bool:
        return not self.streams

    @property
    def read_rows_per_s(self) -> float:
        return sum(stream.rows_per_s for stream in self.streams)


@dataclass(frozen=True, slots=True)
class OperatorInput:
    origin: int  # the upstream operator
    partitioning: Partitioning


@dataclass(frozen=True, slots=True)
class FidelityOperator:
    name: OperatorName
    tasks: tuple[int, ...]
    inputs: tuple[OperatorInput, ...]
    correlated: bool


@dataclass(frozen=True)
class FidelityProblem:
    """Operators and tasks in topological order, and the tasks whose output is delivered."""

    operators: tuple[FidelityOperator, ...]
    tasks: tuple[FidelityTask, ...]
    sinks: tuple[int, ...]

    def correlated(self, task: int) -> bool:
        return self.operators[self.tasks[task].operator].correlated

    def producers(self, task: int) -> Iterator[int]:
        return (producer for stream in self.tasks[task].streams for producer, _ in stream.substreams)

    @cached_property
    def consumers(self) -> tuple[tuple[int, ...], ...]:
        """Per task the tasks that read it."""
        found: list[list[int]] = [[] for _ in self.tasks]
        for consumer in range(len(self.tasks)):
            for producer in set(self.producers(consumer)):
                found[producer].append(consumer)
        return tuple(map(tuple, found))


def fidelity_problem(topology: Topology) -> FidelityProblem:
    """The problem at the mean source rates."""
    return _build(topology, mean_rows_per_s(topology))


def problem_in(topology: Topology, configuration: Configuration) -> FidelityProblem:
    return _build(topology, configuration.rows_per_s)


def _build(topology: Topology, rows_per_s: Mapping[OperatorName, float]) -> FidelityProblem:
    """An operator that feeds two sinks is counted once."""
    builder = _Builder(topology, rows_per_s, {}, [], [])
    for source in topology.sources:
        builder.add_source(source)
    for operator in topology.operators:
        builder.add_operator(operator)
    delivered = {builder.places[sink.origin] for sink in topology.sinks}
    sinks = tuple(task for place in sorted(delivered) for task in builder.operators[place].tasks)
    return FidelityProblem(tuple(builder.operators), tuple(builder.tasks), sinks)


def mean_rows_per_s(topology: Topology) -> Mapping[OperatorName, float]:
    """Per source, over the configurations."""
    return {
        source.name: sum(configuration.probability * configuration.rows_per_s[source.name] for configuration in topology.configurations)
        for source in topology.sources
    }


@dataclass(frozen=True, slots=True)
class _Builder:
    topology: Topology
    source_rows_per_s: Mapping[OperatorName, float]
    places: dict[OperatorName, int]
    operators: list[FidelityOperator]
    tasks: list[FidelityTask]

    def add_source(self, source: Source) -> None:
        rows_per_s = self.source_rows_per_s[source.name]
        place, waits = len(self.operators), source.late is Late.WAIT
        made = [
            FidelityTask(task_id(source.name, index), place, (), share * rows_per_s, waits) for index, share in enumerate(source.shares)
        ]
        self._add(FidelityOperator(source.name, self._numbers(len(made)), (), correlated=False), made)

    def add_operator(self, operator: Operator) -> None:
        inputs = tuple(OperatorInput(self.places[stream.origin], stream.partitioning) for stream in operator.inputs)
        made = [self._task(operator, index) for index in range(operator.parallelism)]
        self._add(FidelityOperator(operator.name, self._numbers(len(made)), inputs, operator.correlated), made)

    def _task(self, operator: Operator, index: int) -> FidelityTask:
        streams = tuple(self._stream(operator, stream, index) for stream in operator.inputs)
        rows_per_s = sum(stream.selectivity * stream.rows_per_s for stream in streams)
        return FidelityTask(task_id(operator.name, index), len(self.operators), streams, rows_per_s, operator.late is Late.WAIT)

    def _stream(self, operator: Operator, stream: Input, index: int) -> InputStream:
        origin = self.operators[self.places[stream.origin]].tasks
        wired = reads(operator, stream, len(origin), index)
        return InputStream(
            tuple((origin[producer], fraction * self.tasks[origin[producer]].rows_per_s) for producer, fraction in wired),
            stream.selectivity,
        )

    def _numbers(self, count: int) -> tuple[int, ...]:
        return tuple(range(len(self.tasks), len(self.tasks) + count))

    def _add(self, operator: FidelityOperator, tasks: list[FidelityTask]) -> None:
        self.places[operator.name] = len(self.operators)
        self.operators.append(operator)
        self.tasks.extend(tasks)
