"""What is lost when given nodes, zones, tasks or sources fail together under a plan.

Why: a promise is a number; people ask about the day on which node-2 is gone.
Called by: levee plan --fail.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from levee.planning.completeness.model import TOLERANCE, Alive, Floats, Model, outside
from levee.planning.problem import Edge, Plan, Problem, SourceTask, Task
from levee.plans.failing import Lost
from levee.plans.measure import Yardstick, tasks_of
from levee.plans.report import Failure, OperatorLoss
from levee.topology.graph import Late, Sink, Topology
from levee.topology.names import TaskId, task_id

Group = tuple[str, str]  # name and kind


@dataclass(frozen=True, slots=True)
class Promise:
    """What the plan guarantees, and for which failures."""

    completeness: float
    covers: str
    never_lost: tuple[TaskId, ...]  # sources that fail here all the same


def lose(topology: Topology, yardstick: Yardstick, plan: Plan, lost: Lost, promise: Promise) -> Failure:
    """The losses per operator and sink, and whether what is promised still holds."""
    problem = yardstick.problem
    alive = survivors(problem, plan, lost)
    scene = _Scene(topology, problem, plan, lost, alive)
    left = float(scene.model.probability @ scene.kept[:, scene.processing].sum(axis=1)) / yardstick.model.best_rows_per_s
    holds = left >= promise.completeness - TOLERANCE
    return Failure(
        failed=lost.names,
        outside_model=promise.never_lost,
        tasks_lost=_gone(problem, plan, lost, alive),
        losses=tuple(_losses(scene)),
        completeness=left,
        fidelity=yardstick.fidelity_under(plan.active, alive),
        guarantee_holds=holds,
        why="" if holds else f"it covers {promise.covers}, and more fails here",
    )


def survivors(problem: Problem, plan: Plan, lost: Lost) -> Alive:
    stands = outside(problem, plan.placement, lost.nodes)
    return lambda task, active: task not in lost.tasks and stands(task, active)


def _gone(problem: Problem, plan: Plan, lost: Lost, alive: Alive) -> dict[str, tuple[str, ...]]:
    return {
        str(configuration.name): (
            *sorted(lost.sources),
            *(task.id for index, task in enumerate(problem.tasks) if not alive(index, row[index])),
        )
        for configuration, row in zip(problem.configurations, plan.active, strict=True)
    }


class _Scene:
    """The problem with its sources and sinks as tasks: the ones can fail like tasks, and what the others read is what is delivered."""

    def __init__(self, topology: Topology, problem: Problem, plan: Plan, lost: Lost, alive: Alive) -> None:
        self.topology = topology
        self.model = Model(_widened(topology, problem))
        first, after = len(problem.sources), len(problem.sources) + len(problem.tasks)
        self.processing = slice(first, after)
        going_on = [source.id not in lost.sources for source in problem.sources]

        def goes_on(task: int, active: frozenset[int]) -> bool:
            return going_on[task] if task < first else task >= after or alive(task - first, active)

        spare = (frozenset[int](),)
        rows = tuple((*spare * first, *row, *spare * len(topology.sinks)) for row in plan.active)
        self.kept: Floats = self.model.processed(rows, goes_on)

    @property
    def groups(self) -> dict[Group, list[int]]:
        """The operators and sinks, each with its tasks."""
        found: dict[Group, list[int]] = {(operator.name, "operator"): [] for operator in self.topology.operators}
        found |= {(sink.name, "sink"): [] for sink in self.topology.sinks}
        for index, task in enumerate(self.model.problem.tasks[self.processing.start :], self.processing.start):
            found[task.operator, "sink" if index >= self.processing.stop else "operator"].append(index)
        return found


def _losses(scene: _Scene) -> Iterator[OperatorLoss]:
    model = scene.model
    for key, members in scene.groups.items():
        before, after = model.rates[0][:, members].sum(axis=1), scene.kept[:, members].sum(axis=1)
        for c, configuration in enumerate(model.problem.configurations):
            yield _loss(key, configuration.name, float(before[c]), float(after[c]))
        yield _loss(key, "average", float(model.probability @ before), float(model.probability @ after))


def _loss(key: Group, configuration: str, before: float, after: float) -> OperatorLoss:
    return OperatorLoss(*key, configuration, before, after, after / before if before else 1.0)


def _widened(topology: Topology, problem: Problem) -> Problem:
    feeds = tuple(replace(source, id=_feed(source)) for source in problem.sources)
    readers = tuple(Task(source.id, source.operator, (Edge(_feed(source), 1.0, 0.0),), source.late) for source in problem.sources)
    sinks = tuple(_sink_task(problem, sink) for sink in topology.sinks)
    return replace(problem, sources=feeds, tasks=(*readers, *problem.tasks, *sinks), sinks=())


def _feed(source: SourceTask) -> TaskId:
    """Where the rows of a source task come from; no task has such a name."""
    return TaskId(f"{source.id}/rows")


def _sink_task(problem: Problem, sink: Sink) -> Task:
    origins = tasks_of(problem, sink.origin)
    # The index keeps a sink's task apart from a task of an operator that has the same name.
    name: TaskId = task_id(sink.name, -1)
    return Task(name, sink.name, tuple(Edge(origin, 1.0, 0.0) for origin in origins), Late.SKIP)
