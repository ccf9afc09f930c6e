"""What a search is told while it runs and what it answers: shared by all optimisers.

Why: time, interruption and progress come from outside, so that planning itself knows no clock.
Called by: every optimiser; the command line, which makes the Stop.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import Generic, TypeVar

P = TypeVar("P")


class Status(StrEnum):
    OPTIMAL = "optimal"  # proven: no plan is better
    FEASIBLE = "feasible"  # a plan, not proven to be the best
    INFEASIBLE = "infeasible"  # proven: no plan reaches the goal
    UNKNOWN = "unknown"  # stopped before either was known


@dataclass(frozen=True, slots=True)
class Progress:
    """The best objective and bound so far; either may be missing."""

    objective: float | None
    bound: float | None


def _never() -> bool:
    return False


def _forever() -> float:
    return inf


def _unheard(_: Progress) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Stop:
    """How long a search may go on; whoever owns the clock and the keyboard fills it in."""

    asked: Callable[[], bool] = _never  # True: come back with the best so far
    remaining_s: Callable[[], float] = _forever
    report: Callable[[Progress], None] = _unheard


@dataclass(frozen=True, slots=True)
class Result(Generic[P]):
    """A plan (or none), its objective, the proven bound on any plan's objective, and how the search ended."""

    plan: P | None
    objective: float | None
    bound: float | None
    status: Status
    notes: tuple[str, ...] = ()
    counters: dict[str, float] = field(default_factory=dict)  # what the search did, for the evidence

    @property
    def gap(self) -> float | None:
        """|objective - bound| relative to the objective; None while either is missing."""
        if self.objective is None or self.bound is None:
            return None
        return abs(self.objective - self.bound) / max(abs(self.objective), 1e-12)
