"""FT-Search, the depth-first search of LAAR (Bellavista et al., section 4.5): two replicas, the pessimistic failure model, anytime.

Why: the published way to find these plans, and so the baseline for every other; faithful in what it prunes, and as fast as we can make it.
Called by: levee plan, and the benchmarks of planning.

The tree is cut near its root into more pieces than there are threads; they share the cost to beat. The paper's classes are
BST = optimal, SOL = feasible, NUL = infeasible, TMO = unknown.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import inf, isfinite
from threading import Lock

import numpy as np

from levee.planning.completeness import ftsearch_kernel as kernel
from levee.planning.completeness.ftsearch_compile import SLICE
from levee.planning.completeness.ftsearch_order import arranged, order
from levee.planning.completeness.ftsearch_tables import BOTH, FAITHFUL, Floats, Ints, Pruning, State, Tables, branch, fresh, tables
from levee.planning.completeness.model import Model
from levee.planning.problem import Goal, Plan, Problem
from levee.planning.result import Progress, Result, Status, Stop
from levee.topology.graph import FailureModel

PIECES_PER_THREAD = 32  # Pieces differ in size by orders of magnitude.


def solve(
    problem: Problem, goal: Goal, *, stop: Stop | None = None, threads: int = 1, prunings: Pruning = FAITHFUL, full_first: bool = True
) -> Result[Plan]:
    """The cheapest plan that reaches the goal, or the best found when told to stop."""
    if problem.replicas != 2 or goal.failures is not FailureModel.PESSIMISTIC or goal.penalty is not None:
        raise ValueError("FT-Search knows two replicas, the pessimistic failure model and a goal that must be reached")
    model = Model(arranged(problem))
    run = _Run(model, tables(model, goal, prunings, full_first), stop or Stop())
    done = _search_whole(run) if threads == 1 else _search_pieces(run, threads)
    return _result(run, problem, done)


@dataclass
class _Run:
    """What the searches of one tree share; everything but the incumbent is changed under the lock."""

    model: Model
    tables: Tables
    stop: Stop
    incumbent: Floats = field(default_factory=lambda: np.array([inf]))
    lock: Lock = field(default_factory=Lock)
    best: Ints | None = None
    cost: float = inf
    counters: dict[str, float] = field(default_factory=dict)
    pruned: Ints = field(default_factory=lambda: np.zeros(len(Pruning), dtype=np.int64))
    height: Ints = field(default_factory=lambda: np.zeros(len(Pruning), dtype=np.int64))
    nodes: int = 0

    def __post_init__(self) -> None:
        self.remaining_s = self.stop.remaining_s()

    def over(self) -> bool:
        return self.stop.asked() or self.stop.remaining_s() <= 0

    def found(self, state: State) -> None:
        """Keep a complete plan if it is the cheapest so far."""
        cost = float(state.cost[-1])
        with self.lock:
            if cost < self.cost:
                self.best, self.cost = state.value.copy(), cost
                self._note(cost)
                self.stop.report(Progress(cost, float(state.cost[0])))

    def _note(self, cost: float) -> None:
        self.counters.setdefault("first_cost", cost)
        self.counters["plans"] = self.counters.get("plans", 0) + 1
        if isfinite(self.remaining_s):
            seconds = self.remaining_s - self.stop.remaining_s()
            self.counters.setdefault("first_seconds", seconds)
            self.counters["best_seconds"] = seconds

    def add(self, state: State) -> None:
        with self.lock:
            self.pruned += state.pruned
            self.height += state.height
            self.nodes += int(state.cursor[3])


def _search_whole(run: _Run) -> bool:
    return _search(run, fresh(run.model))


def _search_pieces(run: _Run, threads: int) -> bool:
    pieces = _split(run, threads * PIECES_PER_THREAD)
    with ThreadPoolExecutor(threads) as pool:
        return all([*pool.map(lambda piece: _search(run, piece), pieces)])


def _search(run: _Run, state: State) -> bool:
    """Search below the state's first level; False if it was stopped before the end."""
    outcome = kernel.PAUSED
    while outcome != kernel.DONE and not run.over():
        outcome = kernel.search(run.tables, state, run.incumbent, SLICE)
        if outcome == kernel.FOUND:
            run.found(state)
    run.add(state)
    return outcome == kernel.DONE


def _split(run: _Run, wanted: int) -> list[State]:
    """The tree's beginnings at the first level that has so many, in the order of the search."""
    state = fresh(run.model)
    pieces = [branch(state)]
    for level in range(1, len(state.value)):
        if not pieces or len(pieces) >= wanted:
            break
        state, pieces = fresh(run.model), []
        state.cursor[2] = level
        while (outcome := kernel.search(run.tables, state, run.incumbent, SLICE)) != kernel.DONE:
            if outcome == kernel.FOUND:
                pieces.append(branch(state))
    run.add(state)  # What the last round pruned, no piece will prune again.
    return pieces


def _result(run: _Run, problem: Problem, done: bool) -> Result[Plan]:
    counters = run.counters | {"nodes": float(run.nodes)}
    for bit, pruning in enumerate(Pruning):
        name = str(pruning.name).lower()
        counters[f"pruned_{name}"] = float(run.pruned[bit])
        counters[f"height_{name}"] = float(run.height[bit] / max(1, run.pruned[bit]))
    least = float(fresh(run.model).cost[0])
    if run.best is None:
        return Result(None, None, None, Status.INFEASIBLE if done else Status.UNKNOWN, counters=counters)
    status = Status.OPTIMAL if done else Status.FEASIBLE
    return Result(_plan(run.model, problem, run.best), run.cost, run.cost if done else least, status, counters=counters)


def _plan(model: Model, problem: Problem, values: Ints) -> Plan:
    """The values of all levels as activations, back in the problem's order of configurations and tasks."""
    both, alone = frozenset({0, 1}), (frozenset({0}), frozenset({1}))
    rows = values.reshape(len(problem.configurations), -1)[np.argsort(order(model))]
    rows = rows[:, [model.problem.task_index[task.id] for task in problem.tasks]]
    return Plan(tuple(tuple(both if v == BOTH else alone[v] for v in row) for row in rows.tolist()), problem.placement)
