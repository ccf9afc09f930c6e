"""A FIT document as a value: the moment, the fault, and whom it hits.

Called by: every module of fit.
"""

from dataclasses import dataclass, fields
from enum import StrEnum

from levee.lifecycle.names import EventName, MethodName, StateName


class Side(StrEnum):
    """Of a method."""

    BEFORE = "before"
    DURING = "during"  # when half of what it does is done
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Moment:
    state: StateName
    transition: EventName  # that leaves the state
    method: MethodName | None  # None: the transition has none
    side: Side
    occurrence: int = 1  # in one life, counted from 1

    def __str__(self) -> str:
        where = f"{self.side} {self.method}" if self.method is not None else "while nothing is called"
        which = "" if self.occurrence == 1 else f", time {self.occurrence}"
        return f"{self.state}, {self.transition}: {where}{which}"


@dataclass(frozen=True, slots=True)
class Timer:
    """The fault comes so many milliseconds after the moment; how many is drawn."""

    ms_min: int = 0
    ms_max: int = 0

    def drawn(self, chance: float) -> int:
        """`chance` is in [0, 1)."""
        return self.ms_min + int(chance * (self.ms_max - self.ms_min + 1))


@dataclass(frozen=True, slots=True)
class Target:
    """All that is said must hold; what is empty is not said."""

    topology: str = ""
    task: str = ""
    replica: str = ""
    node: str = ""
    zone: str = ""

    def said(self) -> dict[str, str]:
        """But for the topology, which says in whose life the moment is."""
        nouns = (one.name for one in fields(self) if one.name != "topology")
        return {noun: getattr(self, noun) for noun in nouns if getattr(self, noun)}


@dataclass(frozen=True, slots=True)
class Fit:
    name: str
    moment: Moment
    fault: str
    for_ms: int  # how long it lasts
    target: Target = Target()
    timer: Timer = Timer()
    lifecycle: str = "job"
    about: str = ""
