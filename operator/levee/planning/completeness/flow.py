"""Rows in time as columns: what reaches a task flows along the edges from tasks that go on, as fractions of the failure-free rates.

Why: the completeness is linear in these flows, and one column per edge (not per task) makes the relaxation tighter.
Called by: completeness.milp, once per configuration and failure scenario.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from levee.planning.completeness.highs import Program
from levee.planning.completeness.model import Model
from levee.planning.problem import Problem
from levee.topology.graph import Late

KEPT, LOST = -1, -2  # In the place of a column: always one, always zero.
Below = set[tuple[int, int]]  # (a, b): column a is known to be at most column b


@dataclass(slots=True)
class Promise:
    """The completeness under one scenario: constant + sum of coefficient x column."""

    constant: float = 0.0
    terms: dict[int, float] = field(default_factory=dict)

    def add(self, column: int, weight: float) -> None:
        if column == KEPT:
            self.constant += weight
        elif column != LOST:
            self.terms[column] = self.terms.get(column, 0.0) + weight


def waits_above(problem: Problem) -> tuple[frozenset[int], ...]:
    """Per task the nearest tasks above that wait: while one of them is lost, nothing reaches it in time."""
    gates: list[frozenset[int]] = []
    for task in problem.tasks:
        above: set[int] = set()
        for edge in task.inputs:
            if (producer := problem.task_index.get(edge.producer)) is not None:
                above |= {producer} if problem.tasks[producer].late is Late.WAIT else gates[producer]
        gates.append(frozenset(above))
    return tuple(gates)


def fed(model: Model, configuration: int, task: int) -> list[tuple[int, float, float]]:
    """The producers that send a task rows: (producer, rows read, rows emitted for them), without failures."""
    found: list[tuple[int, float, float]] = []
    for producer, selectivity, _, fraction in model.inputs[task]:
        emitted = model.rates[1][configuration, producer] if producer >= 0 else model.source_rows[configuration, ~producer]
        rows = fraction * float(emitted)
        if rows > 0:
            found.append((producer, rows, selectivity * rows))
    return found


def add_flow(program: Program, model: Model, configuration: int, alive: Sequence[int], below: Below, promise: Promise) -> None:
    """Let rows flow through the tasks that are `alive` (a column, KEPT or LOST each) and count them in the promise."""
    weight = float(model.probability[configuration]) / model.best_rows_per_s
    emits: list[int] = []
    for task, column in enumerate(alive):
        out: dict[int, float] = {}
        for producer, rows, emitted in fed(model, configuration, task):
            lane = _lane(program, column, emits[producer] if producer >= 0 else KEPT, below)
            promise.add(lane, weight * rows)
            out[lane] = out.get(lane, 0.0) + emitted
        emits.append(_emitted(program, out))


def _lane(program: Program, alive: int, upstream: int, below: Below) -> int:
    """The fraction of an edge's rows that is read in time: the product of the reader's state and what its producer emits."""
    if LOST in (alive, upstream):
        return LOST
    if upstream in (KEPT, alive) or (alive, upstream) in below:
        return alive
    if alive == KEPT:
        return upstream
    lane = program.column()
    program.row({lane: 1.0, alive: -1.0}, at_most=0.0)
    program.row({lane: 1.0, upstream: -1.0}, at_most=0.0)
    return lane


def _emitted(program: Program, out: dict[int, float]) -> int:
    """The fraction of a task's output that is emitted in time: its lanes, weighted by what they would contribute."""
    total = sum(out.values())
    shares = {lane: rows / total for lane, rows in out.items() if rows > 0 and lane != LOST}
    if not shares:
        return LOST
    if len(shares) == 1 and len(out) == 1:
        return next(iter(shares))
    constant = shares.pop(KEPT, 0.0)
    column = program.column()
    program.row({column: 1.0, **{lane: -part for lane, part in shares.items()}}, at_least=constant, at_most=constant)
    return column
