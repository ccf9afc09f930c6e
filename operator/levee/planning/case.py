"""What a planning run is about and what comes out of it, the same for every strategy.

Why: strategies are exchangeable; whoever calls one need not know whether it plans for completeness or for a budget.
Called by: planning.strategies and its parts; levee plan.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from levee.planning.problem import Goal, Plan, Problem
from levee.planning.result import Result, Stop
from levee.topology.complaint import Complaint
from levee.topology.graph import Topology
from levee.topology.names import TaskId

COMPLETENESS_VERIFIER = "levee.planning.completeness.verify"
FIDELITY_VERIFIER = "levee.planning.fidelity.verify"


class Kind(StrEnum):
    """What a strategy is asked for."""

    BASELINE = "nothing"
    COMPLETENESS = "completeness"
    FIDELITY = "fidelity or budget"


class Objective(StrEnum):
    """What a plan for a budget is to have most of."""

    COMPLETENESS = "completeness"
    FIDELITY = "fidelity"


class Place(StrEnum):
    """Whether replicas stay where the balanced placement puts them, or are placed together with the activation."""

    BALANCED = "balanced"
    JOINT = "joint"


@dataclass(frozen=True, slots=True)
class Case:
    """What one planning run is about; `goal` for completeness, `fidelity` or `budget` for fidelity."""

    topology: Topology
    problem: Problem
    goal: Goal
    fidelity: float | None = None
    budget: int | None = None
    place: Place = Place.BALANCED
    start: Plan | None = None
    objective: Objective = Objective.FIDELITY  # where there is a budget, of the strategies that plan for either

    @property
    def sources_fail(self) -> bool:
        return self.fidelity is not None or self.budget is not None


@dataclass(frozen=True, slots=True)
class Found:
    """A result, what its verifier complains about, and the tasks that a fidelity plan replicates (sources are tasks there)."""

    result: Result[Plan]
    complaints: tuple[Complaint, ...] = ()
    replicated: frozenset[TaskId] | None = None
    budget: int | None = None  # what a fidelity costs, where a fidelity was the target
    objective_is: str = "cores"
    verifier: str = COMPLETENESS_VERIFIER


Solve: TypeAlias = Callable[[Case, Stop], Found]
Say: TypeAlias = Callable[[str], None]  # to people, in a sentence without its full stop


def _nothing(say: Say) -> None:
    del say


@dataclass(frozen=True, slots=True)
class Strategy:
    name: str
    says: str
    kind: Kind
    solve: Solve
    cannot: Callable[["Case"], str | None] = lambda _: None  # what a case has that is beyond it
    says_of_budget: str | None = None  # where it does something else for a budget
    warm_up: Callable[[Say], None] = _nothing  # what is done before the clock starts, and told where it takes long
