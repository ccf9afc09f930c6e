"""Put a replica together: its role, and what does the role's work.

Called by: main, once for each replica of the order; replica, when a function has changed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from levee.planning.expand import reads
from levee.topology import graph
from levee.topology.convert import convert
from levee.topology.names import TaskId
from levee.topology.spec import Resource
from levee_spark.deliver.delivery import Delivery
from levee_spark.deliver.formats import FORMATS
from levee_spark.deliver.opening import open_delivery
from levee_spark.deliver.owner import Owner
from levee_spark.ingest.ingestion import Ingestion
from levee_spark.ingest.opening import Place, open_ingestion
from levee_spark.ingest.silence import Silence
from levee_spark.lane.query import Keyed, Lane, LaneInput
from levee_spark.log.imports import Keeper
from levee_spark.log.ingest import Ingestor
from levee_spark.log.replica import Replica
from levee_spark.log.requests import Answer, Deliver, Done, Files, Found, Get, Ingest, Raised, Request, Restore, Snapshot, Wait
from levee_spark.log.reread import Rereader
from levee_spark.log.seal import Sealer
from levee_spark.log.sink import Sink
from levee_spark.log.values import EpochObject, Kind, Segment
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.spark import scratch
from levee_spark.store.driver import StoreDriver, monotonic_ms
from levee_spark.worker import function, imports
from levee_spark.worker.importing import importing_of
from levee_spark.worker.logs import Log
from levee_spark.worker.operating import Operating, Slice, StreamPart, table_of
from levee_spark.worker.order import Order, ReplicaName
from levee_spark.worker.wiring import times_of, widths_of

LIMIT_S_MIN, LIMIT_FAILURE_TIMEOUTS = 30.0, 10
LIMIT_S_MIN_SPREAD = 120.0  # a lost executor is replaced by then

Work = Callable[[Request], Answer]
Role = Replica | Ingestor | Sink


@dataclass(frozen=True)
class Parts:
    """What the replicas of a worker share."""

    order: Order
    resource: Resource
    wiring: Wiring
    driver: StoreDriver
    spool: Path
    session: Callable[[], SparkSession]
    log: Log
    cores: int = 2
    spread: int = 0  # the parts of an epoch that executors compute

    @property
    def limit_s(self) -> float:
        """A function that has not returned by then never will. Far above what any epoch takes, for whoever is cancelled begins anew."""
        least = LIMIT_S_MIN_SPREAD if self.spread else LIMIT_S_MIN
        return max(least, LIMIT_FAILURE_TIMEOUTS * self.resource.spec.fault_tolerance.failure_timeout)

    @property
    def topology(self) -> graph.Topology:
        return convert(self.resource)

    def task(self, name: ReplicaName) -> TaskWiring:
        return self.wiring.tasks[name.task]

    def folder(self, name: ReplicaName) -> Path:
        return self.order.directory / "replicas" / str(name).replace("/", "-")

    def incarnation(self, name: ReplicaName) -> str:
        return f"{name}@{self.order.worker}"


def role_of(parts: Parts, name: ReplicaName, function_name: str) -> Role:
    task = parts.task(name)
    if task.is_source:
        return Ingestor(parts.wiring, task, str(name), parts.incarnation(name))
    if task.sink:
        return Sink(parts.wiring, task, parts.incarnation(name), str(name), alone=not writes_once(parts, task))
    return Replica(parts.wiring, task, str(name), parts.incarnation(name), function_name)


def work_of(parts: Parts, name: ReplicaName, function_name: str, run: int, tell: Callable[[str], None] = lambda _: None) -> Work:
    """`tell`: what it waits for, as long as it does."""
    task = parts.task(name)
    if task.is_source:
        return Ingesting(ingestion_of(parts, name, run, tell))
    if task.sink:
        return Delivering(delivery_of(parts, name))
    return operating_of(parts, name, function_name, run)


def writes_once(parts: Parts, task: TaskWiring) -> bool:
    """Levee's own files: whoever comes second finds the epoch's file there."""
    return next(one.spark.format for one in parts.resource.spec.sinks if one.name == task.operator) in FORMATS


def end(work: Work) -> None:
    """Whoever comes after it has queries of the same names."""
    match work:
        case Operating():
            work.lane.close()
        case Ingesting():
            work.ingestion.stop()
        case _:
            pass  # nothing of it outlives a call


class SourceFailed(Exception):
    """What it said; the same is asked again."""


@dataclass(frozen=True, slots=True)
class Ingesting:
    ingestion: Ingestion

    def __call__(self, request: Request) -> Answer:
        assert isinstance(request, Ingest), f"a source cannot answer {request}"
        if request.until is not None:
            return self.ingestion.again(request.epoch, request.offsets, request.until)
        answer = self.ingestion.ingest(request.epoch, request.offsets)
        if isinstance(answer, Raised):
            raise SourceFailed(answer.error)  # nothing was taken: the replica says so and begins anew
        return answer


@dataclass(frozen=True, slots=True)
class Delivering:
    """A sink has no state of its own: what it has delivered is outside."""

    delivery: Delivery

    def __call__(self, request: Request) -> Answer:
        now_ms = monotonic_ms()
        match request:
            case Deliver():
                return self.delivery.deliver(request)
            case Restore():
                return Done(now_ms, now_ms)
            case Snapshot():
                return Files((), now_ms, now_ms)
            case _:
                raise TypeError(f"a sink cannot answer {request}")


def ingestion_of(parts: Parts, name: ReplicaName, run: int, tell: Callable[[str], None]) -> Ingestion:
    operator, _, index = name.task.rpartition("/")
    source = next(one for one in parts.resource.spec.sources if one.name == operator)
    if source.spark is None:
        holder = f"{parts.incarnation(name)} {run}"
        imported = importing_of(parts.resource, source, parts.wiring, name.task, holder, parts.driver, tell)
        imported.warm()
        return imported
    keys = f"{parts.wiring.layout.stream(name.task)}/shelf"
    max_rows, period_ms = parts.resource.spec.epoch.max_rows, parts.wiring.times.period_ms
    silence = Silence(parts.resource.spec.fault_tolerance.failure_timeout, tell)
    place = Place(parts.session, parts.folder(name) / str(run), parts.driver.blobs, keys, max_rows, period_ms=period_ms, silence=silence)
    opened = open_ingestion(operator, source.spark.format, source.spark.options, place, task=int(index), tasks=source.parallelism)
    if run == 1:
        opened.warm()
    return opened


def delivery_of(parts: Parts, name: ReplicaName) -> Delivery:
    sink = next(one for one in parts.resource.spec.sinks if one.name == parts.task(name).operator)

    def tell(trouble: str) -> None:
        parts.log.say("tries again", level="warning", replica=str(name), detail=trouble)

    owner = Owner(parts.log.topology, parts.order.uid, sink.name)
    show = partial(parts.log.say, task=name.task, replica=str(name))
    return open_delivery(owner, sink.spark.format, sink.spark.options, spark=parts.session, tell=tell, show=show)


def operating_of(parts: Parts, name: ReplicaName, function_name: str, run: int) -> Operating:
    found = function.found(function_name, parts.order.resource.parent)
    operator = next(one for one in parts.topology.operators if one.name == parts.task(name).operator)
    said = next(one for one in parts.resource.spec.operators if one.name == operator.name)
    index = int(name.task.rpartition("/")[2])
    columns = {one.origin: tuple(one.partition_by or ()) for one in said.inputs}
    inputs = tuple(LaneInput(one.origin, keyed(operator, one, index, columns[one.origin])) for one in operator.inputs)
    folder = parts.folder(name) / str(run)
    lane = Lane(parts.session(), folder, parts.spool, str(name), found, inputs, parts.cores, parts.limit_s, function_name, parts.spread)
    streams, schemas = tuple(stream_part(parts, operator, one, index) for one in operator.inputs), Schemas(parts.driver, parts.wiring)
    return Operating(lane, streams, schemas, begun=lambda: schemas.of_first(name.task))


def keyed(operator: graph.Operator, stream: graph.Input, index: int, columns: tuple[str, ...]) -> Keyed | None:
    spread = stream.partitioning is graph.Partitioning.FULL and operator.parallelism > 1
    return Keyed(columns, index, operator.parallelism) if spread and columns else None


def stream_part(parts: Parts, operator: graph.Operator, stream: graph.Input, index: int) -> StreamPart:
    producers = widths_of(parts.topology)[stream.origin]
    tasks = tuple(TaskId(f"{stream.origin}/{producer}") for producer, _ in reads(operator, stream, producers, index))
    return StreamPart(tasks, slices_of(operator, stream, producers, index))


def slices_of(operator: graph.Operator, stream: graph.Input, producers: int, index: int) -> Slice | None:
    """Several tasks share the rows of one, by where they stand."""
    if stream.partitioning is not graph.Partitioning.SPLIT:
        return None
    fan_out = operator.parallelism // producers
    first = index - index % fan_out
    group = operator.shares[first : first + fan_out]
    low = sum(group[: index - first]) / sum(group)
    return Slice(low, low + operator.shares[index] / sum(group))


@dataclass(frozen=True, slots=True)
class Schemas:
    """The columns of a stream whose epochs so far were all sealed without rows: those of its next epoch with any."""

    driver: StoreDriver
    wiring: Wiring

    def __call__(self, task: TaskId, epoch: int) -> pa.Schema:
        waiter = self.driver.waiter()
        while True:
            key = self.wiring.layout.epoch(task, epoch)
            record = getattr(self.driver.answer(Get(key)), "record", None)
            if not isinstance(record, EpochObject):
                waiter.wait(Wait(self.wiring.times.poll_ms))
            elif record.manifest.kind is Kind.FINAL:
                return self.of(record)
            else:
                epoch += 1

    def of_first(self, task: TaskId) -> pa.Schema | None:
        """Of a stream's first epoch, if that is there and has any: who begins without a checkpoint must emit the same."""
        record = getattr(self.driver.answer(Get(self.wiring.layout.epoch(task, 1))), "record", None)
        if not isinstance(record, EpochObject) or record.manifest.kind is not Kind.FINAL:
            return None
        return self.of(record)

    def of(self, epoch: EpochObject) -> pa.Schema:
        """All segments of an epoch have the same."""
        if not epoch.manifest.segments:
            return table_of(epoch).schema
        answer = self.driver.answer(Get(epoch.manifest.segments[0]))
        assert isinstance(answer, Found) and isinstance(answer.record, Segment), f"{epoch.manifest.segments[0]} is gone"
        return table_of(EpochObject(epoch.manifest, answer.record.payload)).schema


def sealers_of(parts: Parts, name: ReplicaName) -> list[Sealer]:
    """For each input that is to be skipped when it is late: its consumers see to that."""
    deadlines = {one.name: one.deadline for one in parts.resource.spec.streams}
    late = [parts.wiring.tasks[task] for task in parts.task(name).inputs if parts.wiring.tasks[task].skips_late]
    return [
        Sealer(replace(parts.wiring, times=times_of(parts.resource.spec, deadlines[task.operator])), task, parts.incarnation(name))
        for task in late
    ]


def rereaders_of(parts: Parts, name: ReplicaName) -> list[Rereader]:
    """Beside an ingestor: whoever needs an epoch of its source that is corrupt must not wait until the source has new rows."""
    task = parts.task(name)
    return [Rereader(parts.wiring, task.task, parts.incarnation(name))] if task.is_source else []


def keepers_of(parts: Parts, name: ReplicaName) -> list[Keeper]:
    return imports.keepers_of(parts.resource, parts.wiring, name.task, parts.incarnation(name))


def spool_for(order: Order) -> Path:
    """In memory where the machine has that: an input is written there and read once."""
    return scratch.in_memory(order.directory / "spool")
