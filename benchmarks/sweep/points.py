"""Where somebody is killed: the nth write of a kind in a phase of the life, before it or after it; and which of these are tried.

Why: a phase begins anew with each thing that a user or the world does, so the nth write in it is the same one in most lives.
Called by: gate, campaign, report, __main__.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

SECOND_MAX = 4  # a recovery has seldom more writes than these


class Kind(StrEnum):
    """Whose writes to what."""

    API = "api"  # the operator's to the API server
    STORE = "store"  # the operator's to the store
    WORKER = "worker"  # those of all workers to the store


class Side(StrEnum):
    BEFORE = "before"  # it is not carried out
    AFTER = "after"  # it is, and whoever asked for it never hears


@dataclass(frozen=True, slots=True)
class Point:
    kind: Kind
    phase: str
    number: int  # from 1
    side: Side

    def __str__(self) -> str:
        return f"{self.kind}/{self.phase}/{self.number}/{self.side}"


@dataclass(frozen=True, slots=True)
class Second:
    """Another crash: at the nth of the writes that whoever was killed first makes after that, whatever they are."""

    number: int
    side: Side

    def __str__(self) -> str:
        return f"{self.number}/{self.side}"


@dataclass(frozen=True, slots=True)
class Trial:
    """One life."""

    point: Point
    second: Second | None = None

    def __str__(self) -> str:
        return str(self.point) if self.second is None else f"{self.point}+{self.second}"


TRIAL = re.compile(r"(api|store|worker)/([a-z]+)/(\d+)/(before|after)(?:\+(\d+)/(before|after))?")


def parse(text: str) -> Trial:
    found = TRIAL.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' names no point; write kind/phase/number/side, such as api/edit/3/before, or with +2/after behind it")
    kind, phase, number, side, second, second_side = found.groups()
    again = None if second is None else Second(int(second), Side(second_side))
    return Trial(Point(Kind(kind), phase, int(number), Side(side)), again)


def points(writes: Mapping[str, Mapping[str, int]]) -> list[Point]:
    """All there are, by what an undisturbed life has counted: of each kind, by phase."""
    found = ((Kind(kind), phase, number) for kind, phases in writes.items() for phase, count in phases.items() for number in upto(count))
    return [Point(kind, phase, number, side) for kind, phase, number in found for side in Side]


def upto(count: int) -> range:
    return range(1, count + 1)


def trials(found: Sequence[Point], seed: int) -> list[Trial]:
    """Each point with one crash, then each with a second that is drawn for it, and workers after the operator: there are too many of theirs
    for most who sweep. In an order that is even over all phases, so that who ends early has seen something of each."""
    once = [Trial(point) for point in found]
    twice = [Trial(point, drawn(point, seed)) for point in found]
    return sorted([*shuffled(once, seed), *shuffled(twice, seed)], key=lambda one: one.point.kind is Kind.WORKER)


def drawn(point: Point, seed: int) -> Second:
    """By the point itself, so that it is the same whichever others are tried."""
    draw = Random(f"{seed} {point}")
    return Second(draw.randint(1, SECOND_MAX), draw.choice(list(Side)))


def shuffled(found: Sequence[Trial], seed: int) -> list[Trial]:
    return Random(seed).sample(list(found), len(found))


def exhaustive(found: Sequence[Point]) -> Iterator[Trial]:
    """Each point with each second."""
    return (Trial(point, Second(number, side)) for point in found for number in upto(SECOND_MAX) for side in Side)


def sampled(found: Sequence[Trial], count: int, seed: int) -> list[Trial]:
    """So many, of all kinds in turn, first without a second crash and then with one."""
    groups: dict[tuple[bool, Kind], list[Trial]] = {}
    for one in shuffled(found, seed):
        groups.setdefault((one.second is not None, one.point.kind), []).append(one)
    in_turn: list[Trial] = []
    while any(groups.values()):
        in_turn += [group.pop() for _, group in sorted(groups.items()) if group]
    return in_turn[:count]
