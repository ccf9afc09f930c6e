"""LAAR's Figure 3: two elements in a row on two nodes of one core each; all replicas all the time, and with those of the peak switched off.

Why: the smallest case shows what the whole is about, and a run on this machine can be laid beside the simulated one.
Called by: __main__; live has the same on real nodes.
"""

from random import Random

from benchmarks.laar.settings import STRETCH_S
from benchmarks.laar.simulated import switching, trace
from benchmarks.planning.store import Row
from levee.planning.completeness import baselines, exact
from levee.planning.problem import Edge, Goal, Plan, Problem, SourceTask, Task
from levee.topology.graph import Configuration, Late, Node
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId, ZoneName, task_id
from levee.worlds.simulated.casting import wanted_of
from levee.worlds.simulated.flow import Flow
from levee.worlds.simulated.play import Played, played
from levee.worlds.simulated.world import SimulatedWorld

LOW, HIGH = 4.0, 8.0  # rows/s
COST_S = 0.1
GOAL = 0.6  # of which the plan reaches 2/3
VARIANTS = {"SR": "static replication", "adaptive": "adaptive replication"}
NODES = (NodeName("node-1"), NodeName("node-2"))


def simulated(variant: str, seconds: float) -> Row:
    problem = drawn()
    plan = plan_of(problem, variant)
    found = played(SimulatedWorld(Flow(problem), wanted_of(problem, plan), Random("pipeline")), trace(problem, seconds))
    times_ms = switching(found, plan) if seconds == STRETCH_S else {}
    times_s = {f"{name}_s": None if ms is None else ms / 1_000 for name, ms in times_ms.items()}
    return {"variant": variant, **told(found), **times_s}


def drawn() -> Problem:
    """Figure 1."""
    source = OperatorName("readings")
    first, second = TaskId("pe1/0"), TaskId("pe2/0")
    return Problem(
        sources=(SourceTask(task_id(source, 0), source, (LOW, HIGH), Late.SKIP),),
        tasks=(
            Task(first, OperatorName("pe1"), (Edge(task_id(source, 0), 1.0, COST_S),), Late.SKIP),
            Task(second, OperatorName("pe2"), (Edge(first, 1.0, COST_S),), Late.SKIP),
        ),
        configurations=tuple(
            Configuration(ConfigurationName(name), part, {source: rate}) for name, part, rate in (("low", 0.8, LOW), ("high", 0.2, HIGH))
        ),
        nodes=tuple(Node(name, ZoneName(name), 1.0) for name in NODES),
        placement={first: NODES, second: NODES},
        replicas=2,
        sinks=(second,),
    )


def plan_of(problem: Problem, variant: str) -> Plan:
    found = baselines.static(problem) if variant == "SR" else exact.solve(problem, Goal(GOAL)).plan
    assert found is not None
    return found


def told(found: Played) -> Row:
    return {
        "at_s": [one.at_s for one in found.samples],
        "offered_per_s": [one.rows_per_s for one in found.samples],
        "delivered_per_s": [one.counted.delivered / one.counted.seconds for one in found.samples],
        "cores": {"all replicas": [one.counted.cores for one in found.samples]},
    }
