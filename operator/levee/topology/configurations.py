"""The configurations a topology lives through: the sources' rate levels and their joint distribution.

Why: planner and checks must name, multiply and normalise them alike.
Called by: topology.convert, topology.checks.rates.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from math import prod

from levee.topology.graph import Configuration, RateLevel
from levee.topology.names import ConfigurationName, OperatorName
from levee.topology.spec import Spec
from levee.topology.streams import Source

TOLERANCE = 1e-6  # of sums of probabilities and shares
CONFIGURATIONS_MAX = 4096


def adds_up(fractions: Sequence[float]) -> bool:
    return abs(sum(fractions) - 1) <= TOLERANCE


def normalised(fractions: Sequence[float]) -> tuple[float, ...]:
    """What adds up within the tolerance, adding up to one."""
    total = sum(fractions)
    return tuple(fraction / total for fraction in fractions)


def level_names(source: Source) -> tuple[str, ...]:
    return tuple(level.name or f"c{index}" for index, level in enumerate(source.configurations))


def joint_names(spec: Spec) -> tuple[str, ...]:
    return tuple(joint.name or f"c{index}" for index, joint in enumerate(spec.configurations))


def rate_levels(spec: Spec, source: Source) -> tuple[RateLevel, ...]:
    """As declared, or where only the joint table speaks of the source, as that implies."""
    if source.configurations:
        probabilities = normalised([level.probability for level in source.configurations])
        names = level_names(source)
        return tuple(RateLevel(n, level.rate, p) for n, level, p in zip(names, source.configurations, probabilities, strict=True))
    return tuple(RateLevel(f"c{index}", rate, p) for index, (rate, p) in enumerate(sorted(marginals(spec, source.name).items())))


def marginals(spec: Spec, source: str) -> dict[float, float]:
    """Rate -> probability of one source in the joint table."""
    found: dict[float, float] = defaultdict(float)
    for joint, probability in zip(spec.configurations, normalised([joint.probability for joint in spec.configurations]), strict=True):
        found[joint.rates[source]] += probability
    return dict(found)


def configurations(spec: Spec) -> tuple[Configuration, ...]:
    return _explicit(spec) if spec.configurations else _independent(spec)


def _explicit(spec: Spec) -> tuple[Configuration, ...]:
    probabilities = normalised([joint.probability for joint in spec.configurations])
    return tuple(
        Configuration(
            ConfigurationName(name), probability, {OperatorName(source.name): joint.rates[source.name] for source in spec.sources}
        )
        for name, probability, joint in zip(joint_names(spec), probabilities, spec.configurations, strict=True)
    )


def _independent(spec: Spec) -> tuple[Configuration, ...]:
    names = [OperatorName(source.name) for source in spec.sources]
    return tuple(
        Configuration(
            ConfigurationName("+".join(level.name for level in levels)),
            prod(level.probability for level in levels),
            {name: level.rows_per_s for name, level in zip(names, levels, strict=True)},
        )
        for levels in product(*(rate_levels(spec, source) for source in spec.sources))
    )
