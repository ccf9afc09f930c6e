"""The race for one stream's epochs: hold, look, put, read back, and see that it counts.

Why: replicas and ingestors race alike; only what they do after losing differs (rule 2).
Called by: replicas, ingestors.
"""

from dataclasses import dataclass, field

from levee.topology.names import TaskId
from levee_spark.log import commit, floor, rank
from levee_spark.log.commit import Committed
from levee_spark.log.ending import Refork
from levee_spark.log.floor import FloorWatch
from levee_spark.log.rank import Last
from levee_spark.log.requests import Report, Script, Wait
from levee_spark.log.values import EpochObject, Kind, Manifest
from levee_spark.log.wiring import Wiring

HOLDS_SHARE = 2  # a hold of more than half a period leaves too little of it for the epoch itself


@dataclass(slots=True)
class Race:
    wiring: Wiring
    task: TaskId
    writer: str
    last: Last = Last.NONE
    behind: bool = True  # what comes next may have been committed long ago: look before holding
    watch: FloorWatch = field(init=False)

    def __post_init__(self) -> None:
        self.watch = FloorWatch(self.wiring.layout, self.task, self.wiring.times.retention_ms)

    def look(self, epoch: int) -> Script[Committed | None]:
        found = yield from commit.seen(self.wiring.layout.epoch(self.task, epoch))
        if isinstance(found, Committed):
            return found
        self.watch.saw_absent(epoch, found)
        return None

    def approach(self, epoch: int, my_rank: int) -> Script[Committed | None]:
        """What somebody has committed by the time that it is one's turn; None: put."""
        if self.behind or self.holds_long(my_rank):
            found = yield from self.look(epoch)
            if found is not None:
                return found
            self.behind = False
        return (yield from self.hold(epoch, my_rank))

    def holds_long(self, my_rank: int) -> bool:
        """Whoever held back for about a period before an epoch that is there already would fall behind, and never catch up."""
        times = self.wiring.times
        return HOLDS_SHARE * rank.hold_ms(my_rank, self.last, times.hold_ms) > times.period_ms

    def hold(self, epoch: int, my_rank: int) -> Script[Committed | None]:
        """Rule 8. Whoever held looks before it puts; so does whoever could not tell afterwards, without, that its put counts (rule 4)."""
        pause_ms = rank.hold_ms(my_rank, self.last, self.wiring.times.hold_ms)
        now = yield Wait(pause_ms, (self.wiring.layout.epoch(self.task, epoch),))
        if pause_ms == 0 and floor.exempt(self.watch.witness, epoch, now.ended_ms, self.wiring.times.retention_ms):
            return None
        return (yield from self.look(epoch))

    def put(self, mine: EpochObject) -> Script[Committed]:
        return (yield from commit.commit(self.wiring.layout.epoch(self.task, mine.manifest.epoch), mine))

    def must_count(self, committed: Committed) -> Script[None]:
        """Rule 4: whatever was written or read below the floor never happened."""
        if (yield from self.watch.below(committed.manifest.epoch, committed.ended_ms)):
            raise Refork("below the floor", committed.manifest.epoch)

    def remember(self, committed: Manifest) -> Script[None]:
        self.last = Last.WON if committed.writer == self.writer else Last.LOST
        yield Report(self.last.value, committed.epoch, committed.kind.value if committed.kind is not Kind.FINAL else "")
        if self.last is Last.WON and committed.kind is Kind.FAILED:
            yield Report("dead", committed.epoch)
