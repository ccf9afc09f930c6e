"""What the plan in force and another one are worth under what was measured, on the nodes there are, and what it takes to switch.

Why: both are measured by the planner's own yardstick on the same problem; what a plan promised when it was made says nothing of now.
Called by: adapting.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from levee.control.adaptation import Homes, Value, Weighed, switching, weighed
from levee.control.names import ReplicaName, replica_name
from levee.planning.problem import Plan, Problem
from levee.plans.adapting import as_before
from levee.plans.planner import Ready, yardstick
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


def weigh(before: InForce, draft: WrittenPlan, zones: Zones) -> Weighed:
    topology = loaded(draft)
    ready = promises.prepared(draft, zones)
    there = frozenset(node.name for node in ready.problem.nodes)
    kept = as_carried_out(before, ready.problem, there)
    now, then = value(ready, kept), value(ready, planned(draft, ready.problem))
    switch = switching(homes_now(before), homes_then(before, draft), catch_up_s(topology))
    for_guarantee = topology.wanted.target.budget is not None
    return weighed(now, then, switch, dwell_s(draft), for_guarantee=for_guarantee)


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
