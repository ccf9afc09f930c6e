"""What the log must know of a topology: who reads whom, and what each task's policies are.

Why: roles are told, they never look it up; the epoch log knows neither Spark nor Kubernetes nor the resource.
Called by: every role; made by the worker from the plan, and by the simulation.
"""

from dataclasses import dataclass

from levee.topology.names import OperatorName, TaskId
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.values import Shape


@dataclass(frozen=True, slots=True)
class TaskWiring:
    task: TaskId
    operator: OperatorName
    inputs: tuple[TaskId, ...] = ()
    skips_late: bool = False  # late: skip
    skips_errors: bool = False  # onError: skip
    may_adopt: bool = True  # onDivergence: resync
    checkpoint_every: int = 10
    checkpoint_offset: int = 0  # tasks publish at different epochs, so that they do not all publish at once
    keep: int = 3
    sink: bool = False
    parts: tuple[int | None, ...] = ()  # of each input's epochs, the part that is read; None, or nothing at all: the whole

    @property
    def is_source(self) -> bool:
        return not self.inputs

    def part_of(self, task: TaskId) -> int | None:
        return self.parts[self.inputs.index(task)] if self.parts else None


@dataclass(frozen=True, slots=True)
class Wiring:
    layout: Layout
    times: Times
    tasks: dict[TaskId, TaskWiring]
    graph: str = ""  # the drawing of it all, as control records carry it

    def computes(self, shape: Shape) -> bool:
        """Whether epochs of that shape are this wiring's work. Records of early versions have no drawing, and no other graph either."""
        return not self.graph or not shape.graph.startswith("{") or shape.graph == self.graph

    def sources(self) -> tuple[TaskId, ...]:
        return tuple(task for task, wiring in self.tasks.items() if wiring.is_source)

    def consumers(self, task: TaskId) -> tuple[TaskId, ...]:
        return tuple(other for other, wiring in self.tasks.items() if task in wiring.inputs)

    def downstream(self, task: TaskId) -> tuple[TaskId, ...]:
        """Everything that depends on a task, however far away."""
        found: dict[TaskId, None] = {}
        ahead = list(self.consumers(task))
        while ahead:
            nearest = ahead.pop()
            if nearest not in found:
                found[nearest] = None
                ahead += self.consumers(nearest)
        return tuple(found)
