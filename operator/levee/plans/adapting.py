"""The resource that a topology would have were it declared as it is measured: only what has drifted is another.

Why: whoever plans anew must not give up what was declared for what has not come lately: a peak of the evening is not measured in the
morning. So declared rates stay, with how often they held lately beside what was said of them, and what lies above all of them is added.
Called by: serve.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from math import floor, log10
from typing import Any, TypeAlias

from levee.control.following import up
from levee.control.space import SLACK, Space
from levee.planning.measured.drift import Drift, Lately, Quantity
from levee.plans.measured import COST_S_MIN, DIGITS, rounded, significant
from levee.topology.configurations import joint_names, level_names, normalised
from levee.topology.graph import Configuration
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId
from levee.topology.paths import Path
from levee.topology.rewriting import Change
from levee.topology.spec import Spec
from levee.topology.units import shown_duration

Rates: TypeAlias = Mapping[OperatorName, float]
Far: TypeAlias = Set[tuple[Quantity, OperatorName]]

DECLARED_COUNTS = 20  # stretches of time: what was declared counts as much as ten minutes in which it held
ABOVE = "above"  # a configuration that nobody has declared


def adaptations(spec: Spec, found: Lately) -> tuple[Change, ...]:
    """Of what is certainly far from what the plan was made for; nothing else."""
    far = {(one.what, one.name) for one in found.far}
    return (*rate_changes(spec, found.rates, far), *operator_changes(spec, found, far), *share_changes(spec, found, far))


def share_changes(spec: Spec, found: Lately, far: Far) -> Iterator[Change]:
    """What a task's failure takes away follows from how many rows it has."""
    for kind, streams in (("sources", spec.sources), ("operators", spec.operators)):
        for index, stream in enumerate(streams):
            name = OperatorName(stream.name)
            if (Quantity.SHARE, name) in far:
                yield Change(("spec", kind, index, "shares"), rounded(found.shares[name]))


def rate_changes(spec: Spec, rates: Sequence[Rates], far: Far) -> Iterator[Change]:
    if spec.configurations:
        if any(what is Quantity.RATE for what, _ in far):
            yield from joint_changes(spec, rates)
        return
    for index, source in enumerate(spec.sources):
        name = OperatorName(source.name)
        if (Quantity.RATE, name) in far:
            declared = [
                Configuration(ConfigurationName(level), one.probability, {name: one.rate})
                for level, one in zip(level_names(source), source.configurations, strict=True)
            ]
            rows = [{"name": one.name, "rate": one.rows_per_s[name], "probability": share} for one, share in held(declared, rates)]
            yield Change(("spec", "sources", index, "configurations"), rows)


def joint_changes(spec: Spec, rates: Sequence[Rates]) -> Iterator[Change]:
    """What sources say beside the table would have to be the same: it is left out, since the table implies it."""
    declared = [
        Configuration(ConfigurationName(name), one.probability, {OperatorName(source): rate for source, rate in one.rates.items()})
        for name, one in zip(joint_names(spec), spec.configurations, strict=True)
    ]
    rows = [{"name": one.name, "probability": share, "rates": dict(one.rows_per_s)} for one, share in held(declared, rates)]
    yield Change(("spec", "configurations"), rows)
    yield from (Change(("spec", "sources", index, "configurations"), []) for index, one in enumerate(spec.sources) if one.configurations)


def held(declared: Sequence[Configuration], rates: Sequence[Rates]) -> list[tuple[Configuration, float]]:
    """Each with how much of the time it holds: as was declared, and as it has covered what was measured."""
    space = Space(tuple(declared))
    nearest = [space.nearest({name: one[name] for name in declared[0].rows_per_s}, SLACK) for one in rates]
    above = [one for one, found in zip(rates, nearest, strict=True) if found is None]
    all_of_them = [*declared, *([highest(declared, above)] if above else [])]
    said = normalised([one.probability for one in declared])
    total = DECLARED_COUNTS + len(rates)
    shares = [(DECLARED_COUNTS * share + nearest.count(one)) / total for one, share in zip(declared, said, strict=True)]
    return list(zip(all_of_them, rounded([*shares, *([len(above) / total] if above else [])]), strict=True))


def highest(declared: Sequence[Configuration], above: Sequence[Rates]) -> Configuration:
    """What covers all that no declared one does, with the slack that there is."""
    rates = {name: max(rounded_up(max(one[name] for one in above) / (1 + SLACK)), most(declared, name)) for name in declared[0].rows_per_s}
    names = {one.name for one in declared}
    free = next(name for name in (ABOVE, *(f"{ABOVE}-{number}" for number in range(2, len(names) + 3))) if name not in names)
    return Configuration(ConfigurationName(free), 0.0, rates)


def rounded_up(rate: float) -> float:
    """Rounded down it would leave what it is made for above it, and be made again."""
    found = significant(rate)
    return found if found >= rate else significant(found + 10.0 ** (floor(log10(rate)) + 1 - DIGITS))


def most(declared: Sequence[Configuration], source: OperatorName) -> float:
    return max(one.rows_per_s[source] for one in declared)


def operator_changes(spec: Spec, found: Lately, far: Far) -> Iterator[Change]:
    known = {one.name: one for one in found.operators}
    for index, operator in enumerate(spec.operators):
        measured = known[OperatorName(operator.name)]
        for place, declared in enumerate(operator.inputs):
            one = next(one for one in measured.inputs if one.origin == declared.origin)
            path: Path = ("spec", "operators", index, "inputs", place)
            if one.selectivity is not None and (Quantity.SELECTIVITY, measured.name) in far and significant(one.selectivity.value) > 0:
                yield Change((*path, "selectivity"), significant(one.selectivity.value))
            if one.cost_s is not None and (Quantity.COST, measured.name) in far and one.cost_s.value >= COST_S_MIN:
                yield Change((*path, "cost"), shown_duration(significant(one.cost_s.value)))


def pins(declared: Mapping[str, Any], placement: Mapping[TaskId, Sequence[NodeName]], there: Sequence[NodeName]) -> Change:
    """Whose nodes are all there stay where they are: nobody begins elsewhere for a plan's convenience. Without placement: as declared."""
    kept = {str(task): [str(node) for node in nodes] for task, nodes in placement.items() if set(nodes) <= set(there)}
    return Change(("spec", "placement", "assignment"), {**declared, **kept})


def as_before(active: Mapping[ConfigurationName, Any], before: Sequence[Configuration], now: Configuration) -> Any:
    """Who is active under the plan in force at the rates of a configuration that it may not know."""
    return active[now.name] if now.name in active else active[up(Space(tuple(before)), now.rows_per_s).name]


def told(drifts: Sequence[Drift]) -> str:
    return "; ".join(one.text for one in drifts)
