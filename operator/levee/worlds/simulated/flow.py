"""Who sends rows to whom, how many, and how long its queue is: a problem's graph, by numbers instead of names.

Why: a simulated step goes along every edge of the graph, some thousand times for a few minutes; looking up names would be most of it.
Called by: `rows`, which moves them; `world`.
"""

from dataclasses import dataclass, field

from levee.planning.completeness.model import Model
from levee.planning.problem import Problem
from levee.topology.graph import Late
from levee.topology.names import OperatorName, TaskId

QUEUE_S = 2.0  # of rows in the configuration with the most of them, as in LAAR's experiments (section 5.2)
ROWS_MIN = 1.0


@dataclass(frozen=True, slots=True)
class Port:
    """One stream that a task reads; sources are numbered below zero: ~0, ~1, ..."""

    producer: int
    fraction: float
    selectivity: float
    cost_s: float
    rows_max: float  # what its queue holds


@dataclass(frozen=True, slots=True)
class Flow:
    problem: Problem
    queue_s: float = QUEUE_S
    ports: tuple[tuple[Port, ...], ...] = field(init=False)  # per task
    waits: tuple[bool, ...] = field(init=False)  # per task: below its stream nothing is in time while nobody computes it
    delivers: tuple[bool, ...] = field(init=False)
    shares: tuple[tuple[OperatorName, float], ...] = field(init=False)  # per source task: of which source's rows, and how many of them
    gains: tuple[float, ...] = field(init=False)  # per source task: rows that all tasks together read for each of its own
    after: tuple[float, ...] = field(init=False)  # per task: rows that all tasks below it read for each of those that it emits
    index: dict[TaskId, int] = field(init=False)  # of tasks; sources below zero

    def __post_init__(self) -> None:
        problem, model = self.problem, Model(self.problem)
        index = {source.id: ~number for number, source in enumerate(problem.sources)} | dict(problem.task_index)
        most = {number: float(model.rates[1][:, number].max()) for number in range(len(problem.tasks))}
        most |= {~number: max(source.rows_per_s) for number, source in enumerate(problem.sources)}

        def port(producer: int, selectivity: float, cost_s: float, fraction: float) -> Port:
            return Port(producer, fraction, selectivity, cost_s, max(ROWS_MIN, self.queue_s * fraction * most[producer]))

        found = {
            "ports": tuple(tuple(port(*edge) for edge in edges) for edges in model.inputs),
            "waits": tuple(task.late is Late.WAIT for task in problem.tasks),
            "delivers": tuple(task.id in problem.sinks for task in problem.tasks),
            "shares": tuple((source.operator, share_of(problem, number)) for number, source in enumerate(problem.sources)),
            "index": index,
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)
        below = self.rows_below()
        object.__setattr__(self, "gains", tuple(below[~number] for number in range(len(problem.sources))))
        object.__setattr__(self, "after", tuple(below[number] for number in range(len(problem.tasks))))

    def rows_below(self) -> dict[int, float]:
        """Of each stream, for one row of it, where nothing fails: the formulas are linear."""
        found = dict.fromkeys(range(-len(self.shares), len(self.ports)), 0.0)
        for task in reversed(range(len(self.ports))):
            for port in self.ports[task]:
                found[port.producer] += port.fraction * self.worth(port, found[task])
        return found

    @staticmethod
    def worth(port: Port, after: float) -> float:
        """Of a row in its queue: itself, and those that all tasks below read because of it."""
        return 1 + port.selectivity * after


def share_of(problem: Problem, source: int) -> float:
    """Of its operator's rows; it is the same in every configuration."""
    task = problem.sources[source]
    pairs = zip(task.rows_per_s, problem.configurations, strict=True)
    return next((rows / one.rows_per_s[task.operator] for rows, one in pairs if one.rows_per_s[task.operator] > 0), 1.0)
