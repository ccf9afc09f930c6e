"""The steps of one switch to another configuration, and when each was over, by what replicas say of themselves.

Why: workers know when they have read a record or taken a state, and only all of them together say when that is so for the switch.
Called by: switching, at every look.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from levee.control.names import Instant, ReplicaName
from levee.control.seen import Observation, Phase, ReplicaSeen, Status
from levee.topology.names import ConfigurationName

CLOCKS_MS = 1_000  # between a look and what is told in it


class Step(StrEnum):
    """Each ends where the next begins."""

    DECIDE = "decide"  # since rates asked for another configuration; a step down may have to wait
    WRITE = "write"  # the record
    READ = "read"  # until the last replica that is switched on or off has read it: it is in force
    FORK = "fork"  # until the last one that is switched on has a state
    CATCH_UP = "catch_up"  # until the last one is as far as the others


@dataclass(frozen=True, slots=True)
class Took:
    step: Step
    ms: int


@dataclass(frozen=True, slots=True)
class Switch:
    """One that is under way, or is over."""

    record: int
    configuration: ConfigurationName
    on: frozenset[ReplicaName]
    off: frozenset[ReplicaName]
    asked: Instant  # by the rates
    steps: tuple[tuple[Step, Instant], ...]  # that are over, and when

    @property
    def next_step(self) -> Step | None:
        """None: there is nothing left to wait for."""
        steps = list(Step) if self.on else [one for one in Step if one not in {Step.FORK, Step.CATCH_UP}]
        return steps[len(self.steps)] if len(self.steps) < len(steps) else None

    @property
    def reached(self) -> Instant:
        return self.steps[-1][1] if self.steps else self.asked

    def since_asked(self, step: Step) -> str:
        return f"{(dict(self.steps)[step] - self.asked) / 1000:.1f} s"


def told(switch: Switch) -> str:
    """configuration high (record 12) in force after 1.2 s; caught up after 6.3 s"""
    words = f"configuration {switch.configuration} (record {switch.record}) in force after {switch.since_asked(Step.READ)}"
    return f"{words}; caught up after {switch.since_asked(Step.CATCH_UP)}" if Step.CATCH_UP in dict(switch.steps) else words


def is_replaced(switch: Switch, seen: Observation) -> bool:
    """Another configuration is in force by now, or somebody else has won the race for the number."""
    return seen.record is not None and seen.record.number >= switch.record and seen.configuration != switch.configuration


def step_done(switch: Switch, seen: Observation, now: Instant) -> Instant | None:
    """When the next step was over; None: it is not. Who does not work is not waited for: who comes in his place begins with the record."""
    if switch.next_step is Step.READ:
        return last_of(read_at(one, switch, now) for one in working(seen, switch.on | switch.off))
    on = working(seen, switch.on)
    if switch.next_step is Step.FORK:
        return last_of(forked_at(one, switch, now) for one in on)
    is_there = len(on) == len(switch.on) and not switch.on & seen.joining and all(one.status is Status.RUNNING for one in on)
    return now if is_there else None


def working(seen: Observation, replicas: Iterable[ReplicaName]) -> list[ReplicaSeen]:
    states = seen.states()
    return [states[one] for one in replicas if one in states and seen.homes[one].phase is Phase.READY]


def last_of(moments: Iterable[Instant | None]) -> Instant | None:
    """None: not all are known."""
    found = list(moments)
    return None if None in found else max((one for one in found if one is not None), default=Instant(0))


def read_at(one: ReplicaSeen, switch: Switch, now: Instant) -> Instant | None:
    return Instant(now - (one.read_ago_ms or 0)) if one.record >= switch.record else None


def forked_at(one: ReplicaSeen, switch: Switch, now: Instant) -> Instant | None:
    """After it was switched on: what it took before that it has let go."""
    at = None if one.forked_ago_ms is None else Instant(now - one.forked_ago_ms)
    return at if at is not None and one.status is Status.RUNNING and at >= dict(switch.steps)[Step.WRITE] - CLOCKS_MS else None
