"""What is to run of a plan, in the words of whoever controls it.

Called by: `levee run`, and the operator.
"""

from collections.abc import Mapping

from levee.control.making import Planned, Terms
from levee.control.names import ReplicaName, replica_name, task_of
from levee.planning.completeness.model import Model
from levee.planning.problem import Problem
from levee.plans.planner import Planned as Plan
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId, ZoneName
from levee.topology.spec import Resource
from levee.topology.streams import OldState
from levee.topology.wanted import OnFailure


def planned_of(found: Plan) -> Planned:
    """The activation, as the report has it: by node."""
    report = found.report
    active = {
        ConfigurationName(one.name): frozenset(replica_name(TaskId(copy.task), copy.replica) for node in one.nodes for copy in node.active)
        for one in report.configurations
    }
    placement = {TaskId(task): tuple(map(NodeName, on)) for task, on in report.placement.items()}
    nodes = found.ready.problem.nodes
    capacities = {node.name: node.capacity_cores for node in nodes}
    zones = {node.name: node.zone for node in nodes if node.zone != ZoneName(node.name)}
    return Planned(placement, active, loads_of(found.ready.problem, active), capacities, zones)


def loads_of(problem: Problem, active: Mapping[ConfigurationName, frozenset[ReplicaName]]) -> dict[ReplicaName, float]:
    """What each replica needs at most, where it is active."""
    loads: dict[ReplicaName, float] = {}
    of_tasks = Model(problem).rates[2]
    for c, configuration in enumerate(problem.configurations):
        for replica in active[configuration.name]:
            here = float(of_tasks[c, problem.task_index[task_of(replica)]])
            loads[replica] = max(loads.get(replica, 0.0), here)
    return loads


def promised_by(found: Plan) -> float | None:
    """The share that was asked for; where none was, what the plan promises."""
    target, guarantee = found.ready.wish.target, found.report.guarantee
    if target.completeness is not None and target.penalty is None:
        return target.completeness
    if target.fidelity is not None:
        return target.fidelity
    return None if guarantee is None else guarantee.completeness


def terms_of(resource: Resource, workers_per_node: int | None, *, named_by_content: bool = False) -> Terms:
    spec = resource.spec
    return Terms(
        functions=tuple((OperatorName(operator.name), operator.function) for operator in spec.operators),
        cancels=spec.fault_tolerance.on_failure is OnFailure.CANCEL,
        workers_per_node=workers_per_node,
        alone=frozenset(spec.executors),  # Spark has one set of executors for a session
        named_by_content=named_by_content,
        discards=frozenset(OperatorName(operator.name) for operator in spec.operators if operator.state is OldState.DISCARD),
    )
