"""What a topology guarantees at this moment, by the planner's own measure: with the replicas that work now and have caught up.

Why: that one replica is missing does not mean that the promise is broken, nor does a plan that promised enough mean that it holds. It is
measured only when who is missing has changed.
Called by: life, before it says how things are.
"""

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from levee.control.names import Instant, ReplicaName, task_of
from levee.control.seen import Observation
from levee.control.standing import caught_up, usable
from levee.control.wanted import Wanted
from levee.planning.completeness import baselines
from levee.planning.completeness.model import TOLERANCE, Model, cost_cores
from levee.planning.problem import Active, Plan, Problem
from levee.planning.strategies import STRATEGIES
from levee.plans.asked import Asked
from levee.plans.planner import Ready, prepare, yardstick
from levee.serve import planning
from levee.topology.graph import Node, Topology
from levee.topology.names import NodeName, TaskId, ZoneName
from levee.worlds.plans import WrittenPlan

Zones: TypeAlias = Mapping[NodeName, ZoneName]

KEPT = 64  # sets of missing replicas


@dataclass(frozen=True, slots=True)
class Promise:
    wanted: float
    now: float
    missing: tuple[ReplicaName, ...] = ()  # of those that should be active

    @property
    def holds(self) -> bool:
        return self.now >= self.wanted - TOLERANCE


@dataclass(slots=True)
class Promises:
    plan: WrittenPlan | None = None  # that is measured
    wanted: float = 0.0
    static_cost_s: float | None = None  # CPU time per window, were all replicas always active
    ready: Ready | None = None
    known: dict[frozenset[ReplicaName], float] = field(default_factory=dict)

    def of(self, plan: WrittenPlan, missing: frozenset[ReplicaName], zones: Callable[[], Zones]) -> Promise:
        """Without anybody missing it is what the plan says."""
        if plan is not self.plan:
            self.plan, self.wanted, self.ready, self.known = plan, wanted_of(plan), as_placed(plan, zones()), {}
            self.static_cost_s = static_cost_s(self.ready.problem)
        planned = plan.worth.guarantee or 0.0
        now = min(planned, self.measured(plan, missing, zones)) if missing else planned
        return Promise(self.wanted, now, tuple(sorted(missing)))

    def measured(self, plan: WrittenPlan, missing: frozenset[ReplicaName], zones: Callable[[], Zones]) -> float:
        if missing not in self.known:
            assert self.ready is not None, "its plan is known"
            self.known[missing] = guaranteed(self.ready, plan, missing)
            while len(self.known) > KEPT:
                del self.known[next(iter(self.known))]
        return self.known[missing]


def wanted_of(plan: WrittenPlan) -> float:
    """Where nothing that could be missed is asked for, what the plan promises is."""
    target = topology_of(plan).wanted.target
    asked = target.fidelity if target.penalty is not None or target.completeness is None else target.completeness
    return asked if asked is not None else plan.worth.guarantee or 0.0


def static_cost_s(problem: Problem) -> float:
    return cost_cores(Model(problem), baselines.static(problem).active) * problem.window_s


def missing(wanted: Wanted, seen: Observation, now: Instant) -> frozenset[ReplicaName]:
    """Who is active must have caught up; who would be in another configuration must only be there."""
    active = wanted.active.get(seen.configuration, frozenset()) if seen.configuration is not None else frozenset()
    ever = frozenset[ReplicaName]().union(*wanted.active.values())
    away = {one for one in ever - active if not usable(wanted, seen, now, one)}
    return frozenset(away | {one for one in active if not caught_up(wanted, seen, now, one)})


def prepared(plan: WrittenPlan, zones: Zones) -> Ready:
    """As it was planned, on all nodes that there were."""
    return prepare(planning.on_nodes(topology_of(plan), nodes_of(plan, zones, plan.planned.capacities)), Asked(), STRATEGIES)


def as_placed(plan: WrittenPlan, zones: Zones) -> Ready:
    """To measure it where it stands: of thousands of nodes those count on which something can be lost."""
    placement = {str(task): on for task, on in plan.planned.placement.items()}
    used = dict.fromkeys(node for on in placement.values() for node in on)
    return prepare(replace(topology_of(plan), nodes=nodes_of(plan, zones, used), pinned=placement), Asked(), STRATEGIES)


def topology_of(plan: WrittenPlan) -> Topology:
    topology = planning.loaded(plan.resource).topology
    assert topology is not None, "it was planned"
    return topology


def nodes_of(plan: WrittenPlan, zones: Zones, names: Iterable[NodeName]) -> tuple[Node, ...]:
    return tuple(Node(name, zones.get(name, ZoneName(name)), plan.planned.capacities[name]) for name in names)


def guaranteed(ready: Ready, plan: WrittenPlan, missing: Set[ReplicaName]) -> float:
    """A source without its standby is as good as lost, as a task is that is not whole."""
    sources = {source.id for source in ready.problem.sources}
    lost = {task_of(one) for one in missing} & sources
    shown = Plan(active(ready.problem, plan, missing, lost), plan.planned.placement)
    measured = yardstick(ready, shown, None)
    if ready.wish.target.fidelity is not None:
        return replace(measured, fidelity_of=ready.measures.measurer(None, lost=lost)).fidelity(shown)
    return measured.completeness(shown)[0]


def active(problem: Problem, plan: WrittenPlan, missing: Set[ReplicaName], lost: Set[TaskId]) -> Active:
    """Who reads a lost source computes nothing in time."""
    starving = {task.id for task in problem.tasks if any(edge.producer in lost for edge in task.inputs)}
    return tuple(row(problem, plan.planned.active[one.name] - missing, starving) for one in problem.configurations)


def row(problem: Problem, there: Set[ReplicaName], starving: Set[TaskId]) -> tuple[frozenset[int], ...]:
    numbers: dict[TaskId, set[int]] = {task.id: set() for task in problem.tasks}
    for replica in there:
        task, _, number = replica.rpartition("/")
        numbers[TaskId(task)].add(int(number))
    return tuple(frozenset() if task.id in starving else frozenset(numbers[task.id]) for task in problem.tasks)
