"""A thin wrapper round HiGHS: a mixed-integer program as plain lists, solved on one thread, stoppable, with its bound.

Why: the rest of the exact solver speaks of tasks and nodes, and only this module of HiGHS.
Called by: completeness.milp, which builds programs; completeness.exact and completeness.explain, which have them solved.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf, isfinite

import highspy
import numpy as np

from levee.planning.result import Stop

FEASIBILITY = 1e-8  # Rows are met within this; a plan is evaluated anew afterwards, with whole numbers.
SECOND_S_WORTH = 50_000  # Nonzeros that HiGHS presolves in a second; 25 times as many took two minutes.
GAP = 1e-6  # Relative: what counts as proven.

Terms = Mapping[int, float]  # column -> coefficient


@dataclass(slots=True)
class Program:
    """Minimise cost.x + offset under lower <= row.x <= upper; grows column by column and row by row."""

    cost: list[float] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    whole: list[bool] = field(default_factory=list)
    row_lower: list[float] = field(default_factory=list)
    row_upper: list[float] = field(default_factory=list)
    rows: list[Terms] = field(default_factory=list)
    offset: float = 0.0
    nonzeros: int = 0

    def column(self, *, cost: float = 0.0, lower: float = 0.0, upper: float = 1.0, whole: bool = False) -> int:
        self.cost.append(cost)
        self.lower.append(lower)
        self.upper.append(upper)
        self.whole.append(whole)
        return len(self.cost) - 1

    def row(self, terms: Terms, *, at_least: float = -inf, at_most: float = inf) -> None:
        self.rows.append(terms)
        self.nonzeros += len(terms)
        self.row_lower.append(at_least)
        self.row_upper.append(at_most)


class Outcome(StrEnum):
    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came out: the best values found (or none), their objective and the proven bound."""

    outcome: Outcome
    values: tuple[float, ...] | None
    objective: float | None
    bound: float | None
    nodes: int


def stopped(stop: Stop) -> bool:
    return stop.asked() or stop.remaining_s() <= 0


def hopeless(program: Program, stop: Stop) -> bool:
    """Whether time is over, or will be before HiGHS looks at the clock: presolve does not, and takes long where a program is large."""
    return stopped(stop) or (program.nonzeros / SECOND_S_WORTH) ** 1.5 > stop.remaining_s()


Heard = Callable[[float | None, float | None], None]  # (objective, bound) so far


def run(program: Program, stop: Stop, *, start: Terms | None = None, nodes_max: int | None = None, heard: Heard | None = None) -> Answer:
    """Solve, from a start (the whole columns' values) if there is one, until proven, out of nodes or told to stop."""
    answer = _run(program, stop, start, nodes_max, heard)
    if start and answer.nodes == 0 and answer.outcome is not Outcome.STOPPED:
        return _run(program, stop, None, nodes_max, heard)  # HiGHS 1.15 may call a start the optimum when presolve alone solves the rest.
    return answer


def _run(program: Program, stop: Stop, start: Terms | None, nodes_max: int | None, heard: Heard | None) -> Answer:
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    _set_options(solver, stop.remaining_s(), nodes_max)
    solver.passModel(_lp(program))
    if start:
        solver.setSolution(len(start), np.array(list(start), dtype=np.int32), np.array(list(start.values()), dtype=float))
    _listen(solver, stop, heard)
    solver.run()
    return _answer(solver, any(program.whole))


def _set_options(solver: highspy.Highs, remaining_s: float, nodes_max: int | None) -> None:
    options: dict[str, bool | int | float | str] = {
        "output_flag": False,
        "threads": 1,
        "parallel": "off",
        "mip_allow_restart": False,  # 75 s instead of 121 s on 13 hard problems: one run each, on a busy machine.
        "mip_rel_gap": GAP,
        "mip_abs_gap": GAP / 10,
        "mip_feasibility_tolerance": FEASIBILITY,
        "primal_feasibility_tolerance": FEASIBILITY,
    }
    if isfinite(remaining_s):
        options["time_limit"] = max(remaining_s, 0.0)
    if nodes_max is not None:
        options["mip_max_nodes"] = nodes_max
    for name, value in options.items():
        solver.setOptionValue(name, value)


def _lp(program: Program) -> highspy.HighsLp:
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(program.cost), len(program.rows)
    lp.col_cost_, lp.offset_ = np.array(program.cost, dtype=float), program.offset
    lp.col_lower_, lp.col_upper_ = np.array(program.lower, dtype=float), np.array(program.upper, dtype=float)
    lp.row_lower_, lp.row_upper_ = np.array(program.row_lower, dtype=float), np.array(program.row_upper, dtype=float)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.cumsum([0, *(len(row) for row in program.rows)]).astype(np.int32)
    lp.a_matrix_.index_ = np.array([column for row in program.rows for column in row], dtype=np.int32)
    lp.a_matrix_.value_ = np.array([value for row in program.rows for value in row.values()], dtype=float)
    lp.integrality_ = [highspy.HighsVarType.kInteger if whole else highspy.HighsVarType.kContinuous for whole in program.whole]
    return lp


def _listen(solver: highspy.Highs, stop: Stop, heard: Heard | None) -> None:
    """HiGHS asks between its steps whether to go on; that is also where progress is told."""
    last: list[tuple[float | None, float | None]] = [(None, None)]

    def ask(event: highspy.highs.HighsCallbackEvent) -> None:
        if stop.asked() and event.data_in is not None:
            event.data_in.user_interrupt = True

    def ask_and_tell(event: highspy.highs.HighsCallbackEvent) -> None:
        ask(event)
        now = (_finite(event.data_out.mip_primal_bound), _finite(event.data_out.mip_dual_bound))
        if heard is not None and now != last[0]:
            last[0] = now
            heard(*now)

    solver.cbMipInterrupt += ask_and_tell
    solver.cbSimplexInterrupt += ask


def _answer(solver: highspy.Highs, whole: bool) -> Answer:
    info, status = solver.getInfo(), solver.getModelStatus()
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    values = tuple(solver.getSolution().col_value) if found else None
    objective = _finite(info.objective_function_value) if found else None
    bound = _finite(info.mip_dual_bound) if whole else objective
    return Answer(_outcome(status), values, objective, bound, max(info.mip_node_count, 0))


def _outcome(status: highspy.HighsModelStatus) -> Outcome:
    match status:
        case highspy.HighsModelStatus.kOptimal | highspy.HighsModelStatus.kModelEmpty:
            return Outcome.OPTIMAL
        case highspy.HighsModelStatus.kInfeasible:
            return Outcome.INFEASIBLE
        case _:
            return Outcome.STOPPED


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
