"""Names for measured levels: that of the declared one that a level is, or a new one that says where it stands.

Why: people know their configurations by name, in plans, events and graphs; another number of levels must not take the names away.
Called by: plans.measured.
"""

from collections.abc import Iterable, Mapping, Sequence

from levee.planning.measured.interval import Estimate
from levee.planning.measured.levels import SLACK
from levee.topology.wanted import Joint

RANKED: Mapping[int, tuple[str, ...]] = {2: ("low", "high"), 3: ("low", "mid", "high")}


def level_names(rates: Sequence[Estimate], declared: Sequence[tuple[str | None, float]]) -> list[str | None]:
    """Of levels by rate, the lowest first. A single one that is not declared by name needs none."""
    kept = kept_names(rates, declared)
    if len(rates) == 1:
        return [kept.get(0)]
    fresh = RANKED.get(len(rates), tuple(f"level-{rank}" for rank in range(1, len(rates) + 1)))
    found: list[str | None] = []
    for place, name in enumerate(fresh):
        found.append(kept.get(place) or unlike({*kept.values(), *found}, name, f"level-{place + 1}"))
    return found


def kept_names(rates: Sequence[Estimate], declared: Sequence[tuple[str | None, float]]) -> dict[int, str]:
    """By place: the nearest pair first, and each name once."""
    pairs = ((place, name, [(rate, wanted)]) for place, rate in enumerate(rates) for name, wanted in declared if name)
    return nearest(pairs)


def joint_names(rows: Sequence[Sequence[Estimate]], sources: Sequence[str], declared: Sequence[Joint]) -> list[str]:
    """Of combinations of rates, in their order: a row that is declared keeps its name."""
    pairs = (
        (place, joint.name, [(rate, joint.rates[source]) for source, rate in zip(sources, row, strict=True)])
        for place, row in enumerate(rows)
        for joint in declared
        if joint.name
    )
    kept = nearest(pairs)
    found: list[str] = []
    for place in range(len(rows)):
        found.append(kept.get(place) or unlike({*kept.values(), *found}, f"together-{place + 1}"))
    return found


def nearest(pairs: Iterable[tuple[int, str, Sequence[tuple[Estimate, float]]]]) -> dict[int, str]:
    """Of places, names and what was measured beside what is declared: those that are the same."""
    near = sorted((sum(map(distance, both)), place, name) for place, name, both in pairs if all(map(is_same, both)))
    found: dict[int, str] = {}
    for _, place, name in near:
        if place not in found and name not in found.values():
            found[place] = name
    return found


def distance(both: tuple[Estimate, float]) -> float:
    measured, declared = both
    return abs(measured.value - declared) / declared


def is_same(both: tuple[Estimate, float]) -> bool:
    """As far as can be told: within the interval, or nearer than configurations are told apart."""
    measured, declared = both
    return (measured.low is not None and measured.holds(declared)) or distance(both) <= SLACK


def unlike(others: Iterable[str | None], *wanted: str) -> str:
    """The first that nobody has; or the last, counted on."""
    taken = set(others)
    counted = (f"{wanted[-1]}-{number}" for number in range(2, len(taken) + 3))
    return next(name for name in (*wanted, *counted) if name not in taken)
