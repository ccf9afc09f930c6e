"""What a plan promises while some replicas are dead, in one configuration: by the planner's own code, as `levee plan --fail` has it.

Why: a guarantee is the worst over all configurations; whoever breaks something in one of them wants to know what is promised there.
Called by: trials, before anything is done; taking, with the replicas that were really met.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from levee.control.making import Planned
from levee.control.names import ReplicaName, replica_name, task_of
from levee.planning.expand import expand
from levee.planning.fidelity.plan import Metric
from levee.planning.problem import Plan, Problem
from levee.plans import losses
from levee.plans.failing import Lost
from levee.plans.fidelity import Measures
from levee.plans.measure import Yardstick
from levee.topology.graph import Configuration, FailureModel, Node, Topology
from levee.topology.names import ConfigurationName, NodeName, TaskId, ZoneName

PROMISE = losses.Promise(0.0, "", ())  # what `losses` compares with; here it is asked what is left


@dataclass(frozen=True, slots=True)
class Promise:
    """At least that much of the processing goes on in time, and that much of the input is reflected in output in time."""

    completeness: float
    fidelity: float
    lost: tuple[TaskId, ...] = ()  # the tasks that are counted as gone; who waits for them is late, too

    def __le__(self, other: "Promise") -> bool:
        return (self.completeness, self.fidelity) <= (other.completeness, other.fidelity)


@dataclass(frozen=True)
class Promised:
    """A topology and the plan in force for it."""

    topology: Topology
    problem: Problem
    active: Mapping[ConfigurationName, frozenset[ReplicaName]]  # of operators' tasks
    replicas: Mapping[ReplicaName, NodeName]  # all there are, sources' and sinks' too
    failures: FailureModel
    replicated: frozenset[TaskId] | None = None  # of a plan for a fidelity or a budget: all else fails; sources are tasks there
    wanted: str = ""  # in words

    @property
    def configurations(self) -> tuple[Configuration, ...]:
        return self.problem.configurations

    @property
    def zones(self) -> dict[ZoneName, frozenset[NodeName]]:
        found = dict.fromkeys(node.zone for node in self.problem.nodes)
        return {zone: frozenset(node.name for node in self.problem.nodes if node.zone == zone) for zone in found}

    @property
    def of_tasks(self) -> dict[TaskId, tuple[ReplicaName, ...]]:
        found: dict[TaskId, tuple[ReplicaName, ...]] = {}
        for replica in self.replicas:
            found[task_of(replica)] = (*found.get(task_of(replica), ()), replica)
        return found

    def active_of(self, task: TaskId, at: ConfigurationName) -> tuple[ReplicaName, ...]:
        """Ingestors and deliverers are active whenever they work."""
        mine = self.of_tasks.get(task, ())
        return tuple(one for one in mine if one in self.active[at]) if task in self.problem.task_index else mine

    def under(self, dead: Collection[ReplicaName], at: ConfigurationName) -> Promise:
        """A task goes on where an active replica of it lives; a source where any does."""
        gone = frozenset(one for one in self.of_tasks if set(self.active_of(one, at)) <= set(dead))
        return self.without(gone, at)

    def without(self, gone: frozenset[TaskId], at: ConfigurationName) -> Promise:
        """Each kind of plan by its own measure: sources that may fail count, and sinks that wait, as where it was made."""
        topology, problem, plan = self.narrowed(at)
        if self.replicated is not None:
            return self.without_of_fidelity(gone, Measures(topology), problem)
        numbers = frozenset(index for task, index in problem.task_index.items() if task in gone)
        sources = frozenset(one.id for one in problem.sources if one.id in gone)
        yardstick = Yardstick(problem, self.failures, Measures(topology).measurer(None, lost=sources))
        failure = losses.lose(topology, yardstick, plan, Lost((), frozenset(), numbers, sources), PROMISE)
        return Promise(failure.completeness, failure.fidelity, tuple(map(TaskId, failure.tasks_lost[at])))

    def without_of_fidelity(self, gone: frozenset[TaskId], measures: Measures, problem: Problem) -> Promise:
        there = frozenset(one.id for one in problem.sources) - gone
        going_on = [frozenset(problem.task_index) - gone]
        completeness, fidelity = (measures.measurer(there, metric)(going_on) for metric in (Metric.IC, Metric.OF))
        known = {*(one.id for one in problem.sources), *problem.task_index}
        return Promise(completeness, fidelity, tuple(sorted(gone & known)))

    def narrowed(self, at: ConfigurationName) -> tuple[Topology, Problem, Plan]:
        """As if there were no other configuration."""
        [index] = [number for number, one in enumerate(self.configurations) if one.name == at]
        only = (replace(self.configurations[index], probability=1.0),)
        sources = tuple(replace(one, rows_per_s=(one.rows_per_s[index],)) for one in self.problem.sources)
        problem = replace(self.problem, configurations=only, sources=sources)
        return replace(self.topology, configurations=only), problem, replace(self.plan, active=(self.plan.active[index],))

    @property
    def plan(self) -> Plan:
        """As the planner has it."""
        rows = tuple(tuple(self.numbers(task.id, one.name) for task in self.problem.tasks) for one in self.configurations)
        return Plan(rows, self.problem.placement)

    def numbers(self, task: TaskId, at: ConfigurationName) -> frozenset[int]:
        return frozenset(number for number in range(self.problem.replicas) if replica_name(task, number) in self.active[at])


def promised(
    topology: Topology,
    nodes: tuple[Node, ...],
    planned: Planned,
    replicas: Mapping[ReplicaName, NodeName],
    failures: FailureModel,
    replicated: frozenset[TaskId] | None = None,
    wanted: str = "",
) -> Promised:
    """Of a plan as whoever controls the topology has it; the placement is the plan's."""
    problem = replace(expand(topology, nodes), placement=dict(planned.placement))
    return Promised(topology, problem, planned.active, replicas, failures, replicated, wanted)


def overall(found: Promised) -> Promise:
    """What is guaranteed over all configurations, whatever its failure model allows: the planner's own figures."""
    measures = Measures(found.topology)
    fidelity, completeness = measures.measurer(found.replicated), None
    if found.replicated is not None:
        completeness = measures.measurer(found.replicated, Metric.IC)
    yardstick = Yardstick(found.problem, found.failures, fidelity, completeness, found.replicated)
    return Promise(yardstick.completeness(found.plan)[0], yardstick.fidelity(found.plan))
