"""Measure the output fidelity of any plan, and its completeness where sources can fail, by the tasks and sources that go on.

Why: completeness plans are asked for their fidelity, too; they activate other replicas in each configuration, fidelity plans do not.
Called by: cli.planner.
"""

from collections.abc import Set
from functools import cache

from levee.cli.measure import Fidelity
from levee.planning.fidelity.model import Model
from levee.planning.fidelity.plan import Metric
from levee.planning.fidelity.problem import fidelity_problem
from levee.topology.graph import Topology
from levee.topology.names import TaskId


def measurer(topology: Topology, replicated: Set[TaskId] | None, metric: Metric = Metric.OF) -> Fidelity:
    """`replicated` tells which sources go on; None: all do, as Levee's own ingestors have a standby."""
    problem = fidelity_problem(topology)
    model = Model(problem, metric)
    sources = frozenset(n for n, task in enumerate(problem.tasks) if task.is_source and (replicated is None or task.id in replicated))
    numbers = {task.id: number for number, task in enumerate(problem.tasks)}

    @cache
    def measured(tasks: frozenset[TaskId]) -> float:
        return model.value(sources | {numbers[task] for task in tasks})

    return measured
