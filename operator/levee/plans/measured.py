"""A measured descriptor as changes of the resource: which field would have which value.

Why: what is printed to be pasted, what is written into the file and what a topology is planned with anew must be the same numbers.
Called by: the command line; serve, which plans with them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from levee.planning.measured.descriptor import Descriptor, MeasuredOperator
from levee.planning.measured.levels import Level
from levee.plans.measured_names import joint_names, level_names
from levee.topology.paths import Path
from levee.topology.rewriting import Change
from levee.topology.spec import Spec
from levee.topology.streams import Level as Declared
from levee.topology.streams import Operator, Source
from levee.topology.units import shown_duration

DIGITS = 3
PROBABILITY_DIGITS = 3
COST_S_MIN = 1e-9  # a duration is at least a nanosecond


def changes(spec: Spec, found: Descriptor) -> tuple[Change, ...]:
    """What was not measured stays as it is."""
    if spec.configurations:
        rates = tuple(joint_changes(spec, found))
    else:
        known = {one.name: one for one in found.sources}
        placed = ((index, source, known[source.name].levels) for index, source in enumerate(spec.sources))  # type: ignore[index]
        rates = tuple(change for index, source, levels in placed for change in source_changes(index, source, levels))
    return (*rates, *operator_changes(spec, found))


def source_changes(index: int, source: Source, levels: Sequence[Level]) -> Iterator[Change]:
    """As many as were declared: each keeps its name, and whatever else is written of it. Otherwise those that are there still do."""
    if not levels:
        return
    path: Path = ("spec", "sources", index, "configurations")
    rates, probabilities = [rate_of(one) for one in levels], rounded([one.probability.value for one in levels])
    if len(levels) != len(source.configurations):
        yield Change(path, level_rows(levels, source.configurations, probabilities))
        return
    declared = sorted(range(len(levels)), key=lambda place: source.configurations[place].rate)
    for place, rate, share in zip(declared, rates, probabilities, strict=True):
        yield Change((*path, place, "rate"), rate)
        if share != source.configurations[place].probability:
            yield Change((*path, place, "probability"), share)


def level_rows(levels: Sequence[Level], declared: Sequence[Declared], shares: Sequence[float]) -> list[dict[str, Any]]:
    names = level_names([one.rate for one in levels], [(one.name, one.rate) for one in declared])
    return [named(name, {"rate": rate_of(level), "probability": share}) for name, level, share in zip(names, levels, shares, strict=True)]


def named(name: str | None, row: dict[str, Any]) -> dict[str, Any]:
    return row if name is None else {"name": name, **row}


def joint_changes(spec: Spec, found: Descriptor) -> Iterator[Change]:
    """The table anew, and what sources say beside it: it must be the same."""
    if not found.together:
        return
    shares = rounded([one.probability.value for one in found.together])
    yield Change(("spec", "configurations"), joint_rows(spec, found, shares))
    for index, source in enumerate(spec.sources):
        if source.configurations:
            own = [one.name for one in found.sources].index(source.name)  # type: ignore[arg-type]
            levels = found.sources[own].levels
            within = [
                round(sum(share for one, share in zip(found.together, shares, strict=True) if one.places[own] == place), PROBABILITY_DIGITS)
                for place in range(len(levels))
            ]
            yield Change(("spec", "sources", index, "configurations"), level_rows(levels, source.configurations, within))


def joint_rows(spec: Spec, found: Descriptor, shares: Sequence[float]) -> list[dict[str, Any]]:
    sources = [str(one.name) for one in found.sources]
    combined = [[source.levels[place] for source, place in zip(found.sources, one.places, strict=True)] for one in found.together]
    names = joint_names([[level.rate for level in levels] for levels in combined], sources, spec.configurations)
    return [
        {"name": name, "probability": share, "rates": dict(zip(sources, map(rate_of, levels), strict=True))}
        for name, share, levels in zip(names, shares, combined, strict=True)
    ]


def operator_changes(spec: Spec, found: Descriptor) -> Iterator[Change]:
    known: Mapping[str, MeasuredOperator] = {one.name: one for one in found.operators}
    for index, operator in enumerate(spec.operators):
        yield from input_changes(("spec", "operators", index, "inputs"), operator, known[operator.name])


def input_changes(path: Path, operator: Operator, found: MeasuredOperator) -> Iterator[Change]:
    origins = [one.origin for one in found.inputs]
    for place, declared in enumerate(operator.inputs):
        one = found.inputs[origins.index(declared.origin)]  # type: ignore[arg-type]
        if one.selectivity is not None and (value := significant(one.selectivity.value)) > 0:
            yield Change((*path, place, "selectivity"), value)
        if one.cost_s is not None and one.cost_s.value >= COST_S_MIN:
            yield Change((*path, place, "cost"), shown_duration(significant(one.cost_s.value)))


def rate_of(level: Level) -> float:
    return significant(level.rate.value)


def significant(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def rounded(shares: Sequence[float]) -> list[float]:
    """They add up to one; the largest takes what is left, and none is nothing."""
    found = [max(10**-PROBABILITY_DIGITS, round(one, PROBABILITY_DIGITS)) for one in shares]
    largest = max(range(len(found)), key=lambda place: found[place])
    found[largest] = round(1 - sum(found[:largest]) - sum(found[largest + 1 :]), PROBABILITY_DIGITS)
    return found


def changed(resource: Mapping[str, Any], wanted: Sequence[Change]) -> dict[str, Any]:
    """A resource as values, with the changes; the other one stays as it is."""
    found: dict[str, Any] = json.loads(json.dumps(resource))  # nothing in it is shared, not even behind anchors
    for change in wanted:
        place: Any = found
        for step in change.path[:-1]:
            place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
        place[change.path[-1]] = change.value
    return found
