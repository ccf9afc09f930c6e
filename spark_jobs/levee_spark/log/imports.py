"""A stream of another topology as a source: its next epochs in order, and the promise that they stay until they are read.

Why: each topology has a clock of its own, so epochs of the exporter are not the importer's; they are rows that come from outside, and the
offset is the exporter's epoch. It stands in the manifests of the importer's own stream, as any source's does, so whoever ingests the next
epoch goes on there.
Called by: `ingest.importing` (Reader), workers beside each such source (Keeper); the simulation.
"""

import json
from dataclasses import dataclass, field, replace

from levee.topology.names import TaskId
from levee_spark.log import ask, exporter, floor, head
from levee_spark.log.commit import Unreadable
from levee_spark.log.exporter import Widths
from levee_spark.log.inputs import BelowFloor, Inputs
from levee_spark.log.keys import Layout, segment
from levee_spark.log.registration import RENEWALS, Importer, Registrar
from levee_spark.log.requests import Script, Wait
from levee_spark.log.values import EpochObject, Floor, Imported, Kind
from levee_spark.log.wiring import TaskWiring, Wiring

EPOCHS_MAX = 256  # of the exporter in one of the importer's: after an outage there are thousands


class Lost(Exception):
    """What comes next was trimmed before it was imported."""

    def __init__(self, first: int, oldest: int) -> None:
        super().__init__(f"epochs {first} to {oldest - 1}" if oldest - 1 > first else f"epoch {first}")
        self.first, self.oldest = first, oldest


@dataclass(frozen=True, slots=True)
class Reached:
    """The offset of an importing source."""

    uid: str
    after: int  # the exporter's epoch after which one's own begins
    epoch: int  # and the one that it ends with: all tasks' rows through it are imported
    ended: bool = False  # the exporter's stream has ended there

    def text(self) -> str:
        told = {"after": self.after, "epoch": self.epoch, "uid": self.uid} | ({"ended": True} if self.ended else {})
        return json.dumps(told, sort_keys=True, separators=(",", ":"))

    @classmethod
    def of(cls, text: str) -> "Reached":
        told = json.loads(text)
        return cls(told["uid"], told["after"], told["epoch"], told.get("ended", False))


@dataclass(frozen=True, slots=True)
class Taken:
    epochs: tuple[tuple[EpochObject, ...], ...]  # of the exporter, each of all its tasks
    last: int
    ended: bool = False
    more: bool = False  # the next is there, and does not fit

    @property
    def after(self) -> int:
        return self.last - len(self.epochs)


