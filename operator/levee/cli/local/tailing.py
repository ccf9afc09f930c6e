"""Reads committed epochs and turns them into lines.

Why: only what is committed counts, so streams are read from the store and never from a worker; and only Arrow knows their rows.
Called by: cli.commands.tail.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from levee.cli.local import epochs
from levee.plans.ending import Exit, Refused, use_instead
from levee.topology.complaint import Complaint
from levee.topology.names import TaskId
from levee_spark.log import floor, head, rest
from levee_spark.log.requests import Wait
from levee_spark.log.values import EpochObject, Floor, Kind, Manifest
from levee_spark.log.wiring import Wiring
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

POLL_S = 0.2


def tasks_of(stream: str, wiring: Wiring) -> tuple[TaskId, ...]:
    """The tasks of an operator or a source, or the one that is named; sinks emit nothing."""
    emitting = [task for task, wired in wiring.tasks.items() if not wired.sink]
    found = tuple(task for task in emitting if stream in {task, stream_of(task)})
    if not found:
        raise Refused("levee tail: there is no such stream.", [unknown(stream, wiring, emitting)], Exit.USAGE)
    return found


def unknown(stream: str, wiring: Wiring, emitting: Sequence[TaskId]) -> Complaint:
    """Of a sink it is known what people want to see."""
    sinks = [wired for task, wired in wiring.tasks.items() if wired.sink and stream in {task, stream_of(task)}]
    read = {stream_of(one) for sink in sinks for one in sink.inputs}
    if read:
        return Complaint("STREAM", f"'{stream}' is a sink, which emits nothing", f"levee tail {min(read)}, which is what it reads")
    return Complaint("STREAM", f"nothing emits '{stream}'", use_instead(stream, sorted({stream_of(task) for task in emitting})))


def stream_of(task: TaskId) -> str:
    return task.rpartition("/")[0]


@dataclass(slots=True)
class Tail:
    wiring: Wiring
    driver: StoreDriver
    tasks: Sequence[TaskId]
    dead: bool = False
    awaited: int = 0  # the epoch that was absent when it was asked for last

    def lines(self, begin: int | None, rows: int, *, follow: bool) -> Iterator[str]:
        with epochs.told("levee tail", self.task_of):
            yield from self.found(begin, rows, follow=follow)

    def found(self, begin: int | None, rows: int, *, follow: bool) -> Iterator[str]:
        epoch = max(begin, self.floor()) if begin else self.begin_of_the_last(rows)
        if begin and not follow:
            self.must_have_come(begin)
        while True:
            there = self.at(epoch)
            if there is not None:
                yield from (line for task, one in zip(self.tasks, there, strict=True) for line in self.lines_of(task, one))
                epoch += 1
            elif not follow:
                return
            else:
                self.wait(epoch)

    def task_of(self, key: str) -> TaskId | None:
        return next((task for task in self.tasks if key.startswith(f"{self.wiring.layout.stream(task)}/")), None)

    def must_have_come(self, begin: int) -> None:
        last = self.last()
        if begin > last:
            ends = f"the stream ends with epoch {last}" if last else "the stream has no epoch yet"
            fix = f"name one up to {last}, or add --follow to wait for it" if last else "add --follow to wait for it"
            raise Refused("levee tail: that epoch has yet to come.", [Complaint("--from", f"is {begin}, but {ends}", fix)], Exit.USAGE)

    def last(self) -> int:
        """That all of the streams have."""
        return min(drive(epochs.last(self.wiring.layout, task), self.driver) for task in self.tasks)

    def wait(self, epoch: int) -> None:
        keys = tuple(self.wiring.layout.epoch(task, epoch) for task in self.tasks)
        self.driver.waiter().wait(Wait(int(1_000 * POLL_S), keys, polls=True))

    def floor(self) -> int:
        """Where all of the streams still are."""
        return max(1, *(drive(floor.latest(self.wiring.layout, task, Floor(0, 0)), self.driver).epoch for task in self.tasks))

    def begin_of_the_last(self, rows: int) -> int:
        """Back from the end, by whole epochs, until there are enough; counted by manifests, so no rows are read for it."""
        epoch, counted, lowest = self.last() + 1, 0, self.floor()
        while epoch > lowest and counted < rows:
            epoch -= 1
            manifests = [drive(head.manifest_at(self.wiring.layout, task, epoch), self.driver) for task in self.tasks]
            counted += sum(self.counts(one) for one in manifests if one is not None)
        return max(1, epoch)

    def counts(self, manifest: Manifest) -> int:
        return int(lost_rows(manifest)) if self.dead else manifest.rows

    def at(self, epoch: int) -> list[EpochObject] | None:
        """Of every task; None where one of them has yet to come."""
        looks, self.awaited = epoch != self.awaited, epoch  # who follows asks again and again
        found = [drive(epochs.whole(self.wiring.layout, task, epoch, looks=looks), self.driver) for task in self.tasks]
        there = [one for one in found if one is not None]
        return there if len(there) == len(found) else None

    def lines_of(self, task: TaskId, one: EpochObject) -> Iterator[str]:
        manifest = one.manifest
        if self.dead and lost_rows(manifest):
            yield json.dumps({"_epoch": manifest.epoch, "_task": task, "kind": manifest.kind.value, "error": error_of(one)})
        elif not self.dead and manifest.kind is Kind.FINAL:  # what an epoch that was lost holds is why
            for row in rows_in(one.payload):
                yield json.dumps({"_epoch": manifest.epoch, "_task": task, **row}, ensure_ascii=False, allow_nan=False)


def lost_rows(manifest: Manifest) -> bool:
    """The epoch that stands before a task's first one was never anybody's: with it the stream begins."""
    return manifest.kind is not Kind.FINAL and manifest.writer != rest.NOBODY


def rows_in(payload: object) -> Iterator[dict[str, Any]]:
    """Arrow IPC streams; a payload in parts has one for each consumer, and each row in just one of them. Values are a JSON sink's."""
    if payload is None:
        return
    streams = arrow().ipc
    from levee_spark.deliver.jsonlines import json_rows  # it needs pyarrow

    for part in payload if isinstance(payload, tuple) else (payload,):
        if isinstance(part, tuple):
            yield from rows_in(part)
        elif len(part):
            yield from json_rows(streams.open_stream(part).read_all())


def arrow() -> Any:
    try:
        import pyarrow.ipc  # only this command needs it
    except ImportError:
        complaint = Complaint("pyarrow", "is not installed, and rows are kept as Arrow", "pip install 'levee[spark]'")
        raise Refused("levee tail: rows cannot be read.", [complaint]) from None
    return pyarrow


def error_of(one: EpochObject) -> str | None:
    """Why it was lost: it was late, or what the function raised, where the epoch keeps that."""
    if one.manifest.kind is Kind.SKIPPED:
        return "it was late: no replica had it by its deadline"
    return bytes(one.payload).decode(errors="replace") if isinstance(one.payload, bytes | memoryview) else None
