"""Rule 8: who commits first, and how long the others hold back.

Why: without it every replica puts every epoch, and all but one for nothing. With it a failover costs one hold and needs nobody: whoever
has just won goes on at once, whoever has just lost stays behind the winner.
Called by: replicas and ingestors, before they commit; `validate` by whoever accepts a topology.
"""

from dataclasses import dataclass
from enum import StrEnum


class Last(StrEnum):
    """What became of one's last attempt to commit, under the ranks in force."""

    NONE = "none"
    WON = "won"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Times:
    """All durations of a topology, in milliseconds, and its two distances, in epochs."""

    period_ms: int
    hold_ms: int
    deadline_ms: int
    failure_timeout_ms: int
    retention_ms: int
    poll_ms: int
    pin_ms: int
    lead: int
    backlog: int
    resolution_ms: int = 1


def hold_ms(rank: int, last: Last, hold: int) -> int:
    match last:
        case Last.WON:
            return 0
        case Last.LOST:
            return (rank + 1) * hold
        case Last.NONE:
            return rank * hold


def validate(times: Times, replicas: int) -> str | None:
    """replicas x hold + the time of an epoch < deadline < failureTimeout; what is wrong, with its figures, else None."""
    failover_ms = replicas * times.hold_ms + times.period_ms
    if failover_ms >= times.deadline_ms:
        return (
            f"deadline {times.deadline_ms} ms: a failover among {replicas} replicas takes up to {failover_ms} ms "
            f"({replicas} x hold {times.hold_ms} ms + period {times.period_ms} ms), so epochs "
            f"would count as late while a replica is about to commit them. "
            f"Set a deadline above {failover_ms} ms, or a shorter hold."
        )
    if times.deadline_ms >= times.failure_timeout_ms:
        return (
            f"failureTimeout {times.failure_timeout_ms} ms: must be longer than the deadline of {times.deadline_ms} ms, "
            f"else a task is given up before it is late."
        )
    return None
