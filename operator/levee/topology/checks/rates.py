"""Rates, probabilities and shares: they add up, and the joint table agrees with the sources.

Called by: topology.check.
"""

from collections.abc import Iterator
from math import prod

from levee.topology.complaint import Complaint
from levee.topology.configurations import CONFIGURATIONS_MAX, TOLERANCE, adds_up, marginals
from levee.topology.spec import Resource, Spec
from levee.topology.streams import Source
from levee.topology.wording import close_to, count, listed, number


def probabilities(resource: Resource) -> Iterator[Complaint]:
    spec = resource.spec
    lists = [
        (f"spec.sources[{i}].configurations", [level.probability for level in source.configurations])
        for i, source in enumerate(spec.sources)
    ]
    for where, given in (*lists, ("spec.configurations", [joint.probability for joint in spec.configurations])):
        if given and not adds_up(given):
            yield Complaint(where, f"the probabilities add up to {number(sum(given))}, not to 1", _balanced(given))


def _balanced(given: list[float]) -> str:
    """What the last one would have to be, where that is possible."""
    last = 1 - sum(given[:-1])
    return f"make them add up to 1, such as {number(last)} for the last" if last > TOLERANCE else "lower them so that they add up to 1"


def rates_known(resource: Resource) -> Iterator[Complaint]:
    for index, source in enumerate(resource.spec.sources):
        if not source.configurations and not resource.spec.configurations:
            where = f"spec.sources[{index}].configurations"
            yield Complaint(where, f"says nothing about the rates of '{source.name}'", "add the rows per second to expect: [{rate: 400}]")


def equal_rates(resource: Resource) -> Iterator[Complaint]:
    for index, source in enumerate(resource.spec.sources):
        rates = [level.rate for level in source.configurations]
        for place, rate in enumerate(rates):
            if rate in rates[:place]:
                where = f"spec.sources[{index}].configurations[{place}].rate"
                yield Complaint(
                    where,
                    f"{number(rate)} is already the rate of configurations[{rates.index(rate)}]",
                    "join the two and add up their probabilities",
                )


def joint_sources(resource: Resource) -> Iterator[Complaint]:
    """Every line of the table names every source and nothing else."""
    names = [source.name for source in resource.spec.sources]
    for index, joint in enumerate(resource.spec.configurations):
        where = f"spec.configurations[{index}].rates"
        if missing := [f"'{name}'" for name in names if name not in joint.rates]:
            yield Complaint(where, f"says nothing about {listed(missing, 'and')}", "give a rate for every source")
        for name in joint.rates:
            if name not in names:
                meant = close_to(name, names)
                yield Complaint(f"{where}.{name}", f"there is no source '{name}'", f"use '{meant}'" if meant else f"use {listed(names)}")


def joint_levels(resource: Resource) -> Iterator[Complaint]:
    """A source that declares its own levels must mean the same as the table."""
    spec = resource.spec
    table = spec.configurations if adds_up([joint.probability for joint in spec.configurations]) else []
    for index, source in enumerate(spec.sources):
        if table and source.configurations and all(source.name in joint.rates for joint in table):
            yield from _unknown_levels(spec, source) or _other_marginals(spec, source, f"spec.sources[{index}].configurations")


def _unknown_levels(spec: Spec, source: Source) -> list[Complaint]:
    known = [level.rate for level in source.configurations]
    return [
        Complaint(
            f"spec.configurations[{index}].rates.{source.name}",
            f"{number(joint.rates[source.name])} is not a rate of '{source.name}'",
            f"use {listed(map(number, known))}, or leave out the configurations of '{source.name}'",
        )
        for index, joint in enumerate(spec.configurations)
        if joint.rates[source.name] not in known
    ]


def _other_marginals(spec: Spec, source: Source, where: str) -> Iterator[Complaint]:
    table = marginals(spec, source.name)
    for place, level in enumerate(source.configurations):
        found = table.get(level.rate, 0.0)
        if abs(found - level.probability) > TOLERANCE:
            given = number(level.probability)
            wrong = f"is {given}, but spec.configurations gives {number(level.rate)} rows/s a probability of {number(found)}"
            yield Complaint(f"{where}[{place}].probability", wrong, "make the two agree, or leave out the configurations of the source")


def too_many(resource: Resource) -> Iterator[Complaint]:
    spec = resource.spec
    combinations = prod(len(source.configurations) or 1 for source in spec.sources)
    if not spec.configurations and combinations > CONFIGURATIONS_MAX:
        wrong = (
            f"the rates of the sources combine to {combinations} configurations, but no more than {CONFIGURATIONS_MAX} can be planned for"
        )
        yield Complaint("spec.sources", wrong, "declare fewer rates, or list the combinations that matter in spec.configurations")


def shares(resource: Resource) -> Iterator[Complaint]:
    for where, stream in resource.spec.placed_streams:
        if stream.shares is None:
            continue
        if len(stream.shares) != stream.parallelism:
            wrong = f"has {count(len(stream.shares), 'share')} for {count(stream.parallelism, 'task')}"
            yield Complaint(f"{where}.shares", wrong, "give one share per task, or leave them out for equal ones")
        if not adds_up(stream.shares):
            yield Complaint(f"{where}.shares", f"the shares add up to {number(sum(stream.shares))}, not to 1", _balanced(stream.shares))
