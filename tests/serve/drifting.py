"""What one seed of an adaptation stands for: a topology, what is true of it later, what is known of that, and what befalls its operators.

Why: everything random about a run is drawn here, first, so that a failing seed can be printed and understood.
Called by: `adapting_trial`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Any

from levee.control.seen import Observation
from levee.topology.names import TaskId
from levee.worlds.measuring import Told

DWELL_S, LOOK_S = 180, 30
CALM_S = 85 * 60  # at the end nothing changes; what was measured before is forgotten after an hour
CORES = 2.0
LATER_S = 35 * 60  # for one who comes then, and begins to measure
FUNCTION = "levee_spark.examples.pipeline:clean"


@dataclass(frozen=True, slots=True)
class Phase:
    seconds: int
    rate: float
    cost: float  # times what was declared
    rates_known: bool = True
    spent_known: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """Of a node's size, or an edit of what is promised."""

    at_s: int
    node: int = 0  # 0: none
    cores: float = CORES
    completeness: float = 0.0


@dataclass(frozen=True, slots=True)
class Scenario:
    seed: int
    spec: Mapping[str, Any]
    costs: tuple[float, ...]  # of operators, as declared
    phases: tuple[Phase, ...]
    changes: tuple[Change, ...]
    kills: float  # the probability of a death before and after each write
    another: bool  # in the end another operator comes


def draw(seed: int) -> Scenario:
    random = Random(f"adaptation {seed}")
    high = random.choice((40.0, 100.0))
    likely = random.choice((0.3, 0.5, 0.9))
    costs = tuple(round(random.uniform(0.2, 1.0) / high, 5) for _ in range(random.randint(1, 2)))
    levels = [{"name": "low", "rate": 10, "probability": likely}, {"name": "high", "rate": high, "probability": 1 - likely}]
    phases = tuple(drawn_phases(random, high))
    spec = {
        "sources": [{"name": "market", "spark": {"format": "rate"}, "configurations": levels}],
        "operators": list(operators(costs)),
        "sinks": [{"name": "out", "from": f"part-{len(costs)}", "spark": {"format": "console"}}],
        "adaptation": {"policy": "apply", "dwell": f"{DWELL_S}s"},
        "faultTolerance": {"target": {"completeness": random.choice((0.05, 0.3, 0.6))}},
    }
    kills, another = random.choice((0.0, 0.02, 0.1, 0.3)), random.random() < 0.4
    return Scenario(seed, spec, costs, phases, tuple(drawn_changes(random, phases)), kills, another)


def operators(costs: Sequence[float]) -> Iterator[dict[str, Any]]:
    for number, cost in enumerate(costs, start=1):
        origin = f"part-{number - 1}" if number > 1 else "market"
        yield {"name": f"part-{number}", "function": FUNCTION, "inputs": [{"from": origin, "cost": f"{cost * 1e6:.0f}us"}]}


def drawn_phases(random: Random, high: float) -> Iterator[Phase]:
    """The last one is what stays, and all of it is known."""

    def truth() -> tuple[float, float]:
        return random.choice((10.0, 10.0, 0.6 * high, high, 1.3 * high)), random.choice((0.4, 1.0, 1.0, 1.6))

    for _ in range(random.randint(1, 3)):
        rate, cost = truth()
        yield Phase(random.randint(240, 1_200), rate, cost)
        yield Phase(random.randint(0, 600), rate, cost, random.random() < 0.5, random.random() < 0.5)
    yield Phase(CALM_S, *truth())


def drawn_changes(random: Random, phases: Sequence[Phase]) -> Iterator[Change]:
    until = sum(one.seconds for one in phases) - CALM_S
    for _ in range(random.randint(0, 2)):
        yield Change(random.randint(0, until), node=random.randint(1, 3), cores=random.choice((0.8, 1.5, CORES)))
    if random.random() < 0.3:
        yield Change(random.randint(0, until), completeness=random.choice((0.1, 0.4)))


@dataclass(slots=True)
class Truth:
    """What comes, and what that costs; and what is told of it."""

    scenario: Scenario
    now_s: int = 0
    rows: float = 0.0
    cpu_s: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.cpu_s = [0.0] * len(self.scenario.costs)

    @property
    def phase(self) -> Phase:
        ends = accumulate(one.seconds for one in self.scenario.phases)
        return next((one for one, end in zip(self.scenario.phases, ends, strict=True) if self.now_s < end), self.scenario.phases[-1])

    def pass_by(self, seconds: int) -> None:
        phase, self.now_s = self.phase, self.now_s + seconds
        self.rows += phase.rate * seconds
        self.cpu_s = [spent + phase.rate * seconds * cost * phase.cost for spent, cost in zip(self.cpu_s, self.scenario.costs, strict=True)]

    def told(self, sources: Sequence[TaskId], _seen: Observation) -> Told:
        """Its rate, as a Teller tells it."""
        if not self.phase.rates_known:
            return Told({}, "nobody has said one")
        return Told(dict.fromkeys(sources, self.phase.rate))

    def spent(self) -> dict[str, dict[str, Any] | None]:
        return {f"pod-{number}": self.of_operator(number) if self.phase.spent_known else None for number in range(1, len(self.cpu_s) + 1)}

    def of_operator(self, number: int) -> dict[str, Any]:
        read = {f"part-{number - 1}" if number > 1 else "market": self.rows}
        spent = self.cpu_s[number - 1]
        replica = {"replica": f"part-{number}/0/0", "operator": f"part-{number}", "busy_s": spent, "read": read, "emitted": self.rows}
        return {"worker": f"pod-{number}", "attempt": 1, "cpu_s": spent, "replicas": [replica]}
