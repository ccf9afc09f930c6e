"""Rule 4, registrations: what another topology has yet to import is kept, as long as it asks for that.

Why: an importer reads at its own pace, and its exporter knows nothing of it. So it says, beside the stream, how far it has come, and says
it again before its lease runs out. It is a pin that is renewed: under the same name only as long as it has never run out, since trimmers
sweep dead ones; else under a new name, and then the floors are read again. Whoever finds a floor above what it needs may still rely on a
living registration of the same source that has never run out: what that one holds has not been deleted. Its writer cannot know when a
write arrives; so it says by when it must have, and the store's stamp tells whether it did.
Called by: `imports` (Registrar), trimmers (oldest), whoever ends an importer or an exporter (release, importers).
"""

from dataclasses import dataclass, field

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import ask, clock, floor, pin
from levee_spark.log.clock import StoreClock
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Absent, Done, Found, Script, Wait
from levee_spark.log.values import Floor, Registration

RENEWALS = 6  # in a lease, so that a few may fail


@dataclass(frozen=True, slots=True)
class Importer:
    """Whose source it is."""

    layout: Layout
    name: str  # "shop/orders"
    task: TaskId


@dataclass(slots=True)
class Registrar:
    layout: Layout  # the exporter's
    stream: OperatorName
    importer: Importer
    holder: str  # never used by another one
    lease_ms: int
    resolution_ms: int
    count: int = 0  # how often it began anew
    epoch: int = 0
    until_ms: int = -1  # by one's own clock: until then what follows `epoch` is there
    renew_ms: int = -1
    lives_ms: int = 0  # by the store's clock: until then what was written last is no dead one
    clock: StoreClock | None = field(default=None)

    def holds(self, epoch: int, now_ms: int) -> bool:
        return self.epoch <= epoch and now_ms < self.until_ms

    def keep(self, epoch: int, tasks: tuple[TaskId, ...]) -> Script[bool]:
        """What follows `epoch` is held from now on, for at least a third of the lease; False: some of it may be gone."""
        now_ms = (yield Wait(0)).ended_ms
        if self.holds(epoch, now_ms) and now_ms < self.renew_ms:
            return True
        if self.holds(epoch, now_ms):
            yield from self.ask_time()
            until_ms, done = self.until_ms, (yield from self.write(epoch, self.lives_ms))
            if done.ended_ms < until_ms:  # else it may have been swept, and this with it
                self.believe(epoch, done)
                return True
        return (yield from self.begin(epoch, tasks))

    def begin(self, epoch: int, tasks: tuple[TaskId, ...]) -> Script[bool]:
        """Write it, then read the floors; the trimmer raises a floor and then looks for registrations: one of the two sees the other."""
        self.count, self.until_ms = self.count + 1, -1
        yield from self.ask_time()
        placed = yield from self.write(epoch, 0)
        if not ((yield from self.floors_permit(epoch, tasks)) or (yield from self.is_held(epoch))):
            return False
        sure = yield from self.write(epoch, self.lives_ms)
        if sure.ended_ms >= placed.began_ms + self.lease_ms // 2:
            return False  # one has slept meanwhile: whoever asks again begins again
        self.believe(epoch, sure)
        return True

    def believe(self, epoch: int, done: Done) -> None:
        self.epoch, self.until_ms = epoch, done.began_ms + self.lease_ms // 2
        self.renew_ms = done.began_ms + self.lease_ms // RENEWALS

    def ask_time(self) -> Script[None]:
        layout = self.importer.layout
        self.clock = yield from clock.ask_time(layout, f"{self.holder} imports", self.clock, self.resolution_ms)

    def write(self, epoch: int, before_ms: int) -> Script[Done]:
        assert self.clock is not None
        holder = f"{self.importer.name}/{self.importer.task} {self.holder} {self.count}"
        uid = self.importer.layout.uid
        record = Registration(holder, self.importer.name, uid, self.importer.task, epoch, self.lease_ms, before_ms)
        done = yield from ask.overwrite(self.layout.registration(self.stream, holder), record)
        self.lives_ms = self.clock.earliest(done.began_ms) + self.lease_ms
        return done

    def floors_permit(self, epoch: int, tasks: tuple[TaskId, ...]) -> Script[bool]:
        for task in tasks:
            if (yield from floor.latest(self.layout, task, Floor(0, 0))).epoch > epoch + 1:
                return False
        return True

    def is_held(self, epoch: int) -> Script[bool]:
        """By another registration of the same source, alive for certain: asked after one's own was written."""
        for name in (yield from ask.names(self.layout.registrations(self.stream))):
            found = yield from ask.look(name)
            if isinstance(found, Found) and self.vouches(found, epoch):
                return True
        return False

    def vouches(self, found: Found, epoch: int) -> bool:
        assert self.clock is not None
        record, mine = found.record, (self.importer.layout.uid, self.importer.task)
        if not isinstance(record, Registration) or (record.uid, record.source) != mine or record.epoch > epoch:
            return False
        in_time = found.written_ms + self.resolution_ms <= record.before_ms
        return in_time and self.clock.latest(found.ended_ms) < found.written_ms + record.limit_ms


def oldest(layout: Layout, stream: OperatorName, now: StoreClock) -> Script[int | None]:
    """The epoch through which whoever is last has imported it."""
    return min((one.epoch for one in (yield from pin.living(layout.registrations(stream), now))), default=None)


def importers(layout: Layout, now: StoreClock) -> Script[tuple[str, ...]]:
    """Who imports any of its streams, for people."""
    place = layout.importers()
    streams = {name.removeprefix(f"{place}/").partition("/")[0] for name in (yield from ask.names(place))}
    found: set[str] = set()
    for stream in sorted(streams):
        there = yield from pin.living(f"{place}/{stream}", now)
        found |= {one.importer for one in there if isinstance(one, Registration)}
    return tuple(sorted(found))


def release(layout: Layout, stream: OperatorName, uid: str) -> Script[None]:
    """All registrations of one topology."""
    for name in (yield from ask.names(layout.registrations(stream))):
        found = yield from ask.look(name)
        if not isinstance(found, Absent) and isinstance(found.record, Registration) and found.record.uid == uid:
            yield from ask.delete(name)
