"""Faults that were asked for beforehand, each inflicted when the topology has reached an epoch.

Why: a demo and a test must fail the same thing at the same moment of the streams, whatever the machine's speed.
Called by: `run`, at every turn.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from levee.control.names import Instant, ReplicaName
from levee.control.seen import Observation
from levee.topology.names import TaskId
from levee.worlds.local import faults
from levee.worlds.local.faults import Fault, Hit, Missed
from levee.worlds.local.table import RunTable


@dataclass(frozen=True, slots=True)
class Inflicted:
    """A fault that has hit something."""

    fault: Fault
    at: Instant
    at_utc_ms: int  # the machine's clock, as the local store's stamps are
    epoch: int
    hit: Hit

    @property
    def text(self) -> str:
        return f"{self.hit.what}, at epoch {self.epoch}"


@dataclass(slots=True)
class Script:
    pending: list[Fault]
    inflicted: list[Inflicted] = field(default_factory=list)
    missed: dict[Fault, str] = field(default_factory=dict)  # what is due and has found nothing to hit yet, and why
    paused: list[tuple[Instant, Hit]] = field(default_factory=list)

    def follow(self, seen: Observation, table: RunTable, primaries: Mapping[TaskId, ReplicaName], now: Instant) -> Iterator[Inflicted]:
        """Those of one epoch together, those of later ones in a later turn, which sees what these have done."""
        self.let_go(now)
        epoch = max((state.epoch for state in seen.states().values()), default=0)
        due = [fault for fault in self.pending if fault.at_epoch <= epoch and seen.anchored]
        for at_epoch in sorted({fault.at_epoch for fault in due}):
            hits = [(one, hit) for one in due if one.at_epoch == at_epoch and (hit := self.aim(one, table, primaries))]
            for fault, hit in hits:  # all are aimed at before any is hit
                yield self.inflict(fault, hit, now, epoch)
            if hits:
                return

    def aim(self, fault: Fault, table: RunTable, primaries: Mapping[TaskId, ReplicaName]) -> Hit | None:
        try:
            return faults.aim(fault, table, primaries)
        except Missed as missed:
            self.missed[fault] = str(missed)
            return None

    def inflict(self, fault: Fault, hit: Hit, now: Instant, epoch: int) -> Inflicted:
        at_utc_ms = int(1_000 * datetime.now(UTC).timestamp())
        if fault.kind.is_pause:
            faults.pause(hit)
            self.paused.append((Instant(now + fault.for_ms), hit))
        else:
            faults.kill(hit)
        self.pending.remove(fault)
        self.missed.pop(fault, None)
        self.inflicted.append(Inflicted(fault, now, at_utc_ms, epoch, hit))
        return self.inflicted[-1]

    def let_go(self, now: Instant) -> None:
        for until, hit in self.paused:
            if until <= now:
                faults.go_on(hit)
        self.paused = [(until, hit) for until, hit in self.paused if until > now]

    def release(self) -> None:
        for _, hit in self.paused:
            faults.go_on(hit)
        self.paused = []
