"""What the plan in force and another one are worth under what was measured, on the nodes there are, and what it takes to switch.

Why: both are measured by the planner's own yardstick on the same problem; what a plan promised when it was made says nothing of now.
Called by: adapting.
"""

from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from levee.control.adaptation import Homes, Value, Weighed, switching, weighed
from levee.control.names import ReplicaName, replica_name, task_of
from levee.planning.completeness.model import TOLERANCE
from levee.planning.problem import Plan, Problem
from levee.plans.adapting import as_before
from levee.plans.planner import Ready, yardstick
from levee.plans.running import loads_of
from levee.plans.verdict import judge
from levee.serve import planning, promises
from levee.serve.promises import Zones
from levee.topology.graph import Topology
from levee.topology.names import ConfigurationName, NodeName, TaskId
from levee.worlds.plans import WrittenPlan

Nodes = Mapping[ReplicaName, NodeName]


@dataclass(frozen=True, slots=True)
class InForce:
    """The plan in force as it is carried out."""

    plan: WrittenPlan
    configuration: ConfigurationName
    nodes: Nodes  # where each replica is that has a home


def weigh(before: InForce, found: WrittenPlan, zones: Zones) -> tuple[WrittenPlan, Weighed]:
    """With the plan as it would be taken up."""
    topology = loaded(found)
    ready = promises.prepared(found, zones)
    draft = steadied(before, found, ready)
    there = frozenset(node.name for node in ready.problem.nodes)
    carried_out = as_carried_out(before, ready.problem, there)
    now, then = value(ready, carried_out), value(ready, planned(draft, ready.problem))
    switch = switching(homes_now(before), homes_then(before, draft), catch_up_s(topology))
    for_guarantee = topology.wanted.target.budget is not None
    return draft, weighed(now, then, switch, dwell_s(draft), for_guarantee=for_guarantee)


def steadied(before: InForce, draft: WrittenPlan, ready: Ready) -> WrittenPlan:
    """Where a plan has as many active replicas of a task as there are now, they are those who are active now, if that is as good."""
    now = before.plan.planned
    stay = {task for task, nodes in draft.planned.placement.items() if now.placement.get(task) == nodes}
    active = {name: kept(wanted, now.active.get(name, frozenset()), stay) for name, wanted in draft.planned.active.items()}
    steady = replace(draft, planned=replace(draft.planned, active=active, loads=loads_of(ready.problem, active)))
    found, other = (value(ready, planned(one, ready.problem)) for one in (draft, steady))
    return steady if other.met and other.guarantee >= found.guarantee - TOLERANCE and other.cores <= found.cores + TOLERANCE else draft


def kept(wanted: Set[ReplicaName], now: Set[ReplicaName], stay: Set[TaskId]) -> frozenset[ReplicaName]:
    """In one configuration."""
    there, here = of_tasks(wanted), of_tasks(now)
    found = (here[task] if task in stay and len(here.get(task, ())) == len(replicas) else replicas for task, replicas in there.items())
    return frozenset[ReplicaName]().union(*found)


def of_tasks(active: Set[ReplicaName]) -> Mapping[TaskId, Set[ReplicaName]]:
    found = defaultdict[TaskId, set[ReplicaName]](set)
    for one in active:
        found[task_of(one)].add(one)
    return found


def loaded(plan: WrittenPlan) -> Topology:
    found = planning.loaded(plan.resource).topology
    assert found is not None, "it was planned"
    return found


def dwell_s(plan: WrittenPlan) -> float:
    found = planning.loaded(plan.resource).resource
    assert found is not None, "it was planned"
    return found.spec.adaptation.dwell


def catch_up_s(topology: Topology) -> float:
    """At most what has passed since a checkpoint."""
    return topology.timing.checkpoint_every * topology.timing.period_s


def value(ready: Ready, plan: Plan) -> Value:
    measured = yardstick(ready, plan, None)
    verdict = judge(ready.wish, measured, plan, ())
    target = ready.wish.target
    price = measured.price("", plan)
    guarantee = price.completeness if target.completeness is not None else price.fidelity
    return Value(guarantee, price.cores, verdict.met, " ".join(verdict.reasons))


def planned(draft: WrittenPlan, problem: Problem) -> Plan:
    return Plan(
        tuple(promises.row(problem, draft.planned.active[one.name], set()) for one in problem.configurations), draft.planned.placement
    )


def as_carried_out(before: InForce, problem: Problem, there: frozenset[NodeName]) -> Plan:
    """Replicas are where they are; those that have no home on a node that is there do nothing."""
    configurations = loaded(before.plan).configurations
    placement = {task.id: tuple(place(before, task.id, number, there) for number in range(problem.replicas)) for task in problem.tasks}
    homeless = {replica for replica in before.plan.planned.loads if before.nodes.get(replica, NodeName("")) not in there}
    active = (as_before(before.plan.planned.active, configurations, one) - homeless for one in problem.configurations)
    return Plan(tuple(promises.row(problem, one, set()) for one in active), placement)


def place(before: InForce, task: TaskId, number: int, there: frozenset[NodeName]) -> NodeName:
    """One that is there in any case: who has no home is not active."""
    home = before.nodes.get(replica_name(task, number))
    return home if home in there and home is not None else min(there)


def homes_now(before: InForce) -> Homes:
    planned = before.plan.planned
    return Homes(planned.active[before.configuration], before.nodes, planned.loads)


def homes_then(before: InForce, draft: WrittenPlan) -> Homes:
    found = draft.planned
    nodes = {replica_name(task, number): node for task, on in found.placement.items() for number, node in enumerate(on)}
    active = found.active.get(before.configuration, frozenset[ReplicaName]().union(*found.active.values()))
    return Homes(active, nodes, found.loads)
