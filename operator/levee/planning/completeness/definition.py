"""Completeness, load and cost exactly as defined (Bellavista et al., equations 5-8, 11, 13, 14), without any trick.

Why: what the verifier compares claims with. Obvious on purpose; it shares no line with the fast evaluator in model.
Called by: completeness.verify.

Nothing here is subtracted, so rounding errors stay far below what a claim may be off by; a test computes the same in exact fractions.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from levee.planning.problem import Edge, Plan, Problem, SourceTask, Task
from levee.topology.graph import FailureModel, Late, Node
from levee.topology.names import TaskId

Lost = frozenset[TaskId]  # the tasks that do not go on after a failure, in one configuration


@dataclass(frozen=True)
class Definition:
    """What a plan promises and needs. Everything is worked out once: a stream's rate from the rates of the streams it reads."""

    problem: Problem
    plan: Plan
    known: dict[tuple[int, Lost, TaskId], float] = field(default_factory=dict)
    above: dict[TaskId, frozenset[TaskId]] = field(default_factory=dict)
    loads: dict[tuple[int, TaskId], float] = field(default_factory=dict)

    def completeness(self, failures: FailureModel) -> float:
        """Equation 8: the least that the failures leave, over the best case."""
        best = sum(self._processed(c, Lost()) for c in self._configurations())
        return min(sum(self._processed(c, lost[c]) for c in self._configurations()) for lost in self.cases(failures)) / best

    def cost(self) -> float:
        """Equation 13, per second of the window."""
        total: float = 0
        for c in self._configurations():
            for index, task in enumerate(self.problem.tasks):
                total += self._probability(c) * len(self.plan.active[c][index]) * self.load(c, task)
        return total

    def reserved(self, c: int, node: Node) -> float:
        """The left side of (11); whoever may have to run a tentative lane beside the final one needs room for both."""
        total: float = 0
        for index, task in enumerate(self.problem.tasks):
            if here := [r for r in self.plan.active[c][index] if self.plan.placement[task.id][r] == node.name]:
                lanes = 2 if any(self._task(a).late in (Late.TENTATIVE, Late.PREDICT) for a in self.ancestors(task.id)) else 1
                total += lanes * len(here) * self.load(c, task)
        return total

    def load(self, c: int, task: Task) -> float:
        """Cores that one active replica uses when nothing fails."""
        if (c, task.id) not in self.loads:
            self.loads[c, task.id] = sum(edge.cost_s * self._rows(c, Lost(), edge) for edge in task.inputs)
        return self.loads[c, task.id]

    def cases(self, failures: FailureModel) -> Iterator[tuple[Lost, ...]]:
        """Every failure that the promise must survive: per configuration, the tasks it stops."""
        match failures:
            case FailureModel.PESSIMISTIC:  # Equation 14.
                yield self._not_all_active()
            case FailureModel.NODE:
                for node in self.problem.nodes:
                    yield self._without({node.name})
            case FailureModel.ZONE:
                for zone in sorted({node.zone for node in self.problem.nodes}):
                    yield self._without({node.name for node in self.problem.nodes if node.zone == zone})
            case _:
                assert_never(failures)

    def ancestors(self, stream: TaskId) -> frozenset[TaskId]:
        """All tasks whose output reaches this one."""
        if stream not in self.above:
            producers = {edge.producer for edge in self._inputs(stream)}
            tasks = {producer for producer in producers if producer in self.problem.task_index}
            self.above[stream] = frozenset(tasks).union(*(self.ancestors(task) for task in tasks))
        return self.above[stream]

    def _not_all_active(self) -> tuple[Lost, ...]:
        return tuple(
            Lost(task.id for index, task in enumerate(self.problem.tasks) if len(self.plan.active[c][index]) < self.problem.replicas)
            for c in self._configurations()
        )

    def _without(self, nodes: set[str]) -> tuple[Lost, ...]:
        """The tasks that have no active replica left once these nodes are gone."""
        return tuple(
            Lost(
                task.id
                for index, task in enumerate(self.problem.tasks)
                if all(self.plan.placement[task.id][replica] in nodes for replica in self.plan.active[c][index])
            )
            for c in self._configurations()
        )

    def _processed(self, c: int, lost: Lost) -> float:
        """Equations 5 and 6 for one configuration: rows that tasks read in time."""
        total: float = 0
        for task in self.problem.tasks:
            if self._in_time(task.id, lost):
                total += sum(self._rows(c, lost, edge) for edge in task.inputs)
        return self._probability(c) * total

    def _in_time(self, task: TaskId, lost: Lost) -> bool:
        """It goes on, and nothing above it keeps it waiting."""
        return task not in lost and not any(self._task(a).late is Late.WAIT for a in self.ancestors(task) & lost)

    def _rows(self, c: int, lost: Lost, edge: Edge) -> float:
        return edge.fraction * self._emitted(c, lost, edge.producer)

    def _emitted(self, c: int, lost: Lost, stream: TaskId) -> float:
        """Equation 7."""
        if (c, lost, stream) not in self.known:
            rows: float = 0
            if stream not in self.problem.task_index:
                rows = self._source(stream).rows_per_s[c]
            elif self._in_time(stream, lost):
                rows = sum(edge.selectivity * self._rows(c, lost, edge) for edge in self._inputs(stream))
            self.known[c, lost, stream] = rows
        return self.known[c, lost, stream]

    def _configurations(self) -> range:
        return range(len(self.problem.configurations))

    def _probability(self, c: int) -> float:
        return self.problem.configurations[c].probability

    def _task(self, task: TaskId) -> Task:
        return self.problem.tasks[self.problem.task_index[task]]

    def _inputs(self, stream: TaskId) -> tuple[Edge, ...]:
        return self._task(stream).inputs if stream in self.problem.task_index else ()

    def _source(self, stream: TaskId) -> SourceTask:
        return next(source for source in self.problem.sources if source.id == stream)
