"""The account of a service level over its window: which share of the rows was processed in time, at what cost, and whether the input kept
to what was declared.

Why: a promise is made for a while of work, not for a moment; and whoever has made it owes nothing while more comes than was agreed upon.
Called by: worlds.accounting, which keeps its parts; whoever tells it.

The window is kept in parts, so it slides by a part and its memory does not grow: what is older than a window is forgotten.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from levee.topology.names import TaskId

PARTS = 12


@dataclass(frozen=True, slots=True)
class Sums:
    """Of any time: of one interval between two looks, of a part of a window, of all of it."""

    seconds: float = 0.0  # in which it ran, and was looked at
    in_time: int = 0  # rows that operators have read
    late: int = 0
    lost: int = 0
    replica_s: float = 0.0  # for how long replicas were active, all together
    static_s: float = 0.0  # were all replicas always active
    promised_s: float = 0.0  # what was promised, times for how long
    promised_for_s: float = 0.0
    above_s: float = 0.0  # with more input than any configuration declares
    rates_known_s: float = 0.0

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


@dataclass(frozen=True, slots=True)
class Statement:
    """What the account says now."""

    window_s: float
    sums: Sums = Sums()
    overdue: int = 0  # rows that should have been processed by now and are not, about: once they are, they are late

    @property
    def promised(self) -> float | None:
        return ratio(self.sums.promised_s, self.sums.promised_for_s)

    @property
    def achieved(self) -> float | None:
        """None: there was nothing to process."""
        sums = self.sums
        return ratio(sums.in_time, sums.in_time + sums.late + sums.lost + self.overdue)

    @property
    def cost(self) -> float | None:
        """Against static replication of everything."""
        return ratio(self.sums.replica_s, self.sums.static_s)

    @property
    def input_kept(self) -> bool | None:
        """To the rates that are declared; None: they were never known."""
        return None if not self.sums.rates_known_s else not self.sums.above_s


@dataclass(frozen=True, slots=True)
class Level:
    """What a service level is measured by."""

    window_s: float = 3600.0
    promised: float | None = None
    period_ms: int = 1_000
    allowed_ms: Mapping[TaskId, int] = field(default_factory=dict)  # from when an epoch is due until it is late there
    reads: Mapping[TaskId, Mapping[TaskId, float]] = field(default_factory=dict)  # by operators' task: its share of what each emits


def ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


@dataclass(slots=True)
class Account:
    window_ms: int
    parts: dict[int, Sums] = field(default_factory=dict)  # by number: the first began with the clock
    kept: int = -1  # up to this part all is kept for the next controller

    @property
    def part_ms(self) -> int:
        return max(1, self.window_ms // PARTS)

    def number(self, wall_ms: int) -> int:
        return wall_ms // self.part_ms

    def numbers(self, wall_ms: int) -> range:
        """Of the parts that count: those that are over, and the one that goes on."""
        now = self.number(wall_ms)
        return range(max(0, now - PARTS + 1), now + 1)

    def remember(self, known: Mapping[int, Sums]) -> None:
        """What an earlier controller has kept; what this one has added meanwhile stays."""
        for number, sums in known.items():
            self.parts[number] = self.parts.get(number, Sums()) + sums
            self.kept = max(self.kept, number)

    def add(self, interval: Sums, wall_ms: int) -> None:
        now, there = self.number(wall_ms), self.numbers(wall_ms)
        self.parts[now] = self.parts.get(now, Sums()) + interval
        self.parts = {number: sums for number, sums in self.parts.items() if number in there}

    def over(self, wall_ms: int) -> Mapping[int, Sums]:
        """The parts that are over; none, where all of them are kept."""
        now = self.number(wall_ms)
        found = {number: sums for number, sums in sorted(self.parts.items()) if number < now}
        return found if max(found, default=-1) > self.kept else {}

    def statement(self, wall_ms: int, overdue: int = 0) -> Statement:
        there = self.numbers(wall_ms)
        return Statement(self.window_ms / 1000, sum((self.parts[one] for one in there if one in self.parts), Sums()), overdue)
