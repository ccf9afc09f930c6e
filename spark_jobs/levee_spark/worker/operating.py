"""What a replica of an operator does for its role: Compute, Restore and Snapshot, on a lane.

Why: the log hands over epochs of tasks; a function wants one frame for each stream it reads, with this task's part of the rows.
Called by: replica.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise

import pyarrow as pa

from levee.topology.names import TaskId
from levee_spark.deliver.jsonlines import json_rows
from levee_spark.lane import rows
from levee_spark.lane.emitting import Emitted
from levee_spark.lane.query import Lane, Output
from levee_spark.lane.trouble import Failed, Trouble
from levee_spark.log import bounds
from levee_spark.log.requests import Answer, Compute, Computed, Done, Files, Raised, Request, Restore, Snapshot
from levee_spark.log.values import EpochObject, Kind
from levee_spark.store.driver import monotonic_ms
from levee_spark.worker.crashes import Crashes

SEGMENT_BYTES, NAME_BYTES = 32 << 20, 16
SAMPLE_ROWS, ROW_CHARACTERS = 3, 400

SchemaOf = Callable[[TaskId, int], pa.Schema]  # of a stream, from whatever it has after an epoch


@dataclass(frozen=True, slots=True)
class Slice:
    """Rows are spread over the consumers of a task by where they stand."""

    low: float
    high: float

    def of(self, table: pa.Table) -> pa.Table:
        first = round(self.low * table.num_rows)
        return table.slice(first, round(self.high * table.num_rows) - first)


@dataclass(frozen=True, slots=True)
class StreamPart:
    tasks: tuple[TaskId, ...]  # in the order of the task's inputs
    slice: Slice | None = None


@dataclass
class Operating:
    lane: Lane
    streams: tuple[StreamPart, ...]
    schema_of: SchemaOf
    begun: Callable[[], pa.Schema | None] = lambda: None  # what its stream's first epoch has, of which there is no checkpoint
    schemas: dict[int, pa.Schema] = field(default_factory=dict)
    crashes: Crashes = field(default_factory=Crashes)  # whoever begins anew still knows them

    def __call__(self, request: Request) -> Answer:
        began_ms = monotonic_ms()
        match request:
            case Compute():
                return self.compute(request, began_ms)
            case Restore(epoch, files):
                self.restore(epoch, tuple(map(bytes_of, files)))
                return Done(began_ms, monotonic_ms())
            case Snapshot():
                return Files(self.lane.snapshot(), began_ms, monotonic_ms())
            case _:
                raise TypeError(f"an operator cannot answer {request}")

    def restore(self, epoch: int, files: tuple[bytes, ...]) -> None:
        """A lane knows from its checkpoint what it has emitted. Where there is none, no other function has taken over yet."""
        self.lane.restore(epoch, files)
        if epoch == 0 and not files and (schema := self.begun()) is not None:
            self.lane.emitted = Emitted(self.lane.function_name, schema)

    def compute(self, request: Compute, began_ms: int) -> Computed | Raised:
        time_ms = max(one.manifest.time_ms for one in request.inputs)
        tables = self.tables(request)
        closing = bounds.closes(request.epoch, request.inputs) and not request.dropped
        try:
            output = self.lane.compute(request.epoch, time_ms, tables, closing=closing)
        except (Failed, Trouble) as wrong:
            failed = self.crashes.blamed(self.lane.function_name, request.epoch, wrong)
            samples = [sample(one.stream, table) for one, table in zip(self.lane.inputs, tables, strict=True)]
            return Raised("\n".join([f"epoch {request.epoch}: {failed}", *samples]), began_ms, monotonic_ms())
        return self.computed(output, began_ms)

    def computed(self, output: Output, began_ms: int) -> Computed:
        parts = segments_of(output.table) if self.lane.spread else ()
        payload = None if parts else rows.encode(output.table)
        stateless = self.lane.is_stateless()
        return Computed(payload, output.table.num_rows, output.digest, began_ms, monotonic_ms(), segments=parts, stateless=stateless)

    def tables(self, request: Compute) -> list[pa.Table]:
        """One for each stream."""
        found, at = [], 0
        for index, stream in enumerate(self.streams):
            epochs = request.inputs[at : at + len(stream.tasks)]
            at += len(stream.tasks)
            found.append(self.table(index, stream, () if request.dropped else epochs, request.epoch))
        return found

    def table(self, index: int, stream: StreamPart, epochs: Sequence[EpochObject], epoch: int) -> pa.Table:
        there = [table_of(one) for one in epochs if one.manifest.kind is Kind.FINAL]
        if index not in self.schemas:
            self.schemas[index] = there[0].schema if there else self.schema_of(stream.tasks[0], epoch)
        united = rows.united(there) if there else self.schemas[index].empty_table()
        return united if stream.slice is None else stream.slice.of(united)


def segments_of(table: pa.Table) -> tuple[tuple[str, bytes], ...]:
    """Of what executors have computed, where one object would be too large; each is named after its content."""
    count = -(-table.nbytes // SEGMENT_BYTES)
    if count < 2:
        return ()
    ends = [part * table.num_rows // count for part in range(count + 1)]
    encoded = [rows.encode(table.slice(first, after - first)) for first, after in pairwise(ends)]
    return tuple((blake2b(data, digest_size=NAME_BYTES).hexdigest(), data) for data in encoded)


def sample(stream: str, table: pa.Table) -> str:
    """What the function was given, for whoever looks for what is wrong with it; as `levee tail` shows rows."""
    given = json_rows(table.slice(0, SAMPLE_ROWS))
    some = [f"  {json.dumps(row, ensure_ascii=False, default=str)[:ROW_CHARACTERS]}" for row in given]
    return "\n".join([f"the first {len(some)} of {table.num_rows} rows of '{stream}' in this epoch:", *some])


def table_of(epoch: EpochObject) -> pa.Table:
    payload = epoch.payload
    parts = payload if isinstance(payload, tuple) else (payload,)
    return rows.united([rows.decode(bytes_of(part)) for part in parts])


def bytes_of(payload: object) -> bytes:
    assert isinstance(payload, bytes | bytearray | memoryview), f"a payload is bytes, not {type(payload).__name__}"
    return bytes(payload) if not isinstance(payload, bytes) else payload
