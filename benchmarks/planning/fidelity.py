"""Measure the fidelity optimisers on random topologies, panel by panel of PPA's Figure 14.

Called by: run.
"""

import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from benchmarks.planning.runner import measure, stop_after_cpu
from benchmarks.planning.settings import RATIOS, Mode
from benchmarks.planning.store import Row
from levee.planning.fidelity import exact, greedy, structure_aware
from levee.planning.fidelity.plan import ActivePlan
from levee.planning.fidelity.problem import FidelityProblem, fidelity_problem
from levee.planning.fidelity.verify import verify
from levee.planning.generate.topologies import SETTINGS, generate
from levee.planning.result import Result, Stop

Solver = Callable[[FidelityProblem, int, Stop], Result[ActivePlan]]

SOLVERS: dict[str, Solver] = {  # Whoever stands here is measured, and is in the tables and figures.
    "greedy": lambda problem, budget, stop: greedy.solve(problem, budget, stop=stop),
    "structure-aware": lambda problem, budget, stop: structure_aware.solve(problem, budget, stop=stop),
    "ours": lambda problem, budget, stop: exact.solve(problem, budget, stop=stop),
}


def run(mode: Mode, folder: Path, jobs: int) -> list[Row]:
    """A row per setting, topology and ratio, with what each solver found."""
    keys = [
        (mode.seed, setting.name, index, ratio, mode.fidelity_limit_s)
        for setting in SETTINGS
        for index in range(mode.topologies)
        for ratio in RATIOS
    ]
    return measure("fidelity", folder, keys, row, jobs)


def row(seed: int, setting: str, index: int, ratio: float, limit_s: float) -> Row:
    problem = _problem(seed, setting, index)
    budget = round(ratio * len(problem.tasks))
    found = {name: _timed(problem, budget, solver, limit_s) for name, solver in SOLVERS.items()}
    return {"setting": setting, "ratio": ratio, "tasks": len(problem.tasks), **found}


def _timed(problem: FidelityProblem, budget: int, solver: Solver, limit_s: float) -> Row:
    begin = time.process_time()
    result = solver(problem, budget, stop_after_cpu(limit_s))
    seconds = time.process_time() - begin
    return {
        "status": result.status.value,
        "objective": result.objective,
        "bound": result.bound,
        "cpu_seconds": seconds,
        "verified": not verify(problem, result, budget),
    }


@lru_cache(maxsize=4)
def _problem(seed: int, setting: str, index: int) -> FidelityProblem:
    wanted = next(one for one in SETTINGS if one.name == setting)
    return fidelity_problem(generate(seed, wanted, index))
