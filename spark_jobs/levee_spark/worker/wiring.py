"""From a topology as it is declared to what the log's roles must know of it.

Called by: workers; whoever runs a topology and writes its control log.
"""

from collections.abc import Iterator

from levee.planning.expand import reads
from levee.topology import graph
from levee.topology.convert import convert
from levee.topology.drawing import drawn
from levee.topology.names import OperatorName, TaskId, task_id
from levee.topology.spec import Resource, Spec
from levee.topology.streams import OnDivergence, OnError
from levee.topology.timing import LOCAL, deadline_s, period_s
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.wiring import TaskWiring, Wiring

POLL_LOCAL_MS, POLL_REMOTE_MS = 5, 40
SINK_TELLS = 4  # times in a backlog
PIN_PERIODS = 240  # a fork has this long to fetch and catch up before others may trim what it needs
LOCAL_STAMP_MS, REMOTE_STAMP_MS = 1, 1000  # how finely a store stamps its objects


def wiring_of(resource: Resource, uid: str) -> Wiring:
    topology, spec = convert(resource), resource.spec
    tasks = {one.task: one for one in tasks_of(topology, spec)}
    return Wiring(layout_of(resource, uid), times_of(spec), tasks, drawn(topology))


def layout_of(resource: Resource, uid: str) -> Layout:
    return Layout(f"{resource.metadata.namespace}/{resource.metadata.name}", uid)


def times_of(spec: Spec, deadline: float | None = None) -> Times:
    local = spec.store.uri.startswith(LOCAL)
    period = period_s(spec)
    backlog = max(1, round(spec.epoch.backlog / period))
    return Times(
        period_ms=ms(period),
        hold_ms=ms(spec.epoch.hold),
        deadline_ms=ms(deadline_s(spec, deadline)),
        failure_timeout_ms=ms(spec.fault_tolerance.failure_timeout),
        retention_ms=ms(spec.epoch.retention),
        poll_ms=POLL_LOCAL_MS if local else POLL_REMOTE_MS,
        pin_ms=max(60_000, PIN_PERIODS * ms(period)),
        lead=backlog,
        backlog=backlog,
        resolution_ms=LOCAL_STAMP_MS if local else REMOTE_STAMP_MS,
    )


def ms(seconds: float) -> int:
    return round(seconds * 1000)


def tasks_of(topology: graph.Topology, spec: Spec) -> Iterator[TaskWiring]:
    widths = widths_of(topology)
    tasks = (*source_tasks(topology), *operator_tasks(topology, spec, widths), *sink_tasks(topology, widths))
    for place, task in enumerate(tasks):
        yield with_checkpoints(task, spec, place)


def widths_of(topology: graph.Topology) -> dict[OperatorName, int]:
    """Of everything that emits."""
    sources = {one.name: one.parallelism for one in topology.sources}
    return sources | {one.name: one.parallelism for one in topology.operators}


def with_checkpoints(task: TaskWiring, spec: Spec, place: int) -> TaskWiring:
    """Staggered, so that not all tasks publish at once. What a sink publishes is how far it has come, and sources wait for that: so it
    says so several times in a backlog, else it and they would wait for each other."""
    every = spec.fault_tolerance.checkpoint.every
    if task.sink:
        every = max(1, min(every, times_of(spec).backlog // SINK_TELLS))
    return TaskWiring(
        task.task,
        task.operator,
        task.inputs,
        task.skips_late,
        task.skips_errors,
        task.may_adopt,
        every,
        place * max(1, every // 7) % every,
        spec.fault_tolerance.checkpoint.keep,
        task.sink,
    )


def source_tasks(topology: graph.Topology) -> Iterator[TaskWiring]:
    for source in topology.sources:
        for index in range(source.parallelism):
            yield TaskWiring(task_id(source.name, index), source.name, skips_late=source.late is graph.Late.SKIP)


def operator_tasks(topology: graph.Topology, spec: Spec, widths: dict[OperatorName, int]) -> Iterator[TaskWiring]:
    said = {one.name: one for one in spec.operators}
    for operator in topology.operators:
        policies = said[operator.name]
        for index in range(operator.parallelism):
            yield TaskWiring(
                task_id(operator.name, index),
                operator.name,
                tuple(task for stream in operator.inputs for task in producers(operator, stream, widths, index)),
                skips_late=operator.late is graph.Late.SKIP,
                skips_errors=policies.on_error is OnError.SKIP,
                may_adopt=policies.on_divergence is OnDivergence.RESYNC,
            )


def producers(operator: graph.Operator, stream: graph.Input, widths: dict[OperatorName, int], index: int) -> tuple[TaskId, ...]:
    return tuple(task_id(stream.origin, producer) for producer, _ in reads(operator, stream, widths[stream.origin], index))


def sink_tasks(topology: graph.Topology, widths: dict[OperatorName, int]) -> Iterator[TaskWiring]:
    for sink in topology.sinks:
        inputs = tuple(task_id(sink.origin, index) for index in range(widths[sink.origin]))
        yield TaskWiring(task_id(sink.name, 0), sink.name, inputs, sink=True)
