"""What a fidelity optimiser is asked for and what it answers.

Why: the heuristics and the exact solver must be exchangeable.
Called by: every optimiser of this package; levee plan, which calls one of them.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from levee.planning.fidelity.problem import FidelityProblem
from levee.planning.result import Result, Stop
from levee.topology.names import TaskId


class Metric(StrEnum):
    """Which quality of the tentative output is maximised."""

    OF = "output fidelity"
    IC = "internal completeness"


@dataclass(frozen=True, slots=True)
class ActivePlan:
    """The tasks that get an active replica besides their primary."""

    replicated: frozenset[TaskId]


class Optimiser(Protocol):
    """`budget`: how many active replicas beyond one per task there may be."""

    def __call__(self, problem: FidelityProblem, budget: int, *, metric: Metric = ..., stop: Stop = ...) -> Result[ActivePlan]: ...


def named(problem: FidelityProblem, tasks: frozenset[int]) -> ActivePlan:
    """Task numbers as a plan."""
    return ActivePlan(frozenset(problem.tasks[task].id for task in tasks))


def numbered(problem: FidelityProblem, plan: ActivePlan) -> frozenset[int]:
    """A plan as task numbers."""
    return frozenset(number for number, task in enumerate(problem.tasks) if task.id in plan.replicated)


def out_of_time(stop: Stop) -> bool:
    return stop.asked() or stop.remaining_s() <= 0
