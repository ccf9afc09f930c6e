"""The exact fidelity optimiser: frontiers where operands are private, branching on the values of shared ones.

Why: never worse than the paper's heuristics (it starts from their plans), always with a bound, and in most topologies proven optimal
at once. The method, and why it is exact: docs/design/fidelity.md.
Called by: levee plan, benchmarks of planning.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from levee.planning.fidelity import greedy, structure_aware
from levee.planning.fidelity.factor import factored
from levee.planning.fidelity.frontier import EPSILON
from levee.planning.fidelity.model import Model
from levee.planning.fidelity.plan import ActivePlan, Metric, named, numbered, out_of_time
from levee.planning.fidelity.polish import improved
from levee.planning.fidelity.prices import priced
from levee.planning.fidelity.problem import FidelityProblem
from levee.planning.fidelity.relaxation import ANY, Box, Relaxation
from levee.planning.fidelity.trace import Relaxed, relaxed_in
from levee.planning.result import Progress, Result, Status, Stop

TOLERANCE = 1e-9  # of objective and bound, both between 0 and 1
NARROW = 0.2  # Intervals of atoms that depend on unsettled ones are not cut finer: what they depend on has to be settled.


def solve(problem: FidelityProblem, budget: int, *, metric: Metric = Metric.OF, stop: Stop = Stop()) -> Result[ActivePlan]:
    """The best plan with at most `budget` active replicas, or the best so far with a bound when stopped."""
    budget = max(0, min(budget, len(problem.tasks)))
    model = Model(problem, metric)
    search = _Search(model, priced(factored(problem, metric), budget, stop), budget)
    for heuristic in (structure_aware.solve, greedy.solve):
        search.try_plan(numbered(problem, heuristic(problem, budget, metric=metric, stop=stop).plan or ActivePlan(frozenset())))
    bound = search.run(stop)
    status = Status.OPTIMAL if bound <= search.objective + TOLERANCE else Status.FEASIBLE
    return Result(named(problem, search.best), search.objective, bound, status, counters={"boxes": search.boxes})


@dataclass
class _Search:
    model: Model
    relaxation: Relaxation
    budget: int
    best: frozenset[int] = frozenset()
    objective: float = 0.0
    open_boxes: list[tuple[float, int, Box, Relaxed]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)  # boxes with equal bounds: the older first
    boxes: int = 0

    def run(self, stop: Stop) -> float:
        """The proven bound."""
        self.open(({},))
        while self.open_boxes and self.bound > self.objective + TOLERANCE:
            if out_of_time(stop):
                return self.bound
            _, _, box, relaxed = heapq.heappop(self.open_boxes)
            self.open(split(self.relaxation, box, relaxed))
            stop.report(Progress(self.objective, self.bound))
        return self.objective

    @property
    def bound(self) -> float:
        return max(self.objective, -self.open_boxes[0][0]) if self.open_boxes else self.objective

    def open(self, boxes: tuple[Box, ...]) -> None:
        for box in boxes:
            relaxed = relaxed_in(self.relaxation, box)
            self.boxes += 1
            if relaxed is None or relaxed.bound <= self.objective + TOLERANCE:
                continue
            self.try_plan(relaxed.tasks)
            if relaxed.bound > self.objective + TOLERANCE:
                heapq.heappush(self.open_boxes, (-relaxed.bound, next(self.numbers), box, relaxed))

    def try_plan(self, tasks: frozenset[int]) -> None:
        plan = improved(self.model, tasks, self.budget) if self.boxes < 20 or self.boxes % 16 == 0 else tasks
        if len(plan) <= self.budget:
            value = self.model.value(plan)
            if value > self.objective:
                self.best, self.objective = plan, value


def split(relaxation: Relaxation, box: Box, relaxed: Relaxed) -> tuple[Box, ...]:
    """Two boxes that hold every plan of this one, between the values that the uses of one shared atom want."""
    if not relaxed.chosen:
        return ()
    atom = chosen_atom(relaxation, box, relaxed)
    low, high = box.get(atom, ANY)
    middle = (min(relaxed.chosen[atom]) + max(relaxed.chosen[atom])) / 2
    if not is_final(relaxation, atom, relaxed):
        middle = min(max(middle, low + NARROW / 4), high - NARROW / 4)
        return ({**box, atom: (low, middle)}, {**box, atom: (middle, high)})
    values = relaxation.own(atom, box).values  # Only these can be optimal, so the halves need not touch.
    below = float(values[values <= middle + EPSILON].max(initial=low))
    above = float(values[values > middle + EPSILON].min(initial=high))
    if below >= high:  # all uses want the most: that, or less
        below, above = float(values[values < high - EPSILON].max(initial=low)), high
    return ({**box, atom: (low, max(below, low))}, {**box, atom: (min(max(above, low), high), high)})


def chosen_atom(relaxation: Relaxation, box: Box, relaxed: Relaxed) -> int:
    """The one whose uses differ most, weighted by how many they are.

    Atoms whose frontier still depends on others count only while their interval is wide.
    """
    spread = {atom: max(values) - min(values) for atom, values in relaxed.chosen.items()}
    final = [atom for atom in spread if is_final(relaxation, atom, relaxed)]
    wide = [atom for atom in spread if atom not in final and box.get(atom, ANY)[1] - box.get(atom, ANY)[0] > NARROW]
    torn = [atom for atom in (*final, *wide) if spread[atom] > TOLERANCE]
    return max(torn or final, key=lambda atom: (spread[atom] * (len(relaxation.prices[atom]) - 1), -atom))


def is_final(relaxation: Relaxation, atom: int, relaxed: Relaxed) -> bool:
    """Is all settled that the atom is made of, so that its frontier is that of the true problem?"""
    return relaxed.chosen.keys().isdisjoint(relaxation.below[atom])
