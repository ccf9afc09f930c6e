"""The topology that campaigns in the simulated world are tried on: two operators on three nodes in two zones, each with two replicas.

Why: every document of a campaign meets the same one, small enough for thousands of lives and large enough for a refuge and a lost zone.
Called by: trial, `levee fit`.
"""

from dataclasses import replace
from functools import cache
from random import Random

from levee.control.wanted import Wanted
from levee.fit.whom import Place
from levee.lifecycle.failures import Terms
from levee.lifecycle.machine import Machine
from levee.planning.problem import Edge, Plan, Problem, SourceTask, Task
from levee.topology.graph import Configuration, Late, Node
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId, ZoneName
from levee.worlds.simulated.casting import wanted_of
from levee.worlds.simulated.flow import Flow
from levee.worlds.simulated.living.deeds import DIVISIBLE
from levee.worlds.simulated.living.life import Life
from levee.worlds.simulated.pace import Pace
from levee.worlds.simulated.world import SimulatedWorld

TOPOLOGY = "shop/clicks"
READINGS, CLEAN, COUNT = TaskId("clicks/0"), TaskId("clean/0"), TaskId("count/0")
NODES = {"node-1": "zone-a", "node-2": "zone-b", "node-3": "zone-b"}
BOTH, FIRST = frozenset({0, 1}), frozenset({0})
BACKOFF_MS = 3_000
PACE = Pace(step_ms=1_000, turn_ms=1_000, start_ms=2_000, resync_ms=1_000, noise=0.0)


@cache
def problem() -> Problem:
    source = OperatorName("clicks")
    one, two, three = map(NodeName, NODES)
    return Problem(
        sources=(SourceTask(READINGS, source, (4.0, 8.0), Late.WAIT),),
        tasks=(
            Task(CLEAN, OperatorName("clean"), (Edge(READINGS, 1.0, 0.05),), Late.WAIT),
            Task(COUNT, OperatorName("count"), (Edge(CLEAN, 1.0, 0.05),), Late.WAIT),
        ),
        configurations=(
            Configuration(ConfigurationName("low"), 0.8, {source: 4.0}),
            Configuration(ConfigurationName("high"), 0.2, {source: 8.0}),
        ),
        nodes=tuple(Node(NodeName(name), ZoneName(zone), 2.0) for name, zone in NODES.items()),
        placement={CLEAN: (one, two), COUNT: (two, three)},
        replicas=2,
        sinks=(COUNT,),
    )


@cache
def plans() -> tuple[Wanted, Wanted]:
    """Of even and odd generations: all active, and all but one where there is much to do."""
    whole = problem()
    static = Plan(((BOTH, BOTH), (BOTH, BOTH)), whole.placement)
    lean = Plan(((BOTH, BOTH), (BOTH, FIRST)), whole.placement)
    return wanted_of(whole, static), wanted_of(whole, lean)


@cache
def place() -> Place:
    homes = {replica: str(placed.node) for placed in plans()[0].workers for replica in placed.replicas}
    return Place(TOPOLOGY, dict(sorted(homes.items())), NODES, DIVISIBLE)


def terms(machine: Machine) -> Terms:
    """A first pause of some turns: there is time to do something in it."""
    return Terms(replace(machine.budget, backoff_ms=BACKOFF_MS))


def life(machine: Machine, seed: int) -> Life:
    world = SimulatedWorld(Flow(problem()), plans()[0], Random(f"world {seed}"), PACE)
    world.flow_at(dict(problem().configurations[0].rows_per_s))
    return Life(machine, plans(), world, terms(machine))
