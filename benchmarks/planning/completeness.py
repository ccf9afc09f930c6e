"""Measure the completeness optimisers on random applications: the exact solver and FT-Search on the same problems.

Called by: __main__.
"""

import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.planning.runner import Row, measure, stop_after, stop_after_cpu
from benchmarks.planning.settings import GOALS, Mode
from levee.planning.completeness import exact, ftsearch, joint
from levee.planning.completeness.verify import verify
from levee.planning.generate.applications import generate
from levee.planning.problem import Goal, Plan, Problem
from levee.planning.result import Result
from levee.topology.graph import FailureModel

MODEL_GOALS = (0.5, 0.7, 0.9)
MODEL_TASKS_MAX = 48  # The failure models and the placements are compared on applications of at most so many tasks.
MODEL_LIMIT_S = 20.0


def run_exact(mode: Mode, folder: Path, jobs: int) -> list[Row]:
    keys = [(mode.seed, index, goal, mode.exact_limit_s) for index in range(mode.applications) for goal in GOALS]
    return measure("exact", folder, keys, exact_row, jobs)


def run_search(mode: Mode, folder: Path, threads: int) -> list[Row]:
    search_row(mode.seed, 0, GOALS[0], mode.search_limit_s, threads)  # Compiles the kernel, which is not what is measured.
    keys = [(mode.seed, index, goal, mode.search_limit_s, threads) for index in range(mode.applications) for goal in GOALS]
    return measure("ft-search", folder, keys, search_row, 1)


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


def exact_row(seed: int, index: int, goal: float, limit_s: float) -> Row:
    problem, wanted = generate(seed, index).problem, Goal(goal)
    return _timed(problem, wanted, lambda: exact.solve(problem, wanted, stop=stop_after_cpu(limit_s)))


def search_row(seed: int, index: int, goal: float, limit_s: float, threads: int) -> Row:
    problem, wanted = generate(seed, index).problem, Goal(goal)
    return _timed(problem, wanted, lambda: ftsearch.solve(problem, wanted, stop=stop_after(limit_s), threads=threads))


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
