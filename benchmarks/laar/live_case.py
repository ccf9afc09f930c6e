"""What a live run is of: the pipeline of Figure 3 or a generated application, static or adaptive.

Called by: live, live_topology.
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import count, islice
from random import Random

from benchmarks.laar import pipeline
from benchmarks.laar.planned import is_apart
from benchmarks.laar.settings import GOALS, TASKS
from levee.planning.completeness import exact
from levee.planning.generate.applications import application
from levee.planning.problem import Edge, Goal, Problem

PERIOD_MS = 1_000
LOW_NAME, HIGH_NAME = "low", "high"
ROOM = {"pipeline": 0.8, "application": 0.5}  # of a core is for the rows; what Levee and Spark need themselves has the rest


@dataclass(frozen=True, slots=True)
class Case:
    what: str  # pipeline | application
    seed: int
    index: int
    variant: str  # SR | adaptive | L.5
    stretch_s: float

    @property
    def epochs_of_each(self) -> int:
        return round(1_000 * self.stretch_s / PERIOD_MS)

    @property
    def wanted(self) -> str:
        if self.variant == "SR":
            return "strategy: static"
        return f"target: {{completeness: {GOALS.get(self.variant, pipeline.GOAL)}}}"

    def problem(self) -> Problem:
        """On two nodes: this machine has to have a core for each."""
        if self.what == "pipeline":
            return smaller(pipeline.drawn(), ROOM["pipeline"])
        return smaller(generated(self.seed, self.index), ROOM["application"])


@cache
def generated(seed: int, index: int) -> Problem:
    """The so many-th with rates that can be told apart and a plan for half of its rows."""
    problems = (application(Random(f"laar live {seed} {number}"), hosts=2, tasks=TASKS) for number in count())
    return next(islice(filter(is_runnable, problems), index, None))


def is_runnable(problem: Problem) -> bool:
    return is_apart(problem) and exact.solve(problem, Goal(GOALS["L.5"])).plan is not None


def smaller(problem: Problem, room: float) -> Problem:
    """Rows that cost less on nodes with as much less: the plans are the same."""
    tasks = (replace(task, inputs=tuple(cheaper(edge, room) for edge in task.inputs)) for task in problem.tasks)
    nodes = (replace(node, capacity_cores=room * node.capacity_cores) for node in problem.nodes)
    return replace(problem, tasks=tuple(tasks), nodes=tuple(nodes))


def cheaper(edge: Edge, room: float) -> Edge:
    return replace(edge, cost_s=room * edge.cost_s)
