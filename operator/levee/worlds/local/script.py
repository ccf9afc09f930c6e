"""Faults that were asked for beforehand, each inflicted when the topology has reached an epoch.

Why: a demo and a test must fail the same thing at the same moment of the streams, whatever the machine's speed.
Called by: `run`, at every turn.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from levee.control.names import Instant, ReplicaName
from levee.control.seen import Observation
from levee.topology.names import TaskId
from levee.worlds.local import faults
from levee.worlds.local.faults import Fault, Hit, Missed
from levee.worlds.local.table import RunTable


@dataclass(frozen=True, slots=True)
class Inflicted:
    """What became of a fault: it hit something, or it missed."""

    fault: Fault
    at: Instant
    epoch: int
    text: str
    hit: Hit | None


@dataclass(slots=True)
class Script:
    faults: tuple[Fault, ...]
    inflicted: list[Inflicted] = field(default_factory=list)
    paused: list[tuple[Instant, Hit]] = field(default_factory=list)

    def follow(self, seen: Observation, table: RunTable, primaries: Mapping[TaskId, ReplicaName], now: Instant) -> Iterator[Inflicted]:
        self.let_go(now)
        epoch = max((state.epoch for state in seen.states().values()), default=0)
        done = [one.fault for one in self.inflicted]
        for fault in self.faults:
            if fault not in done and epoch >= fault.at_epoch and seen.anchored:
                inflicted = self.inflict(fault, table, primaries, now, epoch)
                self.inflicted.append(inflicted)
                yield inflicted

    def inflict(self, fault: Fault, table: RunTable, primaries: Mapping[TaskId, ReplicaName], now: Instant, epoch: int) -> Inflicted:
        try:
            hit = faults.aim(fault, table, primaries)
        except Missed as missed:
            return Inflicted(fault, now, epoch, str(missed), None)
        if fault.kind.is_pause:
            faults.pause(hit)
            self.paused.append((Instant(now + fault.for_ms), hit))
        else:
            faults.kill(hit)
        return Inflicted(fault, now, epoch, f"{hit.what}, at epoch {epoch}", hit)

    def let_go(self, now: Instant) -> None:
        for until, hit in self.paused:
            if until <= now:
                faults.go_on(hit)
        self.paused = [(until, hit) for until, hit in self.paused if until > now]

    def release(self) -> None:
        for _, hit in self.paused:
            faults.go_on(hit)
        self.paused = []
