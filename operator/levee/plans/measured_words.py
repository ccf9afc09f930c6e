"""A measured descriptor in words: the fields to paste, with their intervals beside them, and what must be known about them.

Called by: the command line.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from levee.planning.measured.descriptor import Descriptor, MeasuredInput, MeasuredOperator, MeasuredSource
from levee.planning.measured.interval import Estimate
from levee.planning.measured.joint import dependence
from levee.plans.measured import rate_of, significant
from levee.topology.flow import flow
from levee.topology.spec import Spec
from levee.topology.units import shown_duration
from levee.topology.wording import count, number

DEPENDENT = 0.1  # of the time
FULL = 0.01  # of the epochs
INPUT = ("from", "partitionBy", "selectivity", "cost")
MISSED = 1.2  # times the highest that was measured


def pasted(resource: Mapping[str, Any], found: Descriptor) -> str:
    """Of a resource that has the measured values already: the fields that can have changed, as they stand in its spec."""
    return "\n".join(lines(resource["spec"], found)) + "\n"


def lines(spec: Mapping[str, Any], found: Descriptor) -> Iterator[str]:
    yield "sources:"
    for source in spec["sources"]:
        yield f"- name: {source['name']}"
        yield from level_lines(source.get("configurations") or (), next(one for one in found.sources if one.name == source["name"]))
    yield "operators:"
    for operator in spec["operators"]:
        yield f"- name: {operator['name']}"
        yield from input_lines(operator["inputs"], next(one for one in found.operators if one.name == operator["name"]))
    if spec.get("configurations"):
        yield "configurations:"
        yield from (f"- {flow(one)}" for one in spec["configurations"])


def level_lines(written: Sequence[Mapping[str, Any]], source: MeasuredSource) -> Iterator[str]:
    if not written:
        return
    yield "  configurations:"
    for entry in written:
        level = next((one for one in source.levels if rate_of(one) == entry["rate"]), None)
        told = "not measured" if level is None else f"rate {between(level.rate)}, probability {between(level.probability)}"
        yield f"  - {flow(entry)} # {told}"


def input_lines(written: Sequence[Mapping[str, Any]], operator: MeasuredOperator) -> Iterator[str]:
    yield "  inputs:"
    for entry in written:
        one = next(one for one in operator.inputs if one.origin == entry["from"])
        yield f"  - {flow({name: entry[name] for name in INPUT if name in entry})} # {input_words(one)}"


def input_words(one: MeasuredInput) -> str:
    selectivity = "not measured" if one.selectivity is None else between(one.selectivity)
    cost = "not measured" if one.cost_s is None else between(one.cost_s, time=True)
    return f"selectivity {selectivity}, cost {cost}"


def between(one: Estimate, *, time: bool = False) -> str:
    if one.low is None or one.high is None:
        return "not known how surely"
    return f"{shown(one.low, time=time)} to {shown(one.high, time=time)}"


def shown(value: float, *, time: bool) -> str:
    return shown_duration(significant(value)) if time and value > 0 else number(significant(value))


# ---- what must be known about them


def notes(spec: Spec, found: Descriptor) -> Iterator[str]:
    yield from source_notes(spec, found)
    for operator in found.operators:
        if operator.selectivity is None:
            yield f"{operator.name}: it has read nothing; what is declared stays"
        for what, per_row in (("selectivity", operator.selectivity), ("cost", operator.cost)):
            if per_row is not None and not per_row.apart:
                yield f"{operator.name}: the {what} of its inputs cannot be told apart, since they come alike; it is shared out as declared"


def source_notes(spec: Spec, found: Descriptor) -> Iterator[str]:
    for source, declared in zip(found.sources, spec.sources, strict=True):
        if not source.levels:
            yield f"{source.name}: no row has come; what is declared stays"
        elif len(source.levels) < len(declared.configurations):
            seen = f"{count(len(source.levels), 'rate')} in {shown_duration(found.length_s)}"
            yield f"{source.name}: {seen}, and {len(declared.configurations)} are declared: one that holds seldom may not have come"
        elif (highest := max((one.rate for one in declared.configurations), default=0.0)) > MISSED * source.levels[-1].rate.value:
            yield f"{source.name}: {number(highest)} rows/s are declared, and have not come in {shown_duration(found.length_s)}"
        if source.full_share > FULL:
            more = f"in {source.full_share:.0%} of its epochs it took in all that one may (epoch.maxRows)"
            yield f"{source.name}: {more}: more was offered than is counted here"
    share = dependence(found.together)
    if share > DEPENDENT and not spec.configurations:
        yield (
            f"the rates of {' and '.join(one.name for one in found.sources)} go together: for {share:.0%} of the time they differ "
            "from independent ones, which the planner takes them for; spec.configurations can say which hold together"
        )
