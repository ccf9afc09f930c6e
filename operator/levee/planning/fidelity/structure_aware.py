"""Algorithm 5 of Su and Zhou: plan sub-topologies apart, and spend each further replica where it pays most.

Why: the paper's best heuristic and the one that ours must never fall below.
Called by: levee plan, fidelity.exact for an incumbent, benchmarks of planning.

Where the listing leaves freedom: a sub-topology is planned as if all others were alive; its first plan may use one replica per operator of
it, and counts with what it really uses. The gain of a further step is measured on the whole topology, and anew after every step, since it
depends on what the others have; the steps themselves are computed anew only where the plan has changed. A full sub-topology is expanded
by one task at a time, a structured one by whatever fits into what is left.
"""

from dataclasses import dataclass

from levee.planning.fidelity.decompose import sub_topologies
from levee.planning.fidelity.full import plan_full
from levee.planning.fidelity.model import Model
from levee.planning.fidelity.plan import ActivePlan, Metric, named, out_of_time
from levee.planning.fidelity.problem import FidelityProblem
from levee.planning.fidelity.structured import Structured
from levee.planning.result import Result, Status, Stop

Tasks = frozenset[int]


def solve(problem: FidelityProblem, budget: int, *, metric: Metric = Metric.OF, stop: Stop = Stop()) -> Result[ActivePlan]:
    """Nothing, as in the paper, if the budget is below one replica per operator."""
    model = Model(problem, metric)
    plan: Tasks = frozenset()
    if budget >= len(problem.operators):
        plan = _Growth(
            [_Part(model, part.operators, None if part.is_full else Structured(model, part)) for part in sub_topologies(problem)]
        ).run(model, budget, stop)
    return Result(named(problem, plan), model.value(plan), None, Status.FEASIBLE)


@dataclass(slots=True)
class _Part:
    """A sub-topology, its plan and the next step from there."""

    model: Model
    operators: frozenset[int]
    structured: Structured | None  # None: a full one
    plan: Tasks = frozenset()
    next: Tasks = frozenset()

    def grown(self, budget: int) -> Tasks:
        if self.structured is not None:
            return self.structured.step(self.plan, budget)
        return plan_full(self.model, self.operators, self.plan, min(budget, 1) if self.plan else budget)

    def start(self) -> None:
        self.plan = self.grown(len(self.operators))

    def look_ahead(self, left: int) -> None:
        self.next = self.grown(left)

    @property
    def cost(self) -> int:
        return len(self.next) - len(self.plan)


@dataclass(frozen=True, slots=True)
class _Growth:
    parts: list[_Part]

    def run(self, model: Model, budget: int, stop: Stop) -> Tasks:
        for part in self.parts:
            part.start()
        for part in self.parts:
            part.look_ahead(budget - len(self.whole))
        while not out_of_time(stop):
            best = self._best(model, budget - len(self.whole))
            if best is None:
                break
            best.plan = best.next
            left = budget - len(self.whole)
            for part in self.parts:
                if part is best or part.cost > left:  # what does not fit any more may have a smaller step
                    part.look_ahead(left)
        return self.whole

    @property
    def whole(self) -> Tasks:
        return frozenset[int]().union(*(part.plan for part in self.parts))

    def _best(self, model: Model, left: int) -> _Part | None:
        """The part whose next step gains most per replica."""
        fitting = [part for part in self.parts if 0 < part.cost <= left]
        if not fitting:
            return None
        whole = self.whole
        before, *values = model.values_of([whole, *(whole | part.next for part in fitting)])
        gains = [round((value - before) / part.cost, 12) for value, part in zip(values, fitting, strict=True)]
        return fitting[gains.index(max(gains))]
