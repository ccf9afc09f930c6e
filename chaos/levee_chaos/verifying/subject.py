"""What is verified: a plan, who stands where, and the stage for its trials; from a file, from a run that goes on, or from a cluster.

Called by: asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from levee.cli.local.ready import Ask, Ready, planned_for
from levee.cli.local.runs import find_running
from levee.cli.local.streams import wired
from levee.control.names import ReplicaName, WorkerName, replica_name
from levee.control.wanted import Placed
from levee.plans.ending import Refused
from levee.plans.running import planned_of, promised_by
from levee.serve.planning import loaded
from levee.topology.complaint import Complaint
from levee.topology.graph import FailureModel, Node
from levee.topology.names import ConfigurationName, NodeName, TaskId, ZoneName
from levee.worlds import plans
from levee.worlds.plans import WrittenPlan
from levee_chaos.verifying.campaign import Stage
from levee_chaos.verifying.grouping import split
from levee_chaos.verifying.promises import Promised, overall, promised
from levee_chaos.verifying.stages import Attached, Own
from levee_chaos.verifying.trials import dead_at_worst
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.world import Where

NOTHING = "levee verify: nothing was done."
TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Subject:
    promised: Promised
    workers: tuple[Placed, ...]
    stage: Stage
    is_own: bool = False

    def __post_init__(self) -> None:
        worst = overall(self.promised)
        if max(worst.completeness, worst.fidelity) <= TOLERANCE:
            model = self.promised.failures.value
            wrong = f"under {model} failures this plan guarantees nothing ({self.promised.wanted}), so there is nothing to verify"
            fix = "ask for something: target: {completeness: 0.7}; or for what the end of one node leaves: failures: node"
            raise Refused("levee verify: nothing is promised.", [Complaint("spec.faultTolerance", wrong, fix)])

    def workers_at(self, at: ConfigurationName) -> tuple[Placed, ...]:
        """In a run of its own who is to die for good has workers of its own."""
        return tuple(split(self.workers, dead_at_worst(self.promised, at))) if self.is_own else self.workers


# ---- on this machine


def own(ask: Ask, place: Path) -> Subject:
    ready = planned_for(ask)
    workers = ready.wanted(wired(ready.resource, "not yet")).workers
    made = promised_of(ready, homes_of(workers))
    return Subject(made, workers, Own(ready, place, made), is_own=True)


def attached(ask: Ask, directory: str) -> Subject:
    """Planned anew from what it was started with; refused where that is not what runs."""
    folder, _ = find_running("levee verify", directory)
    where = Where(directory=str(folder.path))
    ready = planned_for(replace(ask, file=str(folder.resource), directory=str(folder.path)), is_elsewhere=True)
    workers = workers_in(where)
    made = promised_of(ready, homes_of(workers))
    check_in_force(made, where, "name the nodes as levee run was told, by --nodes; else try again when levee status says Settled")
    return Subject(made, workers, Attached(where))


def promised_of(ready: Ready, homes: Mapping[ReplicaName, NodeName]) -> Promised:
    found, wish = ready.plan, ready.plan.ready.wish
    target = promised_by(found)
    wanted = f"strategy {wish.strategy.name}, {'' if target is None else f'{target:g} is to go on, '}{wish.failures.value} failures"
    replicated = None if found.report.replicated is None else frozenset(map(TaskId, found.report.replicated))
    return promised(ready.topology, found.ready.problem.nodes, planned_of(found), homes, wish.failures, replicated, wanted)


# ---- on a cluster


def on_cluster(where: Where) -> Subject:
    """By the plan in force, which its operator has written; a planner would perhaps find another one today."""
    with find(where).reading() as (wiring, driver):
        written = plans.read(driver.blobs, wiring.layout, plans.newest(driver.blobs, wiring.layout))
    if written is None:
        fix = "wait until kubectl levee status says Planned"
        raise Refused(NOTHING, [Complaint(where.topology, "has no plan yet, so nothing is promised", fix)])
    workers = workers_in(where)
    made = promised_in(written, homes_of(workers))
    check_in_force(made, where, "try again when kubectl levee status says Settled")
    return Subject(made, workers, Attached(where))


def promised_in(written: WrittenPlan, homes: Mapping[ReplicaName, NodeName]) -> Promised:
    """Which sources were counted on is not written down: they are taken to go on, as two ingestors let them."""
    topology, planned = loaded(written.resource).topology, written.planned
    assert topology is not None, "it was planned"
    nodes = tuple(Node(name, planned.zones.get(name, ZoneName(name)), cores) for name, cores in planned.capacities.items())
    made = promised(replace(topology, nodes=nodes), nodes, planned, homes, topology.wanted.failures, None, written.worth.says)
    if topology.wanted.target.fidelity is None and topology.wanted.target.budget is None:
        return made
    at = made.configurations[0].name
    twice = frozenset(task for task in made.problem.task_index if len(made.active_of(task, at)) > 1)
    return replace(made, replicated=twice | {one.id for one in made.problem.sources}, failures=FailureModel.PESSIMISTIC)


# ---- who stands where


def check_in_force(made: Promised, where: Where, fix: str) -> None:
    """Whether replicas are where the plan has them, and those are active that it activates now."""
    world = find(where)
    rows = {row.replica: row for row in world.seen().replicas if row.task in made.problem.task_index}
    homes = {replica_name(task, number): node for task, on in made.problem.placement.items() for number, node in enumerate(on)}
    active = frozenset(replica for replica, row in rows.items() if row.rank is not None)
    at = next((one.name for one in made.configurations if one.name == world.configuration), None)
    if at is None or active != made.active[at] or homes != {replica: row.node for replica, row in rows.items()}:
        wrong = "does not run as its plan asks for: its replicas are elsewhere, or others are active"
        raise Refused(NOTHING, [Complaint(world.topology, wrong, fix)])


def workers_in(where: Where) -> tuple[Placed, ...]:
    found: dict[WorkerName, Placed] = {}
    for row in find(where).seen().replicas:
        before = found.get(row.worker, Placed(row.worker, row.node, ()))
        found[row.worker] = Placed(row.worker, row.node, (*before.replicas, row.replica))
    return tuple(found.values())


def homes_of(workers: tuple[Placed, ...]) -> dict[ReplicaName, NodeName]:
    return {one: placed.node for placed in workers for one in placed.replicas}
