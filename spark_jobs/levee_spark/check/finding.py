"""What a check has found: where, what is wrong, what to do; and whether it is wrong for certain.

Called by: everything in check; `levee check`, which prints them.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path


class Weight(StrEnum):
    WRONG = "wrong"  # replicas would differ, or the function cannot be used
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
    return tuple(Finding(**{**one, "weight": Weight(one["weight"])}) for one in json.loads(path.read_text()))
