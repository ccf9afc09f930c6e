"""What the schema of the resource says besides its types: keys of lists, and rules (CEL) for what spans fields.

Why: the API server should refuse at once what it can see is wrong; the rules stand in one table so that they are reviewed together.
What would cost it too much, such as whether a stream that is read exists, is checked by topology.check.
Called by: topology.crd. Paths are those of the schema: [] is every item of a list.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from levee.topology.checks.wanted import CONTRADICTS, NEEDS_TARGET
from levee.topology.configurations import TOLERANCE
from levee.topology.fields import LABEL_PATTERN
from levee.topology.lasting import AT_REST, PERIOD, RETENTION, STORE, Lasting

ADDS_UP: Final = f"self.sum() > {1 - TOLERANCE!r} && self.sum() < {1 + TOLERANCE!r}"


@dataclass(frozen=True, slots=True)
class Rule:
    cel: str
    message: str


@dataclass(frozen=True, slots=True)
class Besides:
    """What a kind of resource says besides its types, by path."""

    rules: Mapping[str, tuple[Rule, ...]]
    keys: Mapping[str, str]


LIST_KEYS: Final = {  # lists whose items are known by a name; the API server refuses the same name twice
    "spec.sources": "name",
    "spec.operators": "name",
    "spec.operators[].inputs": "from",
    "spec.sinks": "name",
    "spec.placement.nodes": "name",
    "status.conditions": "type",
}


def _mapped_sum(of: str) -> str:
    return ADDS_UP.replace("self.sum()", f"self.map(c, {of}).sum()")


def _distinct(one: str, other: str) -> Rule:
    return Rule(
        f"self.{one}.all(a, !self.{other}.exists(b, a.name == b.name))",
        f"{one} and {other} must not have the same name: a name stands for one stream",
    )


def _deadlines(kind: str) -> Rule:
    timeout = "duration(self.faultTolerance.failureTimeout)"
    return Rule(
        f"self.{kind}.all(s, !has(s.deadline) || duration(s.deadline) < {timeout})",
        f"the deadline of {kind} must be less than faultTolerance.failureTimeout",
    )


def _same(name: str) -> str:
    """Also where it is left out: the API server tries a default, `{}`, by the rules before it fills in those of its fields."""
    return f"has(self.{name}) == has(oldSelf.{name}) && (!has(self.{name}) || self.{name} == oldSelf.{name})"


def said_of(lasting: Lasting) -> str:
    return f"{lasting.path} {lasting.wrong}"


_TARGETS = ("completeness", "fidelity", "budget")
_TARGET_GIVEN = " || ".join(f"has(self.faultTolerance.target.{name})" for name in _TARGETS)
_STREAM = (
    Rule("!has(self.shares) || size(self.shares) == self.parallelism", "shares must have one share per task"),
    Rule(f"!has(self.shares) || ({ADDS_UP.replace('self.sum()', 'self.shares.sum()')})", "shares must add up to 1"),
)

RULES: Final = {
    "": (
        Rule(
            f"size(self.metadata.name) <= 63 && self.metadata.name.matches('{LABEL_PATTERN}')",
            "metadata.name must be a DNS label that begins with a letter",
        ),
    ),
    "spec": (
        *(
            Rule(
                f"self.faultTolerance.strategy != '{strategy}' || {_TARGET_GIVEN}", f"the strategy {strategy} needs a target: {{{example}}}"
            )
            for strategy, example in NEEDS_TARGET.items()
        ),
        *(
            Rule(
                f"self.faultTolerance.strategy != '{strategy}' || !has(self.faultTolerance.target.{other})",
                f"the strategy {strategy} cannot have {other} as its target",
            )
            for strategy, other in CONTRADICTS.items()
        ),
        _distinct("sources", "operators"),
        _distinct("sources", "sinks"),
        _distinct("operators", "sinks"),
        _deadlines("sources"),
        _deadlines("operators"),
        Rule(
            "(has(self.configurations) && size(self.configurations) > 0)"
            " || self.sources.all(s, has(s.configurations) && size(s.configurations) > 0)",
            "every source needs configurations with its rates, unless spec.configurations says them",
        ),
        *(Rule(f"oldSelf.suspend || self.{one.path} == oldSelf.{one.path}", said_of(one)) for one in AT_REST),
    ),
    "spec.store": (Rule("self == oldSelf", said_of(STORE)),),
    "spec.epoch": (
        Rule(_same("period"), said_of(PERIOD)),
        Rule(_same("retention"), said_of(RETENTION)),
    ),
    "spec.configurations": (Rule(f"size(self) == 0 || ({_mapped_sum('c.probability')})", "the probabilities must add up to 1"),),
    "spec.sources[]": (Rule("has(self.spark) != has(self.__import__)", "a source has either spark or import"), *_STREAM),
    "spec.sources[].configurations": (Rule(f"size(self) == 0 || ({_mapped_sum('c.probability')})", "the probabilities must add up to 1"),),
    "spec.operators[]": _STREAM,
    "spec.faultTolerance.target": (
        Rule(
            f"[{', '.join(f'has(self.{name})' for name in _TARGETS)}].filter(given, given).size() <= 1",
            "a plan has one target: completeness, fidelity or budget",
        ),
        Rule(
            "!has(self.penalty) || has(self.completeness)",
            "penalty is the price of missing completeness: it needs completeness as the target",
        ),
        Rule(
            "!has(self.reserve) || (has(self.completeness) && !has(self.penalty))",
            "reserve is set aside from completeness: it needs completeness as the target, and no penalty",
        ),
    ),
}

TOPOLOGIES: Final = Besides(RULES, LIST_KEYS)
