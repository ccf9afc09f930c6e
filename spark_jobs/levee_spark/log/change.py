"""Rule 6, E(n): what changes rows or shape holds from one epoch for all tasks.

Why: were it "as soon as read", two replicas of a task would compute the same epoch with different code, and a join would meet epochs
from before and after. E(n) is the first epoch, from the one the record names, whose source manifests all carry a position of at least n;
every other manifest carries the largest position of its inputs, so no task at or after E(n) can overlook record n.
Whoever derives E(n) writes it before acting on it: the manifests that prove it may be trimmed (`trim` waits for the record).
Called by: replicas, sinks (before they compute), ingestors and sealers (before they seal), trimmers (before they raise a source's floor).
"""

from dataclasses import dataclass, field

from levee.topology.names import TaskId
from levee_spark.log import ask, floor, head
from levee_spark.log.control import ControlView
from levee_spark.log.ending import Ended, Ending, Why
from levee_spark.log.requests import Script
from levee_spark.log.values import ChangeEpoch, ControlRecord, Floor, Manifest
from levee_spark.log.wiring import Wiring


@dataclass(slots=True)
class Changes:
    """What one role knows of the epochs from which records hold."""

    wiring: Wiring
    view: ControlView
    before: dict[TaskId, int] = field(default_factory=dict)  # per source, an epoch that is known to carry a smaller position

    def settle(self, position: int) -> Script[bool]:
        """Know E(n) for every record up to a position that changes rows; False while some source has yet to say."""
        yield from self.view.through(position)
        for number in self.view.changes(position):
            if number not in self.view.starts:
                start = yield from self.start(number)
                if start is None:
                    return False
                self.view.starts[number] = start
        return True

    def start(self, number: int) -> Script[int | None]:
        key = self.wiring.layout.change(number)
        recorded = yield from ask.read(key, ChangeEpoch)
        if recorded is not None:
            return recorded.epoch
        derived = yield from self.derive(self.view.records[number])
        if derived is None:
            return None
        return (yield from record_start(key, ChangeEpoch(number, derived)))

    def derive(self, record: ControlRecord) -> Script[int | None]:
        latest = record.from_epoch
        for source in self.wiring.sources():
            first = yield from self.first_bearing(source, record.number)
            if first is None:
                return None
            latest = max(latest, first)
        return latest

    def first_bearing(self, source: TaskId, number: int) -> Script[int | None]:
        """The first epoch of a source that carries a position >= number."""

        def before(epoch: int) -> Script[bool]:
            manifest = yield from self.manifest(source, epoch)
            return manifest is not None and manifest.position < number

        low = yield from self.lowest(source, number)
        if low is None:
            return None
        last = self.before[source] = yield from ask.farthest(low, before)
        next_one = yield from self.manifest(source, last + 1)  # asked for again: it may have been sealed since, with a smaller position
        return last + 1 if next_one is not None and next_one.position >= number else None

    def lowest(self, source: TaskId, number: int) -> Script[int | None]:
        """An epoch of a source that is still there and carries a smaller position; 0 before the first.

        None where even the oldest carries it: then its floor has risen to E(n) or past it, so E(n) has been recorded meanwhile.
        """
        oldest = (yield from floor.latest(self.wiring.layout, source, Floor(0, 0))).epoch
        low = max(oldest, self.before.get(source, 0))
        manifest = (yield from self.manifest(source, low)) if low else None
        return None if low and (manifest is None or manifest.position >= number) else low

    def manifest(self, task: TaskId, epoch: int) -> Script[Manifest | None]:
        return (yield from head.manifest_at(self.wiring.layout, task, epoch))

    def must_be_ours(self, epoch: int) -> None:
        """Of an epoch whose position is settled: nobody computes, delivers or seals what another graph is to give."""
        if not self.wiring.computes(self.view.in_force(epoch).shape):
            raise Ended(Ending(Why.OTHER_GRAPH, epoch - 1))

    def leave_if_rewired(self, behind: int) -> None:
        """A record with another graph is written when all stand still, so there is nothing left to do for this one."""
        if self.view.records and not self.wiring.computes(self.view.newest().shape):
            raise Ended(Ending(Why.OTHER_GRAPH, behind))

    def last_epoch(self) -> Script[int | None]:
        """E(n) of the stop that is now the last word, once it is known."""
        number = self.view.stop_number()
        if number is None or not (yield from self.settle(number)):
            return None
        return self.view.starts[number]

    def may_seal(self, source: TaskId, epoch: int, before: Manifest | None) -> Script[bool]:
        """Whether a source may seal an epoch: through E(n) of a stop, and never past it.

        It may while it is certain that E(n) has not passed: some source's manifest of the epoch before carries a smaller position.
        Where a slower source has not sealed that epoch yet, nobody knows, and one waits.
        """
        if before is not None:
            yield from self.view.through(before.position)  # else one could overlook the very stop that the epoch before carries
        if self.view.records and not self.wiring.computes(self.view.newest().shape):
            return False  # it is written when all stand still: what follows is for those who are wired as it says
        number = self.view.stop_number()
        if number is None or before is None or before.position < number:
            return True
        last = yield from self.last_epoch()
        if last is not None:
            return epoch <= last
        if epoch <= self.view.records[number].from_epoch:
            return True
        return (yield from self.any_before(source, number, epoch - 1))

    def any_before(self, source: TaskId, number: int, epoch: int) -> Script[bool]:
        for other in self.wiring.sources():
            oldest = (yield from floor.latest(self.wiring.layout, other, Floor(0, 0))).epoch if other != source else epoch
            manifest = yield from self.manifest(other, max(epoch, oldest))
            if manifest is not None and manifest.position < number:
                return True
        return False


def record_start(key: str, change: ChangeEpoch) -> Script[int]:
    return (yield from ask.agree(key, change, ChangeEpoch)).epoch
