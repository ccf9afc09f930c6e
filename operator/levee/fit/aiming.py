"""Whom a fault hits in a simulated life: the first in the order of the graph that is meant, living before planned.

Called by: striking.
"""

from levee.control.names import ReplicaName
from levee.control.seen import Phase
from levee.fit.values import Fit
from levee.topology.names import NodeName
from levee.worlds.simulated.ground import Process
from levee.worlds.simulated.living.life import Life


def processes(life: Life, fit: Fit) -> list[Process]:
    """Who can be hit."""
    phases = {Phase.READY, Phase.STARTING, Phase.SILENT}
    order = {replica: number for number, replica in enumerate(replicas(life, fit))}
    found = [one for one in life.world.ground.processes.values() if one.phase in phases and fit.target.node in {"", one.order.node}]
    return sorted(
        (one for one in found if any(replica in order for replica in one.order.replicas)),
        key=lambda one: min(order[replica] for replica in one.order.replicas if replica in order),
    )


def replicas(life: Life, fit: Fit) -> list[ReplicaName]:
    wanted, target = life.world.wanted, fit.target
    tasks = [task for task in wanted.replicas if task not in wanted.sources] + list(wanted.sources)
    mine = [one for task in tasks if target.task in {"", task} for one in wanted.replicas[task]]
    return [one for one in mine if target.replica in {"", one}]


def homes(life: Life) -> dict[ReplicaName, NodeName]:
    planned = {one: placed.node for placed in life.world.wanted.workers for one in placed.replicas}
    living = (one for one in life.world.ground.processes.values() if one.phase is not Phase.ENDED)
    return planned | {replica: one.order.node for one in living for replica in one.order.replicas}


def replica(life: Life, fit: Fit) -> ReplicaName:
    there = homes(life)
    return next((one for one in replicas(life, fit) if fit.target.node in {"", there[one]}), replicas(life, fit)[0])


def node(life: Life, fit: Fit) -> NodeName:
    return NodeName(fit.target.node) if fit.target.node else homes(life)[replica(life, fit)]


def zone(life: Life, fit: Fit) -> list[NodeName]:
    zones = {name: str(zone) for name, zone in life.world.wanted.zones.items()}
    hit = fit.target.zone or zones[node(life, fit)]
    return [name for name, zone in zones.items() if zone == hit]
