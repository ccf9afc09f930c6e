"""The plans of one application after another, until there are as many as wanted for which all of them exist.

Why: planning takes as long as a simulation, and is the same whatever is changed in the controller.
Called by: run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.laar.applications import drawn, written
from benchmarks.laar.settings import GOALS, RESERVE, Mode
from benchmarks.planning.runner import measure, stop_after_cpu
from benchmarks.planning.store import Row
from levee.control.space import SLACK, covers
from levee.planning.completeness import exact
from levee.planning.problem import Goal, Problem
from levee.topology.graph import Target

MORE = 10


@dataclass(frozen=True, slots=True)
class Drawn:
    """Applications by their index, with their plans as they are written; and how many were drawn in vain."""

    chosen: Sequence[tuple[int, dict[str, str]]]
    close: int  # the controller could not tell their rates apart
    unplanned: int  # no plan has the completeness of L.7


def planned(mode: Mode, folder: Path, jobs: int) -> Drawn:
    count, found = mode.applications, Drawn((), 0, 0)
    while len(found.chosen) < mode.applications:
        rows = measure("plans", folder, [(mode.seed, index, mode.plan_limit_s) for index in range(count)], row, jobs)
        found, count = counted(rows, mode.applications), count + MORE
    return found


def counted(rows: Sequence[Row], wanted: int) -> Drawn:
    good = [one for one in rows if one["plans"] and all(one["plans"][name] is not None for name in GOALS)][:wanted]
    looked_at = [one for one in rows if not good or one["index"] <= good[-1]["index"]]
    close = sum(not one["plans"] for one in looked_at)
    return Drawn([(one["index"], one["plans"]) for one in good], close, len(looked_at) - close - len(good))


def row(seed: int, index: int, limit_s: float) -> Row:
    """Where there is none for what is asked for and a reserve, there is one without."""
    problem = drawn(seed, index)
    goals = {**GOALS, **{f"{name}+": with_reserve(goal) for name, goal in GOALS.items()}} if is_apart(problem) else {}
    results = {name: exact.solve(problem, Goal(goal), stop=stop_after_cpu(limit_s)) for name, goal in goals.items()}
    return {
        "index": index,
        "plans": {name: None if one.plan is None else written(one.plan.active) for name, one in results.items()},
        "status": {name: one.status.value for name, one in results.items()},
        "gap": {name: one.gap for name, one in results.items()},
    }


def with_reserve(goal: float) -> float:
    """As `target: {completeness: ..., reserve: ...}` is planned."""
    planned = Target(completeness=goal, reserve=RESERVE).planned
    assert planned is not None
    return planned


def is_apart(problem: Problem) -> bool:
    low, high = problem.configurations
    return not covers(low.rows_per_s, high.rows_per_s, SLACK)
