"""Numbers as people write and read them: durations, targets, shares, cores.

Why: what is printed must be good input again, so that a printed limit can be pasted as the next target.
Called by: cli.commands.plan's flags, and everything that renders a plan.
"""

import math
import re
from dataclasses import replace
from fractions import Fraction

from levee.plans.ending import did_you_mean
from levee.topology.graph import Target
from levee.topology.units import parse_duration

TARGETS = ("completeness", "fidelity", "budget", "penalty", "reserve")


def seconds(text: str) -> float:
    """'30s', '500ms', '1m30s'; a bare number counts seconds."""
    return parse_duration(f"{text}s" if text.replace(".", "", 1).isdecimal() else text)


def share(text: str) -> float:
    """'0.7', '70%' or '2/3', between 0 and 1."""
    try:
        value = float(Fraction(text.strip().removesuffix("%").strip())) / (100 if text.strip().endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"'{text}' is not a number between 0 and 1; write 0.7, 70% or 2/3") from None
    if not 0 <= value <= 1:
        raise ValueError(f"{text} is not between 0 and 1")
    return value


def target(text: str) -> Target:
    """'0.7', 'completeness=0.7', 'fidelity=0.9', 'budget=6', and 'penalty=10m' or 'reserve=0.03' after a comma."""
    if comma := re.fullmatch(r"((?:\w+\s*=\s*)?\d+),(\d+%?)", text.strip()):
        raise ValueError(f"'{text}' has a comma in its number. Did you mean {comma[1]}.{comma[2]}?")
    found = Target()
    for part in text.split(","):
        name, _, value = part.rpartition("=") if "=" in part else ("completeness", "", part)
        found = _with(found, name.strip(), value.strip())
    kinds = [name for name in TARGETS[:3] if getattr(found, name) is not None]
    if len(kinds) != 1:
        raise ValueError(f"'{text}' must name exactly one of completeness, fidelity and budget")
    if found.penalty is not None and found.completeness is None:
        raise ValueError("a penalty is paid for missing completeness; give a completeness with it")
    if found.reserve is not None and (found.completeness is None or found.penalty is not None):
        raise ValueError("a reserve is set aside from completeness; give a completeness with it, and no penalty")
    if found.completeness is not None and found.completeness + (found.reserve or 0.0) > 1:
        raise ValueError(f"a reserve of {found.reserve:g} leaves no plan that could reach completeness {found.completeness:g}")
    return found


def _with(found: Target, name: str, value: str) -> Target:
    match name:
        case "completeness":
            return replace(found, completeness=share(value))
        case "fidelity":
            return replace(found, fidelity=share(value))
        case "budget":
            return replace(found, budget=count(value))
        case "penalty":
            return replace(found, penalty=seconds(value))
        case "reserve":
            return replace(found, reserve=less_than_all(share(value)))
        case _:
            raise ValueError(f"there is no target '{name}'. {did_you_mean(name, TARGETS)}")


def less_than_all(value: float) -> float:
    if value >= 1:
        raise ValueError("a reserve of 1 leaves nothing")
    return value


def count(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"'{text}' is not a whole number of replicas")
    return int(text)


def floor4(value: float) -> str:
    """Four digits, cut off and never rounded up: what is printed can be asked for."""
    return f"{math.floor(value * 1e4 + 1e-6) / 1e4:.4f}".rstrip("0").rstrip(".") or "0"


def fraction(value: float) -> str | None:
    """'2/3' for what is a simple fraction and has no short decimal form."""
    simple = Fraction(value).limit_denominator(12)
    return f"{simple}" if abs(simple - Fraction(value)) < 1e-6 and simple.denominator not in (1, 2, 4, 5, 8, 10) else None


def percent(value: float) -> str:
    if 0.995 <= value < 1:
        return f"{math.floor(1000 * value) / 10} %"  # Nearly all is not all.
    return f"{100 * value:.0f} %" if abs(value) >= 0.1 or value == 0 else f"{100 * value:.2g} %"


def number(value: float) -> str:
    """Short, without an exponent for what people meet: 3, 0.25, 1234."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def hours(value_s: float) -> str:
    """A window's length: '1 h', '30 min', '90 s'."""
    for length_s, unit in ((3600, "h"), (60, "min")):
        if value_s >= length_s and value_s % length_s == 0:
            return f"{value_s / length_s:g} {unit}"
    return f"{value_s:g} s"
