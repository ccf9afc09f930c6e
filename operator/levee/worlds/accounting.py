"""The account of a topology's service level, with its past: parts of the window that are over lie in the topology's store.

Why: an hour's account must outlive whoever adds it up. When a part is over, all that are over are written once, as one object: in a twelfth
of a window that is two requests, and nobody is woken by them, as by a status that changes. What went on when a controller ended is lost.
Called by: the local run and serve, at every look at the whole of a topology.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from levee.control.account import Account, Level, Statement, Sums
from levee.control.ledger import Ledger
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.control.wanted import Wanted
from levee.topology.names import TaskId
from levee.topology.spec import Spec
from levee_spark.log.keys import Layout
from levee_spark.log.wiring import Wiring
from levee_spark.store.blobs import Blobs, Trouble
from levee_spark.worker.judging import allowed_ms, sharing

AGAIN_MS = 30_000  # after trouble with the store
LONG_AGO = Instant(0)


@dataclass(slots=True)
class Accounting:
    blobs: Blobs
    layout: Layout
    level: Level = field(default_factory=Level)
    ledger: Ledger = field(default_factory=Ledger)
    account: Account = field(init=False)
    remembered: bool = False
    again: Instant = LONG_AGO  # not before then is the store asked

    def __post_init__(self) -> None:
        self.account = Account(round(1000 * self.level.window_s))

    def look(self, wanted: Wanted, seen: Observation, now: Instant, wall_ms: int) -> Statement:
        if (interval := self.ledger.interval(wanted, seen, self.level, now)) is not None:
            self.account.add(interval, wall_ms)
        if not seen.silent and now >= self.again:
            self.ask_store(now, wall_ms)
        return self.account.statement(wall_ms, self.ledger.overdue(wanted, seen, self.level, now))

    def follow(self, level: Level) -> None:
        """An edit may promise something else. Another window begins a new account, or goes on with what was kept of such a one."""
        before, self.level = self.level, level
        if before.window_s != level.window_s:
            self.account, self.remembered = Account(round(1000 * level.window_s)), False

    def ask_store(self, now: Instant, wall_ms: int) -> None:
        try:
            if not self.remembered:
                self.account.remember(self.earlier(wall_ms))
                self.remembered = True
            if over := self.account.over(wall_ms):
                self.keep(over)
        except Trouble:
            self.again = Instant(now + AGAIN_MS)

    def keep(self, over: Mapping[int, Sums]) -> None:
        """All that is over, under the number of the last part; what was kept before is in it, too."""
        before, newest = self.account.kept, max(over)
        self.blobs.create(self.key(newest), json.dumps({number: asdict(sums) for number, sums in over.items()}).encode())
        self.account.kept = newest
        if before >= 0:
            self.blobs.delete(self.key(before))

    def earlier(self, wall_ms: int) -> Mapping[int, Sums]:
        """Mostly the first one that is asked for is there. Of the part that goes on nothing is kept."""
        numbers = self.account.numbers(wall_ms)[:-1]
        for number in reversed(numbers):
            if (found := self.blobs.get(self.key(number))) is not None:
                return {one: sums for one, sums in parts_in(bytes(found.data)).items() if one in numbers}
        return {}

    def key(self, number: int) -> str:
        return self.layout.account(self.account.part_ms, number)


def level_of(wiring: Wiring, spec: Spec, promised: float | None) -> Level:
    return Level(spec.fault_tolerance.window, promised, wiring.times.period_ms, allowed_ms(wiring, spec), reads(wiring))


def reads(wiring: Wiring) -> Mapping[TaskId, Mapping[TaskId, float]]:
    """By task of an operator: its share of what each of its producers emits."""
    operating = {task: one for task, one in wiring.tasks.items() if not one.is_source and not one.sink}
    return {
        task: {producer: 1 / among for producer, among in zip(one.inputs, sharing(wiring, one), strict=True)}
        for task, one in operating.items()
    }


def parts_in(data: bytes) -> dict[int, Sums]:
    """None, where another version of Levee has written it."""
    try:
        return {int(number): Sums(**told) for number, told in json.loads(data).items()}
    except (ValueError, TypeError, AttributeError):
        return {}
