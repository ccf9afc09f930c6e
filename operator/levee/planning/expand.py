"""From a declared topology to the planning problem: operators become tasks, edges become the streams between tasks.

Why: the task is the unit of replication, so planning speaks of tasks only.
Called by: levee plan and whoever else plans; fidelity.problem wires its tasks with `reads`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from levee.planning.completeness.model import Model
from levee.planning.placement import place
from levee.planning.problem import Edge, Problem, SourceTask, Task
from levee.topology.graph import Input, Node, Operator, Partitioning, Source, Topology
from levee.topology.names import NodeName, OperatorName, TaskId, task_id


def expand(topology: Topology, nodes: tuple[Node, ...]) -> Problem:
    """The problem on these nodes; replicas stand where the user pinned them, else where `place` puts them."""
    parts: tuple[Source | Operator, ...] = (*topology.sources, *topology.operators)
    widths = {part.name: part.parallelism for part in parts}
    unplaced = Problem(
        sources=tuple(task for source in topology.sources for task in _source_tasks(topology, source)),
        tasks=tuple(task for operator in topology.operators for task in _tasks(operator, widths)),
        configurations=topology.configurations,
        nodes=nodes,
        placement={},
        replicas=topology.wanted.replicas,
        window_s=topology.wanted.window_s,
        sinks=tuple(task_id(sink.origin, index) for sink in topology.sinks for index in range(widths[sink.origin])),
    )
    loads = Model(unplaced).reserved.max(axis=0)
    heaviest = {task.id: float(load) for task, load in zip(unplaced.tasks, loads, strict=True)}
    return replace(
        unplaced,
        placement=place(heaviest, nodes, topology.wanted.replicas, pinned(topology)),
    )


def pinned(topology: Topology) -> dict[TaskId, tuple[NodeName, ...]]:
    """The placement that the user fixed: of single tasks, or of all tasks of an operator."""
    fixed: dict[TaskId, tuple[NodeName, ...]] = {}
    for operator in topology.operators:
        for index in range(operator.parallelism):
            task = task_id(operator.name, index)
            nodes = topology.pinned.get(task, topology.pinned.get(operator.name))
            if nodes is not None:
                fixed[task] = nodes
    return fixed


def _source_tasks(topology: Topology, source: Source) -> Iterator[SourceTask]:
    for index, share in enumerate(source.shares):
        rates = tuple(share * configuration.rows_per_s[source.name] for configuration in topology.configurations)
        yield SourceTask(task_id(source.name, index), source.name, rates, source.late)


def _tasks(operator: Operator, widths: Mapping[OperatorName, int]) -> Iterator[Task]:
    for index in range(operator.parallelism):
        edges = tuple(
            Edge(
                task_id(stream.origin, producer),
                stream.selectivity,
                stream.cost_s,
                fraction,
            )
            for stream in operator.inputs
            for producer, fraction in reads(operator, stream, widths[stream.origin], index)
        )
        yield Task(
            task_id(operator.name, index),
            operator.name,
            edges,
            operator.late,
            operator.correlated,
            operator.repeatable,
        )


def reads(operator: Operator, stream: Input, producers: int, index: int) -> Iterator[tuple[int, float]]:
    """Which tasks of the producer this task reads, and the fraction of their output that reaches it."""
    match stream.partitioning:
        case Partitioning.ONE_TO_ONE:
            yield index, 1.0
        case Partitioning.MERGE:
            fan_in = producers // operator.parallelism
            yield from ((producer, 1.0) for producer in range(index * fan_in, (index + 1) * fan_in))
        case Partitioning.SPLIT:
            fan_out = operator.parallelism // producers
            producer = index // fan_out
            group = operator.shares[producer * fan_out : (producer + 1) * fan_out]
            yield producer, operator.shares[index] / sum(group)
        case Partitioning.FULL:
            yield from ((producer, operator.shares[index]) for producer in range(producers))
