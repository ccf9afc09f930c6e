"""Where one topology is in its lifecycle: what is stored of it, and what is only remembered.

Why: what is not in the record is lost with whoever remembers it, so the two are different types.
Called by: step, failures, runner; `worlds`, which store and load records.
"""

from dataclasses import dataclass

from levee.lifecycle.machine import Machine
from levee.lifecycle.names import EventName, Instant, StateName
from levee.topology.status import HISTORY_MAX


@dataclass(frozen=True, slots=True)
class Passage:
    state: StateName
    since: Instant
    why: EventName | None = None  # the event that led there


@dataclass(frozen=True, slots=True)
class Record:
    """What is stored."""

    state: StateName
    since: Instant
    ending: StateName | None = None
    attempts: int = 0  # since it was submitted: failures that were answered by another try
    failures: int = 0  # in a row
    failed_at: Instant | None = None
    claims: int = 0  # how often it was stored only so that whoever else still acts is overtaken
    history: tuple[Passage, ...] = ()  # bounded, oldest first


@dataclass(frozen=True, slots=True)
class Failing:
    """Something failed, and nothing has been done about it yet."""

    why: str
    until: Instant | None  # when it is tried again; None: never
    counted: bool = True  # against the budget
    halfway: bool = False  # in a method: what holds in the world may be half of something


@dataclass(frozen=True, slots=True)
class Position:
    record: Record  # as it is now
    stored: Record | None  # as it was written last
    watched: Instant  # timeouts count from here: an outage of whoever manages it is not the topology's fault
    waits: int = 0  # failures in a row that do not count
    failing: Failing | None = None

    @property
    def state(self) -> StateName:
        return self.record.state


def beginning(machine: Machine, now: Instant) -> Position:
    return Position(Record(machine.initial, now, history=(Passage(machine.initial, now),)), None, now)


def restored(record: Record, now: Instant) -> Position:
    return Position(record, record, now)


def with_passage(history: tuple[Passage, ...], passage: Passage) -> tuple[Passage, ...]:
    return (*history, passage)[-HISTORY_MAX:]
