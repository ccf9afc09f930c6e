"""What became of a life, and what that says.

Why: a fault is survived if all promises were kept on the way and nobody can tell afterwards; and who never saw the fault knows nothing.
Called by: trial, campaign, `levee fit`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    PASSED = "Passed"
    FAILED = "Failed"
    INCONCLUSIVE = "Inconclusive"


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one life."""

    settled: Mapping[str, object] = field(default_factory=dict)
    gone: Mapping[str, object] = field(default_factory=dict)
    missing: str = ""  # why a moment has not come
    broken: str = ""  # what did not hold
    took_ms: int = 0  # until it had settled


@dataclass(frozen=True, slots=True)
class Outcome:
    verdict: Verdict
    why: str = ""
    took_s: float = 0.0  # from its beginning until it has settled, in virtual time


def judged(calm: Told, found: Told) -> Outcome:
    """`calm`: the same life without the faults."""
    if calm.broken:
        return Outcome(Verdict.FAILED, f"without the fault: {calm.broken}")
    if found.broken:
        return Outcome(Verdict.FAILED, found.broken)
    if found.missing:
        return Outcome(Verdict.INCONCLUSIVE, found.missing)
    if differs := difference(calm.settled, found.settled) or difference(calm.gone, found.gone):
        return Outcome(Verdict.FAILED, differs)
    return Outcome(Verdict.PASSED, took_s=found.took_ms / 1_000)


def difference(calm: Mapping[str, object], found: Mapping[str, object]) -> str:
    return "; ".join(f"{what} is {found.get(what)}, and undisturbed {calm[what]}" for what in calm if calm[what] != found.get(what))
