"""Durations and CPU quantities as users write them, and what they are in seconds and cores.

Why: "12us" and "500m" must mean the same to the validator, the planner and the CustomResourceDefinition.
Called by: topology.fields, for every field that has a unit; crd, for the patterns; the command line, for its options.
"""

import re
from decimal import Decimal

from levee.topology.wording import number

SECONDS = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "m": Decimal(60),
    "h": Decimal(3600),
}

DURATION_PATTERN = r"^([0-9]{1,12}(\.[0-9]{1,12})?(ns|us|ms|s|m|h)){1,6}$"
MEMORY_PATTERN = r"^[1-9][0-9]{0,6}(m|g|Mi|Gi)$"
MEMORY_MIB_MIN = 512  # with less, Spark's executors do not start
CORES_PATTERN = r"^([0-9]{1,9}(\.[0-9]{1,9})?|[0-9]{1,12}m)$"

_duration = re.compile(DURATION_PATTERN)
_part = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ns|us|ms|s|m|h)")
_memory = re.compile(MEMORY_PATTERN)
_cores = re.compile(CORES_PATTERN)


class UnitError(ValueError):
    """A quantity that does not parse, with what to write instead."""

    def __init__(self, wrong: str, fix: str) -> None:
        super().__init__(f"{wrong} {fix}")
        self.wrong = wrong
        self.fix = fix


def parse_duration(text: object) -> float:
    """Seconds, from "12us", "250ms", "1.5s", "1h30m"."""
    if isinstance(text, str) and _duration.fullmatch(text):
        seconds = float(sum(Decimal(number) * SECONDS[unit] for number, unit in _part.findall(text)))
        if seconds == 0:
            raise UnitError(f"is {text}, but must be more than 0", "write a duration such as 250ms")
        return seconds
    raise UnitError(f"{_shown(text)} is not a duration", _duration_fix(text))


def parse_cores(text: object) -> float:
    """Cores, from "2", 2, "0.5", "500m"."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        text = format(Decimal(repr(text)), "f") if abs(text) < 1e9 else str(text)
    if isinstance(text, str) and _cores.fullmatch(text):
        cores = float(Decimal(text[:-1]) / 1000) if text.endswith("m") else float(text)
        if cores == 0:
            raise UnitError(f"is {text}, but must be more than 0", "write a number of cores such as 2 or 500m")
        return cores
    raise UnitError(f"{_shown(text)} is not a number of CPU cores", 'write cores, such as "2", or thousandths of a core, such as "500m"')


def parse_memory(text: object) -> int:
    """MiB, from "512m" and "2g" as Spark has it, "512Mi" and "2Gi" as Kubernetes has it."""
    if not isinstance(text, str) or not _memory.fullmatch(text):
        raise UnitError(f"{_shown(text)} is no amount of memory", "write a whole number of m or g, such as 512m or 2g")
    count, unit = int(text.rstrip("mgMGi")), text[len(text.rstrip("mgMGi")) :]
    mib = count * (1024 if unit[0] in "gG" else 1)
    if mib < MEMORY_MIB_MIN:
        raise UnitError(f"is {text}, too little for an executor of Spark's", f"write at least {MEMORY_MIB_MIN}m")
    return mib


def _shown(value: object) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _duration_fix(text: object) -> str:
    if isinstance(text, int | float) and not isinstance(text, bool) and text > 0:
        return f"say the unit, such as {number(text)}ms or {number(text)}s"
    return "write a number and a unit (ns, us, ms, s, m, h), such as 12us, 250ms or 1.5s"


def shown_duration(seconds: float) -> str:
    """As a user would write it: 250ms, 1.5s, 10m."""
    for unit in ("h", "m", "s", "ms", "us"):
        length = float(SECONDS[unit])
        whole = seconds / length
        if whole >= 1 and (unit in {"s", "ms", "us"} or whole == int(whole)):
            return f"{number(whole)}{unit}"
    return f"{number(seconds * 1e9)}ns"
