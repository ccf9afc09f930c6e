"""The applications of section 5.2, and the six ways to replicate them.

Called by: plans, simulated, live.
"""

from collections.abc import Mapping
from random import Random

from benchmarks.laar.settings import HOSTS, RESERVED, TASKS, VARIANTS
from levee.planning.completeness import baselines
from levee.planning.generate.applications import application
from levee.planning.problem import Active, Plan, Problem

CODES = {frozenset({0}): "0", frozenset({1}): "1", frozenset({0, 1}): "2"}  # of the replicas of one task that are active
ACTIVE = {code: active for active, code in CODES.items()}


def drawn(seed: int, index: int) -> Problem:
    """It depends on nothing but the seed and its index."""
    return application(Random(f"laar {seed} {index}"), hosts=HOSTS, tasks=TASKS)


def written(active: Active) -> str:
    """A digit for each task, configuration by configuration."""
    return "/".join("".join(CODES[one] for one in row) for row in active)


def read(text: str) -> Active:
    return tuple(tuple(ACTIVE[code] for code in row) for row in text.split("/"))


def plans(problem: Problem, adaptive: Mapping[str, str | None]) -> dict[str, Plan]:
    """Of every variant; `adaptive` has those of L.5, L.6 and L.7 as they are written, and those with a reserve where there are any."""
    found = {name: Plan(read(text), problem.placement) for name, text in adaptive.items() if text is not None}
    found |= {
        "NR": baselines.non_replicated(problem, found["L.5"]),
        "SR": baselines.static(problem),
        "GRD": baselines.greedy(problem),
    }
    return {name: found[name] for name in (*VARIANTS, *RESERVED) if name in found}
