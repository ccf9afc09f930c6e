"""What is lost when given nodes, zones or tasks fail together under a plan.

Why: a promise is a number; people ask about the day on which node-2 is gone.
Called by: levee plan --fail.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from levee.cli.ending import Refused, use_instead
from levee.cli.measure import Yardstick, tasks_of
from levee.cli.report import Failure, OperatorLoss
from levee.planning.completeness.model import TOLERANCE, Alive, Floats, Model, completeness_under, outside
from levee.planning.problem import Edge, Plan, Problem, Task
from levee.topology.complaint import Complaint
from levee.topology.graph import Late, Sink, Topology
from levee.topology.names import NodeName, TaskId, task_id


@dataclass(frozen=True, slots=True)
class Lost:
    names: tuple[str, ...]
    nodes: frozenset[NodeName]
    tasks: frozenset[int]  # all of their replicas


def named(problem: Problem, names: Sequence[str]) -> Lost:
    """The nodes and tasks behind the names; an operator's name means all of its tasks, a zone's all of its nodes."""
    nodes: set[NodeName] = set()
    tasks: set[int] = set()
    unknown: list[Complaint] = []
    for name in names:
        on = {node.name for node in problem.nodes if name in (node.name, node.zone)}
        of = {index for index, task in enumerate(problem.tasks) if name in (task.id, task.operator)}
        nodes, tasks = nodes | on, tasks | of
        if not on and not of:
            unknown.append(_unknown(problem, name))
    if unknown:
        raise Refused("levee plan: cannot tell what fails.", unknown)
    return Lost(tuple(names), frozenset(nodes), frozenset(tasks))


def _unknown(problem: Problem, name: str) -> Complaint:
    if any(name in (source.id, source.operator) for source in problem.sources):
        return Complaint(
            "--fail", f"'{name}' is a source, and sources have a standby", "name a node, a zone, an operator or one of its tasks"
        )
    return Complaint("--fail", f"there is no node, zone or task '{name}'", use_instead(name, _known(problem)))


def _known(problem: Problem) -> list[str]:
    places = [name for node in problem.nodes for name in (node.name, node.zone)]
    return list(dict.fromkeys([*places, *(task.id for task in problem.tasks), *(task.operator for task in problem.tasks)]))


def lose(topology: Topology, yardstick: Yardstick, plan: Plan, lost: Lost, promised: float, covers: str) -> Failure:
    """The losses per operator and sink, and whether what is promised still holds."""
    problem = yardstick.problem
    alive = survivors(problem, plan, lost)
    left = completeness_under(yardstick.model, plan.active, alive)
    holds = left >= promised - TOLERANCE
    gone = {
        str(configuration.name): tuple(task.id for index, task in enumerate(problem.tasks) if not alive(index, row[index]))
        for configuration, row in zip(problem.configurations, plan.active, strict=True)
    }
    return Failure(
        failed=lost.names,
        tasks_lost=gone,
        losses=tuple(_losses(topology, problem, plan, alive)),
        completeness=left,
        fidelity=yardstick.fidelity_under(plan.active, alive),
        guarantee_holds=holds,
        why="" if holds else f"it covers {covers}, and more fails here",
    )


def survivors(problem: Problem, plan: Plan, lost: Lost) -> Alive:
    stands = outside(problem, plan.placement, lost.nodes)
    return lambda task, active: task not in lost.tasks and task < len(problem.tasks) and stands(task, active)


def _losses(topology: Topology, problem: Problem, plan: Plan, alive: Alive) -> Iterator[OperatorLoss]:
    """Sinks are counted as tasks that never fail, so that what they read is what is delivered."""
    wider = _with_sinks(topology, problem)
    model, tasks = Model(wider), len(problem.tasks)
    names = [*((o.name, "operator") for o in topology.operators), *((s.name, "sink") for s in topology.sinks)]
    groups = {key: [i for i, t in enumerate(wider.tasks) if (t.operator, "sink" if i >= tasks else "operator") == key] for key in names}
    for key, members in groups.items():
        before, after = model.rates[0][:, members].sum(axis=1), _kept(model, plan, alive, tasks)[:, members].sum(axis=1)
        for c, configuration in enumerate(problem.configurations):
            yield _loss(key, configuration.name, float(before[c]), float(after[c]))
        yield _loss(key, "average", float(model.probability @ before), float(model.probability @ after))


def _loss(key: tuple[str, str], configuration: str, before: float, after: float) -> OperatorLoss:
    return OperatorLoss(*key, configuration, before, after, after / before if before else 1.0)


def _kept(model: Model, plan: Plan, alive: Alive, tasks: int) -> Floats:
    import numpy as np

    none = frozenset({0})
    extra = (none,) * (len(model.problem.tasks) - tasks)
    return np.array(
        [model.processed(c, (*row, *extra), lambda task, on: task >= tasks or alive(task, on)) for c, row in enumerate(plan.active)]
    )


def _with_sinks(topology: Topology, problem: Problem) -> Problem:
    sinks = tuple(_sink_task(problem, sink) for sink in topology.sinks)
    return replace(problem, tasks=(*problem.tasks, *sinks), sinks=())


def _sink_task(problem: Problem, sink: Sink) -> Task:
    origins = tasks_of(problem, sink.origin)
    # The index keeps a sink's task apart from a task of an operator that has the same name.
    name: TaskId = task_id(sink.name, -1)
    return Task(name, sink.name, tuple(Edge(origin, 1.0, 0.0) for origin in origins), Late.SKIP)