@dataclass(slots=True)
class Reader:
    """Whole epochs of all tasks of a stream, in order, as they are there."""

    registrar: Registrar
    tasks: tuple[TaskId, ...]
    wiring: Wiring  # the exporter's layout, the importer's times
    widths: Widths = field(init=False)
    inputs: Inputs = field(init=False)

    def __post_init__(self) -> None:
        self.widths = Widths(self.wiring.layout, self.registrar.stream)
        self.wire(self.tasks)

    def wire(self, tasks: tuple[TaskId, ...]) -> None:
        task = TaskWiring(self.registrar.importer.task, self.registrar.stream, tasks)
        times = replace(self.wiring.times, retention_ms=0)  # the exporter's is not known here: what is not held is looked after each time
        self.tasks, self.inputs = tasks, Inputs(replace(self.wiring, times=times), task, segment(self.registrar.holder))
        self.rely()

    def oldest(self) -> Script[int]:
        """The first epoch that all tasks still have."""
        oldest = 1
        for task in self.tasks:
            oldest = max(oldest, (yield from floor.latest(self.wiring.layout, task, Floor(0, 0))).epoch)
        return oldest

    def newest(self, low: int) -> Script[int]:
        """The last epoch from `low` on that all tasks have."""

        def there(epoch: int) -> Script[bool]:
            for task in self.tasks:
                if not (yield from head.is_there(self.wiring.layout, task, epoch)):
                    return False
            return True

        return (yield from ask.farthest(low, there))

    def last_final(self, high: int) -> Script[EpochObject | None]:
        """The last epoch, no later than one, that bears rows or at least their columns; of any task."""
        low = yield from self.oldest()
        for number in range(high, low - 1, -1):
            for task in self.tasks:
                found = yield from self.inputs.fetch(task, number)
                if found is not None and found.manifest.kind is Kind.FINAL:
                    return found
        return None

    def begin(self, *, at_the_end: bool) -> Script[int]:
        """The epoch after which one begins: held from now on."""
        while True:
            start = (yield from self.oldest()) - 1
            if at_the_end:
                start = yield from self.newest(start)
            if (yield from self.registrar.keep(start, self.tasks)):
                return start

    def take(self, after: int, rows_max: int) -> Script[Taken]:
        """What follows an epoch, as much as fits, and one epoch at least; nothing, while nothing is there."""
        if not (yield from self.registrar.keep(after, self.tasks)):
            yield from self.must_be_there(after)
        self.rely()
        found: list[tuple[EpochObject, ...]] = []
        rows, ended, more = 0, False, False
        while not (ended or more) and (one := (yield from self.epoch(after + len(found) + 1))) is not None:
            rows += sum(part.manifest.rows for part in one)
            more = bool(found) and (rows > rows_max or len(found) >= EPOCHS_MAX)
            if not more:
                found.append(one)
                ended = all(0 < part.manifest.ended <= after + len(found) for part in one)
        return Taken(tuple(found), after + len(found), ended, more)

    def epoch(self, number: int) -> Script[tuple[EpochObject, ...] | None]:
        try:
            found = yield from self.inputs.gather(number)
            there = next(iter(self.inputs.there.values()), None)
            if there is None or self.widths.is_known(number, there.manifest.position):
                return found
            tasks = yield from self.widths.at(number, there.manifest.position, self.tasks)
            if tasks and tasks != self.tasks:
                self.wire(tasks)
            return (yield from self.inputs.gather(number)) if tasks else None
        except BelowFloor:
            self.inputs.gathering = 0  # what was read of it does not count
            yield from self.must_be_there(number - 1)
            return None  # it is held again by now: whoever asks again reads it

    def must_be_there(self, after: int) -> Script[None]:
        """Lost, unless one was only slow, or somebody else has kept it."""
        while not (yield from self.registrar.begin(after, self.tasks)):
            oldest = yield from self.oldest()
            if oldest > after + 1:
                raise Lost(after + 1, oldest)
        self.rely()

    def rely(self) -> None:
        """What is held can be read, also below a floor that has risen meanwhile."""
        self.inputs.pinned_from, self.inputs.pinned_until_ms = self.registrar.epoch, self.registrar.until_ms


# ---- beside the source


@dataclass(slots=True)
class Keeper:
    """Says how far a source has come, also while it is not allowed to seal, or another replica of it leads."""

    own: Wiring
    importer: Importer
    wanted: Imported
    holder: str
    lease_ms: int
    registrar: Registrar | None = None

    def run(self) -> Script[None]:
        while True:
            yield from self.look()
            yield Wait(self.lease_ms // RENEWALS)

    def look(self) -> Script[None]:
        known = yield from ask.read(self.own.layout.imported(self.wanted.source), Imported)
        try:
            before = (yield from head.find(self.own.layout, self.importer.task)) if known else None
        except Unreadable:
            return  # its ingestor says so
        if known is None or before is None or before.offsets is None:
            return  # whoever begins holds what it begins with
        layout, resolution_ms = Layout(known.topology, known.uid), self.own.times.resolution_ms
        if self.registrar is None:
            self.registrar = Registrar(layout, known.stream, self.importer, self.holder, self.lease_ms, resolution_ms)
        try:
            tasks = yield from exporter.tasks_of(layout, known)
        except exporter.CannotImport:
            return  # its ingestor says so, too
        yield from self.registrar.keep(Reached.of(before.offsets).epoch, tasks)  # what is lost is told by whoever needs it
