"""Measure a plan: loads, what it guarantees, what it costs, beside no and static replication.

Why: every number that a user sees is computed here, from the planners' model, whoever made the plan.
Called by: plans.planner, for each plan; cli.frontier.search.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from levee.planning.completeness.model import (
    TOLERANCE,
    Alive,
    Floats,
    Model,
    completeness_under,
    cost_cores,
    node_loads,
    scenarios,
)
from levee.planning.problem import Active, Plan, Problem
from levee.plans.report import ConfigurationPart, Copy, NodePart, Overload, Price
from levee.topology.graph import FailureModel
from levee.topology.names import TaskId

Fidelity: TypeAlias = Callable[[Sequence[frozenset[TaskId]]], float]  # of the tasks that go on in each configuration


@dataclass(frozen=True)
class Yardstick:
    """Measures plans of one problem under one failure model."""

    problem: Problem
    failures: FailureModel
    fidelity_of: Fidelity
    completeness_of: Fidelity | None = None  # where sources can fail, too
    replicated: Set[TaskId] | None = None  # the choice of a plan for a budget, sources included; None: sources are safe

    @cached_property
    def model(self) -> Model:
        return Model(self.problem)

    def completeness(self, plan: Plan) -> tuple[float, str]:
        """What is guaranteed, and the failure in which it is no more."""
        each = {name: self.completeness_under(plan.active, alive) for name, alive in self._scenarios(plan).items()}
        worst = min(each, key=lambda name: each[name])
        return each[worst], worst

    def completeness_under(self, active: Active, alive: Alive) -> float:
        if self.completeness_of is None:
            return completeness_under(self.model, active, alive)
        return self.completeness_of(self._going_on(active, alive))

    def budget_used(self, plan: Plan) -> int:
        """The most active replicas beyond one per task in any configuration; those of sources count where sources can fail."""
        if self.replicated is not None:
            return len(self.replicated) * (self.problem.replicas - 1)
        return max((sum(len(active) - 1 for active in row) for row in plan.active), default=0)

    def fidelity(self, plan: Plan) -> float:
        return min(self.fidelity_under(plan.active, alive) for alive in self._scenarios(plan).values())

    def fidelity_under(self, active: Active, alive: Alive) -> float:
        """Output fidelity while only the tasks that are alive go on."""
        return self.fidelity_of(self._going_on(active, alive))

    def _going_on(self, active: Active, alive: Alive) -> list[frozenset[TaskId]]:
        return [frozenset(task.id for index, task in enumerate(self.problem.tasks) if alive(index, row[index])) for row in active]

    def _scenarios(self, plan: Plan) -> dict[str, Alive]:
        return scenarios(self.problem, self.failures, plan.placement)

    def price(self, name: str, plan: Plan) -> Price:
        cores = cost_cores(self.model, plan.active)
        hours = cores * self.problem.window_s / 3600
        return Price(name, self.completeness(plan)[0], self.fidelity(plan), cores, hours, self.overloads(plan))

    def overloads(self, plan: Plan) -> tuple[Overload, ...]:
        """Most overloaded first."""
        loads = node_loads(self.model, plan.active, plan.placement)
        found = [
            Overload(configuration.name, node.name, float(loads[c, n]) / node.capacity_cores)
            for c, configuration in enumerate(self.problem.configurations)
            for n, node in enumerate(self.problem.nodes)
            if is_over(float(loads[c, n]), node.capacity_cores)
        ]
        return tuple(sorted(found, key=lambda over: -over.load_share))

    def configurations(self, plan: Plan) -> tuple[ConfigurationPart, ...]:
        loads = node_loads(self.model, plan.active, plan.placement)
        return tuple(
            ConfigurationPart(
                configuration.name,
                configuration.probability,
                {name: float(rate) for name, rate in configuration.rows_per_s.items()},
                self._nodes(plan, c, loads[c]),
            )
            for c, configuration in enumerate(self.problem.configurations)
        )

    def _nodes(self, plan: Plan, c: int, loads: Floats) -> tuple[NodePart, ...]:
        on: dict[str, list[Copy]] = {node.name: [] for node in self.problem.nodes}
        for index, task in enumerate(self.problem.tasks):
            for replica in sorted(plan.active[c][index]):
                on[plan.placement[task.id][replica]].append(Copy(task.id, replica))
        return tuple(
            NodePart(
                node.name,
                node.zone,
                float(loads[n]),
                node.capacity_cores,
                float(loads[n]) / node.capacity_cores,
                is_over(float(loads[n]), node.capacity_cores),
                tuple(on[node.name]),
            )
            for n, node in enumerate(self.problem.nodes)
        )


def is_over(load_cores: float, capacity_cores: float) -> bool:
    """A node that is exactly full is full: its queues would never shrink (LAAR, constraint 11)."""
    return load_cores >= capacity_cores * (1 - TOLERANCE)


def tasks_of(problem: Problem, operator: str) -> tuple[TaskId, ...]:
    """The tasks of an operator or a source."""
    sources = tuple(source.id for source in problem.sources if source.operator == operator)
    return sources + tuple(task.id for task in problem.tasks if task.operator == operator)
