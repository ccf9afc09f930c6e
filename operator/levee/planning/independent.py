"""What a plan keeps on average when nodes fail independently of each other.

Why: the promise is made for the worst case; people also ask what to expect.
Called by: levee plan --node-failure-probability; the evidence of the planning benches.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from random import Random
from statistics import fmean, stdev

from levee.planning.completeness.model import Model, completeness_under, outside
from levee.planning.problem import Plan
from levee.topology.names import NodeName

NODES_EXACT_MAX = 12  # 4,096 combinations of lost nodes
SAMPLES = 4000


@dataclass(frozen=True, slots=True)
class Expected:
    completeness: float
    half_width: float  # of the 95 % confidence interval; 0 where all combinations were counted


def expected_completeness(model: Model, plan: Plan, node_failure_probability: float, rng: Random) -> Expected:
    """All combinations of lost nodes where they are few, else the mean of a sample drawn with `rng`."""
    names = tuple(node.name for node in model.problem.nodes)
    if len(names) <= NODES_EXACT_MAX:
        weighted = ((weight, _kept(model, plan, lost)) for lost, weight in _all(names, node_failure_probability))
        return Expected(sum(weight * kept for weight, kept in weighted), 0.0)
    draws = [frozenset(name for name in names if rng.random() < node_failure_probability) for _ in range(SAMPLES)]
    worth = {lost: _kept(model, plan, lost) for lost in dict.fromkeys(draws)}  # most draws lose nothing or one node
    kept = [worth[lost] for lost in draws]
    return Expected(fmean(kept), 1.96 * stdev(kept) / sqrt(SAMPLES))


def _all(names: tuple[NodeName, ...], probability: float) -> Iterator[tuple[frozenset[NodeName], float]]:
    for count in range(len(names) + 1):
        weight = probability**count * (1 - probability) ** (len(names) - count)
        yield from ((frozenset(lost), weight) for lost in combinations(names, count))


def _kept(model: Model, plan: Plan, lost: frozenset[NodeName]) -> float:
    return completeness_under(model, plan.active, outside(model.problem, plan.placement, lost))
