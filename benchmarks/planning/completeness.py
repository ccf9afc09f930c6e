"""Measure the completeness optimisers on random applications, all on the same problems.

Called by: run.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.planning.runner import measure, stop_after, stop_after_cpu
from benchmarks.planning.settings import GOALS, Mode
from benchmarks.planning.store import Row
from levee.planning.completeness import exact, ftsearch, joint
from levee.planning.completeness.verify import verify
from levee.planning.generate.applications import generate
from levee.planning.problem import Goal, Plan, Problem
from levee.planning.result import Result, Stop
from levee.topology.graph import FailureModel

MODEL_GOALS = (0.5, 0.7, 0.9)
MODEL_TASKS_MAX = 48  # The failure models and the placements are compared on applications of at most so many tasks.
MODEL_LIMIT_S = 20.0


@dataclass(frozen=True, slots=True)
class Optimiser:
    label: str
    solve: Callable[[Problem, Goal, Stop, int], Result[Plan]]  # the last: its threads
    limit_s: Callable[[Mode], float]
    alone: bool  # It has every core, and its time is wall time; else one thread, and CPU time.

    @property
    def clock(self) -> str:
        return "seconds" if self.alone else "cpu_seconds"


def _exactly(problem: Problem, goal: Goal, stop: Stop, _: int) -> Result[Plan]:
    return exact.solve(problem, goal, stop=stop)


def _by_search(problem: Problem, goal: Goal, stop: Stop, threads: int) -> Result[Plan]:
    return ftsearch.solve(problem, goal, stop=stop, threads=threads)


OPTIMISERS = {  # Whoever stands here is measured, and is in the tables and figures. The page's text compares the first two.
    "exact": Optimiser("exact solver", _exactly, lambda mode: mode.exact_limit_s, alone=False),
    "ft-search": Optimiser("FT-Search", _by_search, lambda mode: mode.search_limit_s, alone=True),
}


def run(mode: Mode, folder: Path, jobs: int) -> dict[str, list[Row]]:
    return {name: _run(name, optimiser, mode, folder, jobs) for name, optimiser in OPTIMISERS.items()}


def _run(name: str, optimiser: Optimiser, mode: Mode, folder: Path, jobs: int) -> list[Row]:
    threads = jobs if optimiser.alone else 1
    problems = [(mode.seed, index, goal) for index in range(mode.applications) for goal in GOALS]
    keys = [(name, *problem, optimiser.limit_s(mode), threads) for problem in problems]
    if optimiser.alone:
        row(*keys[0])  # What is compiled at first use is not what is measured.
    return measure(name, folder, keys, row, 1 if optimiser.alone else jobs)


def run_models(mode: Mode, folder: Path, jobs: int) -> list[Row]:
    small = _small(mode, mode.models)
    keys = [(mode.seed, index, goal, model.value, MODEL_LIMIT_S) for index in small for goal in MODEL_GOALS for model in FailureModel]
    return measure("models", folder, keys, model_row, jobs)


def run_joint(mode: Mode, folder: Path, jobs: int) -> list[Row]:
    keys = [(mode.seed, index, goal, MODEL_LIMIT_S) for index in _small(mode, mode.joint) for goal in MODEL_GOALS]
    return measure("joint", folder, keys, joint_row, jobs)


def _small(mode: Mode, count: int) -> list[int]:
    fitting = (i for i in range(600) if len(generate(mode.seed, i).problem.tasks) <= MODEL_TASKS_MAX)
    return [index for index, _ in zip(fitting, range(count), strict=False)]


def row(name: str, seed: int, index: int, goal: float, limit_s: float, threads: int) -> Row:
    optimiser, problem, wanted = OPTIMISERS[name], generate(seed, index).problem, Goal(goal)
    stop = stop_after if optimiser.alone else stop_after_cpu
    return _timed(problem, wanted, lambda: optimiser.solve(problem, wanted, stop(limit_s), threads))


def model_row(seed: int, index: int, goal: float, failures: str, limit_s: float) -> Row:
    problem, wanted = generate(seed, index).problem, Goal(goal, FailureModel(failures))
    return _timed(problem, wanted, lambda: exact.solve(problem, wanted, stop=stop_after_cpu(limit_s)))


def joint_row(seed: int, index: int, goal: float, limit_s: float) -> Row:
    problem, wanted = generate(seed, index).problem, Goal(goal)
    return _timed(problem, wanted, lambda: joint.solve(problem, wanted, stop=stop_after(limit_s)), moved=True)


def _timed(problem: Problem, goal: Goal, solve: Callable[[], Result[Plan]], *, moved: bool = False) -> Row:
    begin, begin_cpu = time.perf_counter(), time.process_time()
    result = solve()
    seconds, cpu_seconds = time.perf_counter() - begin, time.process_time() - begin_cpu
    return {
        "goal": goal.completeness,
        "failures": goal.failures.value,
        "status": result.status.value,
        "objective": result.objective,
        "bound": result.bound,
        "gap": result.gap,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "tasks": len(problem.tasks),
        "verified": result.plan is None or not verify(problem, result.plan, goal=goal, moved=moved),
        "counters": dict(result.counters),
    }
