"""Measure the output fidelity of any plan, and its completeness where sources can fail, by the tasks and sources that go on.

Why: completeness plans are asked for their fidelity, too; they activate other replicas in each configuration, fidelity plans do not.
Called by: plans.planner.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property

from levee.planning.fidelity.model import Model
from levee.planning.fidelity.plan import Metric
from levee.planning.fidelity.problem import FidelityProblem, problem_in
from levee.plans.measure import Fidelity
from levee.topology.graph import Topology
from levee.topology.names import TaskId


@dataclass(frozen=True)
class Measures:
    """The models of one topology, made once: every plan that is shown is measured on them.

    Equation 4 of Su and Zhou, with each configuration's sink streams weighing by how often it holds. Its rates are its own: a source that
    peaks alone counts for more in every join and union below it.
    """

    topology: Topology

    @cached_property
    def fidelity(self) -> tuple[Model, ...]:
        return self._models(Metric.OF)

    @cached_property
    def completeness(self) -> tuple[Model, ...]:
        return self._models(Metric.IC)

    def _models(self, metric: Metric) -> tuple[Model, ...]:
        return tuple(Model(problem_in(self.topology, configuration), metric) for configuration in self.topology.configurations)

    def measurer(self, replicated: Set[TaskId] | None, metric: Metric = Metric.OF, *, lost: Set[TaskId] = frozenset()) -> Fidelity:
        """`replicated` tells which sources go on; None: all but the `lost` do, as Levee's own ingestors have a standby, and sinks wait."""
        models = self.fidelity if metric is Metric.OF else self.completeness
        weights = [each.probability * model.weighed_rows_per_s for each, model in zip(self.topology.configurations, models, strict=True)]
        tasks = models[0].problem.tasks
        safe = {task.id for task in tasks if replicated is None or task.id in replicated} - lost
        sources = frozenset(number for number, task in enumerate(tasks) if task.is_source and task.id in safe)
        numbers = {task.id: number for number, task in enumerate(tasks)}

        @cache
        def measured(configuration: int, going_on: frozenset[TaskId]) -> float:
            flags = sources | {numbers[task] for task in going_on}
            return models[configuration].value(flags) if replicated is not None else _delivered(models[configuration], flags)

        def over_all(going_on: Sequence[frozenset[TaskId]]) -> float:
            each = zip(weights, enumerate(going_on), strict=True)
            return sum(weight * measured(*at) for weight, at in each) / sum(weights)

        return over_all


def _delivered(model: Model, going_on: Set[int]) -> float:
    """A sink waits for a task as any consumer does: what the others of its operator have for it is late, too."""
    stalled = _stalled(model.problem, going_on)
    late = {task for operator in model.problem.operators if stalled & {*operator.tasks} for task in operator.tasks}
    kept = model.retained(model.flags([going_on]))[0]
    return float(sum(kept[sink] * model.objective_weights[sink] for sink in model.problem.sinks if sink not in late))


def _stalled(problem: FidelityProblem, going_on: Set[int]) -> set[int]:
    """Tasks whose consumers get nothing in time; producers come first."""
    stalled: set[int] = set()
    for number, task in enumerate(problem.tasks):
        waits_above = any(producer in stalled for stream in task.streams for producer, _ in stream.substreams)
        if waits_above or (number not in going_on and task.waits):
            stalled.add(number)
    return stalled
