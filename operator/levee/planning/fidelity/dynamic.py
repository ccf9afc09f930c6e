"""Algorithm 1 of Su and Zhou: dynamic programming over MC-trees.

Why: the paper's optimal algorithm, and the yardstick of its heuristics. It is exponential in the number of trees.
Called by: levee plan, benchmarks of planning; tests compare it with the exact solver.

The listing follows the paper's prose: resources grow by one; every candidate plan is expanded by every tree that needs exactly the
resources now at hand beyond the plan's own; a plan is dropped once no tree can need that many. Our reading: the empty plan is a candidate
from the start (a single large tree must be reachable), and the best plan is kept even when it is dropped from the candidates. Where tasks
wait, or for completeness, a plan need not be a union of MC-trees: then the result is not claimed to be optimal.
"""

from dataclasses import dataclass, field

from levee.planning.fidelity.mctrees import first_trees
from levee.planning.fidelity.model import Model
from levee.planning.fidelity.plan import ActivePlan, Metric, named, out_of_time
from levee.planning.fidelity.problem import FidelityProblem
from levee.planning.result import Progress, Result, Status, Stop

TREES_MAX = 20_000
CANDIDATES_MAX = 500_000  # in memory at once


def solve(problem: FidelityProblem, budget: int, *, metric: Metric = Metric.OF, stop: Stop = Stop()) -> Result[ActivePlan]:
    """Optimal if it comes to its end; otherwise the best union of trees that was reached."""
    found, all_found = first_trees(problem, TREES_MAX)
    programme = _Programme(Model(problem, metric), [_mask(tree) for tree in found], stop)
    finished = programme.run(min(budget, len(problem.tasks))) and all_found
    covers = metric is Metric.OF and not any(task.waits for task in problem.tasks)
    best = frozenset(_tasks(programme.best))
    optimal = finished and covers
    return Result(
        named(problem, best),
        programme.objective,
        programme.objective if optimal else None,
        Status.OPTIMAL if optimal else Status.FEASIBLE,
        counters={"trees": len(found), "candidates": programme.made},
    )


@dataclass
class _Programme:
    model: Model
    trees: list[int]  # as bit masks
    stop: Stop
    best: int = 0
    objective: float = 0.0
    made: int = 0
    plans: dict[int, None] = field(default_factory=lambda: {0: None})  # SC of the paper

    def run(self, budget: int) -> bool:
        """True: every candidate was considered."""
        for usage in range(1, budget + 1):
            new: dict[int, None] = {}
            for plan in list(self.plans):
                if out_of_time(self.stop) or len(self.plans) + len(new) > CANDIDATES_MAX:
                    self._weigh(new)
                    return False
                self._expand(plan, usage, new)
            self._weigh(new)
            self.plans |= new
            self.stop.report(Progress(self.objective, None))
        return True

    def _expand(self, plan: int, usage: int, new: dict[int, None]) -> None:
        spare, widest = usage - plan.bit_count(), 0
        for tree in self.trees:
            missing = (tree & ~plan).bit_count()
            widest = max(widest, missing)
            if missing == spare and plan | tree not in self.plans:
                new[plan | tree] = None
        if widest < spare:
            del self.plans[plan]  # No tree will ever need exactly what is left.

    def _weigh(self, new: dict[int, None]) -> None:
        self.made += len(new)
        plans = list(new)
        for start in range(0, len(plans), 4096):
            part = plans[start : start + 4096]
            values = self.model.values_of([list(_tasks(plan)) for plan in part])
            first = int(values.argmax())
            if values[first] > self.objective:
                self.best, self.objective = part[first], float(values[first])


def _mask(tree: frozenset[int]) -> int:
    return sum(1 << task for task in tree)


def _tasks(mask: int) -> list[int]:
    return [task for task in range(mask.bit_length()) if mask >> task & 1]
