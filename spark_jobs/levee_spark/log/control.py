"""Rule 6, the record: decisions are numbered densely and put if absent, and each carries the full state in force.

Why: each record names its predecessor, so two deciders cannot contradict each other: who loses the race observes anew. Reading the
newest is enough to know who is active and in which rank, and that holds as soon as it is read.
Called by: `decide`, by whoever controls a topology; `ControlView`, by every role.
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from levee.topology.names import OperatorName
from levee_spark.log import ask
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Script
from levee_spark.log.values import ControlRecord, Live, Shape

FIRST = 1


@dataclass(slots=True)
class ControlView:
    """One role's knowledge of the control log, from the record that was in force where it began."""

    layout: Layout
    base: int = FIRST
    records: dict[int, ControlRecord] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=lambda: {FIRST: 0})  # E(n) of the records that change rows, as far as known

    def begin_at(self, base: int) -> None:
        """From here on `base` is in force; what lies before it is no longer needed."""
        if self.records and base < min(self.records):
            self.records = {}  # one has gone back: what was skipped must be read
        self.starts = {number: epoch for number, epoch in self.starts.items() if number > base} | {base: 0}
        self.base = base

    def begin_from(self, position: int) -> Script[None]:
        """Where a position was carried and all that it brings is settled: no need to read the log from its first record.

        What has ordered a stop is the first record of those that say so, however often the shape has changed since.
        """
        record = yield from ask.read(self.layout.control(position), ControlRecord)
        while record is not None and record.shape.stopped and record.shape_number > FIRST:
            record = yield from ask.read(self.layout.control(record.shape_number - 1), ControlRecord)
        self.begin_at(record.shape_number if record is not None else FIRST)

    def begin_at_the_end(self) -> Script[None]:
        """For whoever decides: the newest record, found without reading all."""
        yield from self.begin_from((yield from ask.farthest(0, lambda number: ask.is_there(self.layout.control(number)))))

    def latest(self) -> int:
        return max(self.records, default=self.base - 1)

    def newest(self) -> ControlRecord:
        return self.records[self.latest()]

    def refresh(self) -> Script[bool]:
        """Read what is new; whether anything was."""
        before = self.latest()
        while record := (yield from ask.read(self.layout.control(self.latest() + 1), ControlRecord)):
            self.records[record.number] = record
        return self.latest() > before

    def through(self, position: int) -> Script[None]:
        """A position was read somewhere, so the records up to it exist."""
        if self.latest() < position:
            yield from self.refresh()

    def changes(self, position: int) -> list[int]:
        """The records up to a position that change rows, without those that were in force before one began."""
        return [n for n in range(self.base + 1, position + 1) if n in self.records and self.records[n].shape_number == n]

    def in_force(self, epoch: int) -> ControlRecord:
        """The largest record whose E(n) has come. Ask only when every E(n) up to the epoch's position is known."""
        return self.records[max(n for n, start in self.starts.items() if start <= epoch)]

    def stop_number(self) -> int | None:
        """The record that ordered the stop which is now the last word; None while the topology is to run.

        A shape that changes while all stand still holds from the resume on: the stop remains that of the first record.
        """
        number = None
        for record in (self.records[n] for n in range(self.latest(), self.base - 1, -1)):
            if not record.shape.stopped:
                break
            number = record.number
        return number


def successor(
    before: ControlRecord, writer: str, *, shape: Shape | None = None, live: Live | None = None, from_epoch: int = 1
) -> ControlRecord:
    """The record after another: what is not said stays as it was."""
    number = before.number + 1
    changed = shape is not None and shape != before.shape
    return replace(
        before,
        number=number,
        writer=writer,
        shape=shape if shape is not None else before.shape,
        live=live if live is not None else before.live,
        shape_number=number if changed else before.shape_number,
        from_epoch=from_epoch,
    )


def edited(before: ControlRecord | None, shape: Shape, discards: Collection[OperatorName], rewired: Collection[OperatorName] = ()) -> Shape:
    """A wanted shape as the record after another has it: the states of edited operators that discard theirs begin with that record.

    `rewired`: what reads something else than before, or in another number of tasks, is edited, too.
    """
    if before is None:
        return shape
    changed = {name for name, function in shape.functions if before.shape.function(name) not in {"", function} or name in rewired}
    anew = {name: before.number + 1 for name in changed if name in discards}
    return replace(shape, fresh=tuple(sorted({**dict(before.shape.fresh), **anew}.items())))


def first(shape: Shape, live: Live, writer: str) -> ControlRecord:
    return ControlRecord(FIRST, shape, live, FIRST, 1, writer)


def write(layout: Layout, record: ControlRecord) -> Script[bool]:
    """Whether this decision was the one with its number; if not, observe anew and decide again."""
    there = yield from ask.agree(layout.control(record.number), record, ControlRecord)
    return there == record
