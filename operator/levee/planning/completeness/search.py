"""Search for the best plan: settle who is safe with the choice of nodes relaxed, then find room; in turns with the whole program.

Why: either alone is slow somewhere. The relaxed program with cuts wins where nodes have room for most choices, the whole program
where a few heavy tasks hardly fit. They take turns, counted in nodes of the search tree and not in seconds: equal input, equal plans.
Called by: completeness.exact.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from levee.planning.completeness.highs import GAP, Answer, Heard, Outcome, Program, run, stopped
from levee.planning.completeness.milp import Milp
from levee.planning.completeness.model import Model
from levee.planning.completeness.packing import Assignment, Packing, pack
from levee.planning.result import Stop

ROUNDS, ROUNDS_GROWTH = 2, 2
NODES, NODES_GROWTH = 400, 6

Whole = Mapping[int, float]  # values of the whole columns


@dataclass(slots=True)
class Found:
    """The best so far: values of the whole columns, objective, bound, and how it ended."""

    outcome: Outcome = Outcome.STOPPED
    values: dict[int, float] | None = None
    objective: float | None = None
    bound: float | None = None
    counters: dict[str, float] = field(default_factory=dict)

    def offer(self, values: dict[int, float], objective: float) -> None:
        if self.objective is None or objective < self.objective:
            self.values, self.objective = values, objective

    def raise_bound(self, bound: float | None) -> None:
        if bound is not None and (self.bound is None or bound > self.bound):
            self.bound = bound

    def count(self, name: str, more: float = 1) -> None:
        self.counters[name] = self.counters.get(name, 0) + more

    @property
    def closed(self) -> bool:
        if self.objective is None or self.bound is None:
            return False
        return self.objective - self.bound <= GAP * abs(self.objective)


def search(model: Model, milp: Milp, stop: Stop, found: Found, heard: Heard | None = None) -> Found:
    """Improve on what is found already (nothing, or a start) until it is proven to be the best or the search is stopped."""
    packings = [Packing(model, choice) for choice in milp.choices if choice.relaxable and choice.picks]
    hear = _hearing(found, heard)
    for turn in count():
        if packings:
            _in_rounds(milp, packings, stop, found, ROUNDS * ROUNDS_GROWTH**turn, hear)
            if found.outcome is not Outcome.STOPPED or stopped(stop):
                return found
        nodes = NODES * NODES_GROWTH**turn if packings else None
        answer = run(milp.program, stop, start=found.values, nodes_max=nodes, heard=hear)
        _learn(milp.program, found, answer)
        if found.outcome is not Outcome.STOPPED or nodes is None or stopped(stop):
            return found
    raise AssertionError("count() never ends")


def _hearing(found: Found, heard: Heard | None) -> Heard:
    def hear(objective: float | None, bound: float | None) -> None:
        if heard is not None:
            best = min((o for o in (objective, found.objective) if o is not None), default=None)
            heard(best, max((b for b in (bound, found.bound) if b is not None), default=None))

    return hear


def _learn(program: Program, found: Found, answer: Answer) -> None:
    """Take over what a run of the whole program says."""
    found.count("nodes", answer.nodes)
    found.raise_bound(answer.bound)
    if answer.values is not None and answer.objective is not None:
        found.offer(whole_values(program, answer.values), answer.objective)
    if found.closed:
        found.outcome = Outcome.OPTIMAL
    elif found.values is None or answer.outcome is Outcome.OPTIMAL:
        found.outcome = answer.outcome


def whole_values(program: Program, values: tuple[float, ...]) -> dict[int, float]:
    return {column: float(round(values[column])) for column, whole in enumerate(program.whole) if whole}


def _in_rounds(milp: Milp, packings: list[Packing], stop: Stop, found: Found, rounds: int, hear: Heard) -> None:
    """Solve with the choice of nodes relaxed, look for room, cut off what finds none."""
    whole = list(milp.program.whole)
    for packing in packings:
        for at in packing.choice.picks.values():
            for column in at.values():
                whole[column] = False
    relaxed = replace(milp.program, whole=whole)  # Shares its rows with the program: cuts reach both.
    for _ in range(rounds):
        answer = run(relaxed, stop, start=_without(found.values, whole), heard=lambda _, bound: hear(None, bound))
        found.count("rounds")
        found.count("nodes", answer.nodes)
        found.raise_bound(answer.bound)
        if answer.outcome is Outcome.INFEASIBLE or found.closed:
            found.outcome = Outcome.INFEASIBLE if not found.closed else Outcome.OPTIMAL
            return
        if answer.values is None or not _round(milp, packings, answer, stop, found):
            return


def _without(values: Whole | None, whole: list[bool]) -> Whole | None:
    return None if values is None else {column: value for column, value in values.items() if whole[column]}


def _round(milp: Milp, packings: list[Packing], answer: Answer, stop: Stop, found: Found) -> bool:
    """Look for room for what the relaxed program chose; True if it pays to go on with the cuts that were added."""
    assert answer.values is not None and answer.objective is not None
    picked: dict[int, float] = {}
    cuts = 0
    for packing in packings:
        safe = frozenset(task for task, column in enumerate(packing.choice.safe) if answer.values[column] > 0.5)
        packed = pack(packing, safe, stop)
        if packed is None:
            return False
        picked |= _picked(packing, packed[0])
        for blamed in packed[1]:
            milp.program.row({packing.choice.safe[task]: 1.0 for task in blamed}, at_most=len(blamed) - 1.0)
            cuts += 1
    found.count("cuts", cuts)
    if not cuts:
        found.offer(whole_values(milp.program, answer.values) | picked, answer.objective)
        found.outcome = Outcome.OPTIMAL if found.closed else Outcome.STOPPED
    return cuts > 0 and answer.outcome is Outcome.OPTIMAL


def _picked(packing: Packing, assignment: Assignment) -> dict[int, float]:
    return {column: float(assignment.get(task) == node) for task, at in packing.choice.picks.items() for node, column in at.items()}
