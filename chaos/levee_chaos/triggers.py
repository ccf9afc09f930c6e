"""The moment of a step: what is waited for before a fault is done.

Why: a fault tells something only at the moment that it was meant for. So a moment that does not come is no success: it fails, the
experiment ends there, and what was to follow is not done.
Called by: `chaos run`, as actions before the steps of an experiment that `levee fx render` or the operator has written.
"""

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

from levee.topology.complaint import Complaint
from levee_chaos.refusals import Refused, number
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.world import Passage, Where, World

__all__ = ["at_epoch", "at_rate", "in_state", "on_transition"]

Found = TypeVar("Found")
LOOK_S = 0.2
NEVER = "levee-chaos: the moment never came."


def at_epoch(epoch: int, timeout_s: float = 600.0, topology: str = "", directory: str = "", namespace: str = "") -> int:
    """Wait until this epoch has come out; the one that has."""
    wanted = number("epoch", epoch)
    return waited(
        Where(topology, directory, namespace),
        timeout_s,
        lambda world: out if (out := world.health().epoch) >= wanted else None,
        lambda world: Complaint("epoch", f"{wanted:g} has not come out, only {world.health().epoch}", "wait longer"),
    )


def at_rate(
    source: str = "",
    at_least: float | None = None,
    at_most: float | None = None,
    timeout_s: float = 600.0,
    topology: str = "",
    directory: str = "",
    namespace: str = "",
) -> float:
    """Wait until a source, or all of them together, take in so many rows per second or more, or so many or fewer; the rate."""
    least = None if at_least is None else number("at_least", at_least)
    most = None if at_most is None else number("at_most", at_most)
    said = " and ".join(
        f"{limit:g} rows per second {word}" for limit, word in ((least, "or more"), (most, "or fewer")) if limit is not None
    )
    return waited(
        Where(topology, directory, namespace),
        timeout_s,
        lambda world: rate if is_within(rate := rate_of(source, world), least, most) else None,
        lambda world: Complaint("rate", f"was not {said}, but {rate_of(source, world):g} in the end", "wait longer, or name another"),
    )


def in_state(state: str, timeout_s: float = 600.0, topology: str = "", directory: str = "", namespace: str = "") -> str:
    """Wait until the topology is in this state of its life."""
    return waited(
        Where(topology, directory, namespace),
        timeout_s,
        lambda world: state if world.state == state else None,
        lambda world: Complaint("state", f"was not '{state}', but '{world.state}' in the end", "wait longer, or name another"),
    )


def on_transition(
    entered: str, left: str = "", timeout_s: float = 600.0, topology: str = "", directory: str = "", namespace: str = ""
) -> str:
    """Wait until the topology goes to a state, from a certain one or from any; those that were passed meanwhile count."""
    where = Where(topology, directory, namespace)
    before = list(find(where).passages)
    return waited(
        where,
        timeout_s,
        lambda world: gone(before, list(world.passages), left, entered),
        lambda world: Complaint("transition", f"it has not gone to '{entered}', it is '{world.state}'", "wait longer, or name another"),
    )


def gone(before: Sequence[Passage], now: Sequence[Passage], left: str, entered: str) -> str | None:
    """Which of what has happened since is the one that is meant."""
    since = [*before[-1:], *(one for one in now if one not in before)]
    for origin, to in pairwise(since):
        if to.state == entered and left in {"", origin.state}:
            return f"{origin.state} -> {to.state}"
    return None


def waited(where: Where, timeout_s: float, look: Callable[[World], Found | None], why: Callable[[World], Complaint]) -> Found:
    until_s = time.monotonic() + number("timeout_s", timeout_s)
    while True:
        world = find(where)
        found = look(world)
        if found is not None:
            return found
        if time.monotonic() > until_s:
            raise Refused(f"{NEVER} Waited {number('timeout_s', timeout_s):g} s.", [why(world)])
        time.sleep(LOOK_S)


def is_within(rate: float, least: float | None, most: float | None) -> bool:
    return (least is None or rate >= least) and (most is None or rate <= most)


def rate_of(source: str, world: World) -> float:
    rates = world.rates()
    if source and source not in rates:
        raise Refused(NEVER, [Complaint("source", f"{world.topology} has no source '{source}'", f"use one of {', '.join(sorted(rates))}")])
    return rates[source] if source else sum(rates.values())
