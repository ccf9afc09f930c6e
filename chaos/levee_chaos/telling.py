"""What an experiment says, as the values that a fault is made of; refused where it cannot be one.

Called by: the modules of actions; controls.
"""

from collections.abc import Sequence

from levee.topology.complaint import Complaint
from levee_chaos.fault import Role
from levee_chaos.refusals import NOTHING, Refused, number


def role_in(word: str) -> Role:
    return Role(one_of("role", word, list(Role)))


def one_of(name: str, word: str, known: Sequence[str]) -> str:
    if word not in known:
        raise Refused(NOTHING, [Complaint(name, f"'{word}' is none", f"use one of {', '.join(known)}")])
    return word


def ms_in(seconds: float, name: str = "for_s") -> int:
    """Faults that last have an end of their own."""
    seconds = number(name, seconds)
    if not seconds > 0:
        raise Refused(NOTHING, [Complaint(name, f"{seconds:g} s is no time", "say for how many seconds it lasts")])
    return max(1, round(1_000 * seconds))


def names_in(told: Sequence[str] | str) -> list[str]:
    """A list, or what `--var namespaces=shop,levee` makes of it."""
    return [one.strip() for one in (told.split(",") if isinstance(told, str) else told) if one.strip()]


def is_so(told: bool | str) -> bool:
    return str(told).lower() in {"true", "yes"}


def share_in(told: float) -> float:
    """Of requests, or of what is sent."""
    share = number("share", told)
    if not 0 < share <= 1:
        raise Refused(NOTHING, [Complaint("share", f"{share:g} is no share", "say how much of it, above 0 and up to 1")])
    return share


def at_least(name: str, told: float, least: float) -> float:
    found = number(name, told)
    if not found >= least:
        raise Refused(NOTHING, [Complaint(name, f"{found:g} is too little", f"use {least:g} or more")])
    return found


def whole(name: str, told: float, least: float) -> int:
    return round(at_least(name, told, least))
