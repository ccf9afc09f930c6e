"""What the rows of all applications say by variant, normalised as the paper does.

Called by: report, verdicts.
"""

from collections.abc import Sequence

from benchmarks.laar.settings import GOALS, VARIANTS
from benchmarks.planning.statistics import mean
from benchmarks.planning.store import Row

LESS = 1e-6  # what rounding may take


def against_nr(rows: Sequence[Row], what: str, case: str = "best") -> dict[str, list[float]]:
    """Against the deployment without replicas, without failures."""
    return {name: [of[name][case][what] / of["NR"]["best"][what] for of in all_of(rows)] for name in VARIANTS}


def raw(rows: Sequence[Row], what: str, case: str = "best") -> dict[str, list[float]]:
    return {name: [of[name][case][what] for of in all_of(rows)] for name in VARIANTS}


def all_of(rows: Sequence[Row]) -> list[Row]:
    return [row["of"] for row in rows]


def dropped_shares(rows: Sequence[Row]) -> dict[str, list[float]]:
    """Of the rows that were due; queues of all replicas drop, so that it may be more than are lost."""
    return {name: [of[name]["best"]["dropped"] / of["NR"]["best"]["due"] for of in all_of(rows)] for name in VARIANTS}


def violations(rows: Sequence[Row], case: str) -> dict[str, list[float]]:
    """By how much less was read than was promised, as a share of the promise; 0: it was kept."""
    kept = against_nr(rows, "processed", case)
    return {name: [short(one, goal) for one in kept[name]] for name, goal in GOALS.items()}


def short(kept: float, goal: float) -> float:
    return max(0.0, 1 - kept / goal)


def violations_reserved(rows: Sequence[Row]) -> dict[str, list[float]]:
    """The same in the worst case, where there are plans with a reserve; by what was promised without."""
    return {
        name: [short(of[f"{name}+"]["worst"]["processed"] / of["NR"]["best"]["processed"], goal) for of in all_of(rows) if f"{name}+" in of]
        for name, goal in GOALS.items()
    }


def prices_of_reserve(rows: Sequence[Row]) -> dict[str, list[float]]:
    """CPU without failures, against the plan without a reserve."""
    return {
        name: [of[f"{name}+"]["best"]["cpu_s"] / of[name]["best"]["cpu_s"] for of in all_of(rows) if f"{name}+" in of] for name in GOALS
    }


def means_against_sr(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Figure 12."""
    parts = {
        "rows dropped": raw(rows, "dropped"),
        "completeness, worst case": raw(rows, "processed", "worst"),
        "CPU": raw(rows, "cpu_s"),
    }
    return {what: {name: over(mean(of[name]), mean(of["SR"])) for name in VARIANTS} for what, of in parts.items()}


def over(value: float, base: float) -> float:
    return value / base if base else 0.0


def times_ms(rows: Sequence[Row], what: str) -> list[float]:
    """Of the variants that adapt, without failures."""
    found = (of[name]["best"][what] for of in all_of(rows) for name in ("GRD", *GOALS))
    return [one for one in found if one is not None]
