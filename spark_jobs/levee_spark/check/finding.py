"""What a check has found: where, what is wrong, what to do; and whether it is wrong for certain.

Called by: everything in check; `levee check`, which prints them; the operator, which reads what a trial has found.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

SHORT = 60  # of what is wrong so much is said in any case


class Weight(StrEnum):
    WRONG = "wrong"  # the function cannot be used
    DIFFERS = "differs"  # replicas would compute something else each; one alone is well
    UNCHECKED = "unchecked"  # nobody knows
    WARNING = "warning"  # it may be right, and has not been seen to go wrong


@dataclass(frozen=True, slots=True)
class Finding:
    operator: str
    weight: Weight
    wrong: str
    fix: str
    place: str = ""  # file:line, where that is known
    detail: str = ""  # lines below it


def write(path: Path, findings: Iterable[Finding]) -> None:
    path.write_text(json.dumps([asdict(one) for one in findings], indent=1))


def read(path: Path) -> tuple[Finding, ...]:
    return parse(path.read_text())


def parse(text: str) -> tuple[Finding, ...]:
    return tuple(Finding(**{**one, "weight": Weight(one["weight"])}) for one in json.loads(text))


def fitted(findings: Sequence[Finding], bytes_max: int) -> str:
    """As JSON that is no longer than that: what is said of each is cut short, the lines below it first."""
    text = json.dumps([asdict(one) for one in findings], separators=(",", ":"))
    if len(text.encode()) <= bytes_max:
        return text
    longest = max((len(one.detail) for one in findings), default=0)
    if longest:
        return fitted([replace(one, detail=one.detail[: longest // 2]) for one in findings], bytes_max)
    shown = max(len(one.wrong) for one in findings) * 2 // 3
    if shown > SHORT:
        return fitted([replace(one, wrong=one.wrong[:shown]) for one in findings], bytes_max)
    return fitted(findings[: len(findings) // 2], bytes_max)
