"""Who is meant by the names of a failure: nodes, zones, operators, sources, and single tasks of these.

Why: a wrong name must be told before the search; and what the failure model never loses may be asked for, but must be called that.
Called by: plans.planner, for levee plan --fail.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from levee.planning.problem import Problem, SourceTask, Task
from levee.plans.ending import Refused, use_instead
from levee.topology.complaint import Complaint
from levee.topology.graph import Topology
from levee.topology.names import NodeName, TaskId


@dataclass(frozen=True, slots=True)
class Lost:
    names: tuple[str, ...]
    nodes: frozenset[NodeName]
    tasks: frozenset[int]  # all of their replicas
    sources: frozenset[TaskId]  # all ingestors of these source tasks

    def outside_model(self, replicated: Set[TaskId] | None) -> tuple[TaskId, ...]:
        """Source tasks that the failure model does not lose: all, or under a budget those that are replicated."""
        return tuple(sorted(self.sources if replicated is None else self.sources & replicated))


def named(topology: Topology, problem: Problem, names: Sequence[str]) -> Lost:
    """What is behind the names; an operator's name means all of its tasks, a zone's all of its nodes."""
    if unknown := [_unknown(topology, problem, name) for name in names if name not in _known(problem)]:
        raise Refused("levee plan: cannot tell what fails.", unknown)
    return Lost(
        tuple(names),
        frozenset(node.name for node in problem.nodes if {node.name, node.zone} & {*names}),
        frozenset(index for index, task in enumerate(problem.tasks) if {task.id, task.operator} & {*names}),
        frozenset(source.id for source in problem.sources if {source.id, source.operator} & {*names}),
    )


def _unknown(topology: Topology, problem: Problem, name: str) -> Complaint:
    for sink in topology.sinks:
        if name == sink.name:
            wrong = f"'{name}' is a sink, and what delivers to it always has a standby"
            return Complaint("--fail", wrong, f"use '{sink.origin}', which it reads")
    return Complaint("--fail", f"there is no node, zone, operator, source or task '{name}'", use_instead(name, _known(problem)))


def _known(problem: Problem) -> list[str]:
    """What people name most comes first."""
    places = [*(node.name for node in problem.nodes), *(node.zone for node in problem.nodes)]
    tasks: tuple[Task | SourceTask, ...] = (*problem.tasks, *problem.sources)
    return list(dict.fromkeys([*places, *(task.operator for task in tasks), *(task.id for task in tasks)]))
