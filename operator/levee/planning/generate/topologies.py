"""Random topologies as PPA's evaluation describes them (Su and Zhou, section VI-C).

Why: the fidelity optimisers are compared on them, panel by panel of its Figure 14.
Called by: benchmarks of planning, and tests that want a topology of realistic shape.

The paper gives 5-10 operators, uniform or Zipf (s = 0.1) work within an operator, structured or full topologies, no or half of the
operators joins, and parallelism from "different ranges". Read so, where it is silent: sources count among the operators; there is one
sink operator; every other operator feeds one of the next three on the way to it, and with probability `sharing` two of them; half joins
means half of the operators that are not sources, or as many of them as have two inputs; the ranges of parallelism are 1-5, 5-10 and 10-20;
every source emits 1,000 rows/s per task and selectivities are 1. A mixed topology has full edges and others with equal odds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from levee.topology.graph import (
    Configuration,
    FailureModel,
    FaultTolerance,
    Input,
    Late,
    Operator,
    Partitioning,
    RateLevel,
    Sink,
    Source,
    Strategy,
    Target,
    Topology,
)
from levee.topology.names import ConfigurationName, OperatorName

OPERATORS = range(5, 11)
REACH = 3  # An operator feeds one of the next three.
ZIPF_EXPONENT = 0.1
ROWS_PER_S = 1000.0  # of each source task


class Shape(StrEnum):
    STRUCTURED = "structured"  # no full edge
    FULL = "full"  # nothing but full edges
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Setting:
    """One curve of a panel of Figure 14."""

    name: str
    skewed: bool = True
    parallelism: tuple[int, int] = (1, 10)
    shape: Shape = Shape.MIXED
    joins: float = 0.5  # of the operators that are not sources
    sharing: float = 0.2  # probability that an operator feeds a second one


SETTINGS: tuple[Setting, ...] = (
    Setting("a uniform", skewed=False),
    Setting("a zipf", skewed=True),
    Setting("b 1-5", parallelism=(1, 5)),
    Setting("b 5-10", parallelism=(5, 10)),
    Setting("b 10-20", parallelism=(10, 20)),
    Setting("c structured", shape=Shape.STRUCTURED),
    Setting("c full", shape=Shape.FULL),
    Setting("d no joins", joins=0.0),
    Setting("d half joins", joins=0.5),
)
RATIOS = (0.2, 0.4, 0.6, 0.8)  # active replicas per task


def corpus(seed: int, setting: Setting, count: int = 100) -> Iterator[Topology]:
    """Topologies of one setting."""
    for index in range(count):
        yield generate(seed, setting, index)


def generate(seed: int, setting: Setting, index: int) -> Topology:
    """One of the corpus; it depends on nothing but the seed, the setting and the index."""
    return topology(Random(f"topology {seed} {setting.name} {index}"), setting)


def topology(rng: Random, setting: Setting) -> Topology:
    """One random topology with one sink operator."""
    drawn = _Wiring(rng, setting).draw()
    names = [OperatorName(f"o{place}") for place in range(len(drawn.counts))]
    joins = _joins(rng, drawn.origins, setting)
    sources = tuple(
        Source(names[place], _levels(width), width, _shares(rng, width, setting), Late.TENTATIVE)
        for place, width in enumerate(drawn.counts)
        if not drawn.origins[place]
    )
    operators = tuple(
        Operator(
            names[place],
            tuple(Input(names[origin], drawn.partitioning(origin, place), 1.0, 1e-5) for origin in drawn.origins[place]),
            width,
            _shares(rng, width, setting),
            place in joins,
            Late.TENTATIVE,
        )
        for place, width in enumerate(drawn.counts)
        if drawn.origins[place]
    )
    return _topology(setting, sources, operators)


def _topology(setting: Setting, sources: tuple[Source, ...], operators: tuple[Operator, ...]) -> Topology:
    rates = {source.name: source.levels[0].rows_per_s for source in sources}
    return Topology(
        name=setting.name.replace(" ", "-"),
        namespace="default",
        sources=sources,
        operators=operators,
        sinks=(Sink(OperatorName("sink"), operators[-1].name),),
        configurations=(Configuration(ConfigurationName("c0"), 1.0, rates),),
        wanted=FaultTolerance(Strategy.FIDELITY, 2, Target(budget=0), FailureModel.PESSIMISTIC, 3600.0),
        nodes=(),
        capacity_cores=2.0,
        pinned={},
    )


def _levels(width: int) -> tuple[RateLevel, ...]:
    return (RateLevel("c0", ROWS_PER_S * width, 1.0),)


def _shares(rng: Random, width: int, setting: Setting) -> tuple[float, ...]:
    """Equal, or Zipf's in random order."""
    masses = [1 / rank**ZIPF_EXPONENT if setting.skewed else 1.0 for rank in range(1, width + 1)]
    rng.shuffle(masses)
    return tuple(mass / sum(masses) for mass in masses)


def _joins(rng: Random, origins: list[list[int]], setting: Setting) -> frozenset[int]:
    able = [place for place, read in enumerate(origins) if len(read) >= 2]
    wanted = round(setting.joins * sum(bool(read) for read in origins))
    return frozenset(rng.sample(able, min(wanted, len(able))))


class _Wiring:
    """Who reads whom, how, and with how many tasks; operators are numbered towards the sink, which is the last."""

    def __init__(self, rng: Random, setting: Setting) -> None:
        self.rng, self.setting = rng, setting
        self.counts = [0] * rng.choice(OPERATORS)
        self.origins: list[list[int]] = [[] for _ in self.counts]
        self.full: set[tuple[int, int]] = set()

    def draw(self) -> "_Wiring":
        """From the sink upwards, so that every operator finds the widths of those that it feeds."""
        for place in reversed(range(len(self.counts))):
            targets = self._targets(place)
            self.full |= {(place, target) for target in targets if self._is_full()}
            if not self._fitting(place, targets):
                targets = targets[:1]  # No width fits both: feed one only.
            self.counts[place] = self.rng.choice(self._fitting(place, targets))
            for target in targets:
                self.origins[target].insert(0, place)
        return self

    def _targets(self, place: int) -> list[int]:
        later = range(place + 1, min(place + 1 + REACH, len(self.counts)))
        wanted = 2 if self.rng.random() < self.setting.sharing else 1
        return self.rng.sample(later, min(wanted, len(later)))

    def _is_full(self) -> bool:
        match self.setting.shape:
            case Shape.STRUCTURED:
                return False
            case Shape.FULL:
                return True
            case Shape.MIXED:
                return self.rng.random() < 0.5

    def _fitting(self, place: int, targets: list[int]) -> list[int]:
        """Widths in the range, multiples or divisors of every structured consumer's; more, fewer or as many by equal odds."""
        low, high = self.setting.parallelism
        bound = [self.counts[target] for target in targets if (place, target) not in self.full]
        fitting = [count for count in range(low, high + 1) if all(count % other == 0 or other % count == 0 for other in bound)]
        if not bound:
            return fitting
        kinds = [[count for count in fitting if (count > bound[0]) - (count < bound[0]) == sign] for sign in (-1, 0, 1)]
        return self.rng.choice([kind for kind in kinds if kind] or [[]])

    def partitioning(self, origin: int, place: int) -> Partitioning:
        producers, consumers = self.counts[origin], self.counts[place]
        if (origin, place) in self.full:
            return Partitioning.FULL
        if producers == consumers:
            return Partitioning.ONE_TO_ONE
        return Partitioning.SPLIT if consumers > producers else Partitioning.MERGE
