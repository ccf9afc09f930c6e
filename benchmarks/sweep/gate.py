"""Counts writes and says who dies: everything that is written in a life passes here first, and again when it is done.

Why: the count must be one, whichever way a write takes, and a life has one phase at a time.
Called by: proxy and lines, in one thread, for each write; life, which sets the phase and reads what was struck.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.sweep.points import Kind, Side, Trial


@dataclass(frozen=True, slots=True)
class Write:
    kind: Kind
    phase: str
    number: int
    what: str  # for people
    pid: int  # who asks for it
    again: int = 0  # the how manieth of those that whoever was killed writes after that

    def __str__(self) -> str:
        return f"{self.kind}/{self.phase}/{self.number} {self.what}"


@dataclass(slots=True)
class Gate:
    """`kill`: ends a process, at once."""

    kill: Callable[[int], None]
    trial: Trial | None = None  # None: nobody dies
    phase: str = "begin"
    counts: Counter[tuple[Kind, str]] = field(default_factory=Counter)
    writes: list[Write] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)  # the writes at which somebody died
    since: int = 0  # writes after the first death
    killed: set[int] = field(default_factory=set)
    carried: int = 0  # writes that are on their way

    def begin(self, kind: Kind, what: str, pid: int) -> Write | None:
        """None: whoever asks is dead, and it is not carried out."""
        if pid in self.killed:
            return None
        self.counts[kind, self.phase] += 1
        again = self.counted_again(kind)
        write = Write(kind, self.phase, self.counts[kind, self.phase], what, pid, again)
        self.writes.append(write)
        return None if self.strikes(write, Side.BEFORE) else write

    def counted_again(self, kind: Kind) -> int:
        """Of an operator, by either way; of workers, any."""
        if self.trial is None or not self.struck or (kind is Kind.WORKER) != (self.trial.point.kind is Kind.WORKER):
            return 0
        self.since += 1
        return self.since

    def end(self, write: Write) -> bool:
        """Whether whoever asked may hear of it."""
        return not self.strikes(write, Side.AFTER) and write.pid not in self.killed

    def strikes(self, write: Write, side: Side) -> bool:
        if not self.is_hit(write, side):
            return False
        self.struck.append(f"{side} {write}")
        self.killed.add(write.pid)
        self.kill(write.pid)
        return True

    def is_hit(self, write: Write, side: Side) -> bool:
        if self.trial is None or write.pid in self.killed:
            return False
        point, second = self.trial.point, self.trial.second
        if not self.struck:
            return (write.kind, write.phase, write.number, side) == (point.kind, point.phase, point.number, point.side)
        return len(self.struck) == 1 and second is not None and (write.again, side) == (second.number, second.side)

    @property
    def done(self) -> bool:
        """All that the trial asks for has happened."""
        return self.trial is None or len(self.struck) == 1 + (self.trial.second is not None)

    def counted(self) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        for (kind, phase), count in self.counts.items():
            found.setdefault(kind.value, {})[phase] = count
        return found
