"""Measure the output fidelity of any plan, and its completeness where sources can fail, by the tasks and sources that go on.

Why: completeness plans are asked for their fidelity, too; they activate other replicas in each configuration, fidelity plans do not.
Called by: cli.planner.
"""

from collections.abc import Set
from functools import cache

from levee.cli.measure import Fidelity
from levee.planning.fidelity.model import Model
from levee.planning.fidelity.plan import Metric
from levee.planning.fidelity.problem import FidelityProblem, fidelity_problem
from levee.topology.graph import Topology
from levee.topology.names import TaskId


def measurer(topology: Topology, replicated: Set[TaskId] | None, metric: Metric = Metric.OF) -> Fidelity:
    """`replicated` tells which sources go on; None: all do, as Levee's own ingestors have a standby, and sinks wait as they are told."""
    problem = fidelity_problem(topology)
    model = Model(problem, metric)
    sources = frozenset(n for n, task in enumerate(problem.tasks) if task.is_source and (replicated is None or task.id in replicated))
    numbers = {task.id: number for number, task in enumerate(problem.tasks)}

    @cache
    def measured(tasks: frozenset[TaskId]) -> float:
        going_on = sources | {numbers[task] for task in tasks}
        return model.value(going_on) if replicated is not None else _delivered(model, going_on)

    return measured


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
