"""LAAR's Figure 1 in the simulated world, and generated applications.

Called by: the tests of the simulated world.
"""

from collections.abc import Iterable
from random import Random

from levee.planning.problem import Edge, Plan, Problem, SourceTask, Task
from levee.topology.graph import Configuration, Late, Node
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId, ZoneName, task_id
from levee.worlds.simulated.casting import wanted_of
from levee.worlds.simulated.faults import Fault
from levee.worlds.simulated.flow import Flow
from levee.worlds.simulated.pace import Pace
from levee.worlds.simulated.play import Played, played
from levee.worlds.simulated.trace import Trace, as_declared
from levee.worlds.simulated.world import SimulatedWorld

LOW, HIGH = ConfigurationName("low"), ConfigurationName("high")
READINGS, ONE, TWO = task_id(OperatorName("readings"), 0), TaskId("pe1/0"), TaskId("pe2/0")
BOTH = frozenset({0, 1})
EXACT = Pace(jitter=0.0, noise=0.0)


def pipeline(late: Late = Late.SKIP) -> Problem:
    """Two tasks of 100 ms a row, each with a replica on either of two nodes of one core; 4 or 8 rows/s."""
    source = OperatorName("readings")
    nodes = (NodeName("node-1"), NodeName("node-2"))
    return Problem(
        sources=(SourceTask(READINGS, source, (4.0, 8.0), late),),
        tasks=(
            Task(ONE, OperatorName("pe1"), (Edge(READINGS, 1.0, 0.1),), late),
            Task(TWO, OperatorName("pe2"), (Edge(ONE, 1.0, 0.1),), late),
        ),
        configurations=(Configuration(LOW, 0.8, {source: 4.0}), Configuration(HIGH, 0.2, {source: 8.0})),
        nodes=tuple(Node(name, ZoneName(name), 1.0) for name in nodes),
        placement={ONE: nodes, TWO: nodes},
        replicas=2,
        sinks=(TWO,),
    )


def adaptive(problem: Problem) -> Plan:
    """As in LAAR's Figure 2b: at the high rate one replica of each."""
    return Plan(((BOTH, BOTH), (frozenset({0}), frozenset({1}))), problem.placement)


def static(problem: Problem) -> Plan:
    return Plan(((BOTH, BOTH), (BOTH, BOTH)), problem.placement)


def low_high_low(problem: Problem, seconds: float = 100.0) -> Trace:
    low, high = problem.configurations
    return as_declared(((seconds, low), (seconds, high), (seconds, low)))


def world_of(problem: Problem, plan: Plan, seed: int = 1, pace: Pace = EXACT) -> SimulatedWorld:
    return SimulatedWorld(Flow(problem), wanted_of(problem, plan), Random(seed), pace)


def play(problem: Problem, plan: Plan, faults: Iterable[Fault] = (), seed: int = 1, pace: Pace = EXACT) -> Played:
    return played(world_of(problem, plan, seed, pace), low_high_low(problem), faults)
