"""What was to be reached, and whether it was.

Called by: report_simulated.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from benchmarks.laar.measures import LESS, against_nr, raw, times_ms, violations, violations_reserved
from benchmarks.laar.settings import GOALS, RESERVE
from benchmarks.laar.simulated import PACE
from benchmarks.planning.statistics import mean
from benchmarks.planning.store import Row
from levee.control.rates import Window

PEAK_MIN = 0.97
ORDER = ("L.5", "L.6", "L.7", "GRD", "SR")


def verdicts(rows: Sequence[Row]) -> str:
    return "\n".join(f"- {said}" for said in (peak(rows), promise(rows), order(rows), *soon(rows), *resynchronised(rows)))


def word(reached: bool) -> str:
    return "reached" if reached else "**missed**"


def peak(rows: Sequence[Row]) -> str:
    found = against_nr(rows, "peak_per_s")
    all_of = [one for name in GOALS for one in found[name]]
    below = sum(one < PEAK_MIN for one in all_of)
    said = f"least {min(all_of):.3f}, below it in {below} of {len(all_of)} (LAAR's least: 0.91)"
    return f"Output at the peak at least {PEAK_MIN} of NR's for every application: {said}, {word(not below)}."


def promise(rows: Sequence[Row]) -> str:
    found = [one for values in violations(rows, "worst").values() for one in values]
    broken = sum(one > LESS for one in found)
    said = f"{broken} of {len(found)}, the largest {max(found):.1%} of the promise (LAAR: a few, up to 4.7 %)"
    reserved = [one for values in violations_reserved(rows).values() for one in values]
    more = f"; {with_reserve(reserved)}" if reserved else ""
    return f"No violation of a promised completeness in the worst case: {said}, {word(not broken)}{more}."


def with_reserve(found: Sequence[float]) -> str:
    broken = sum(one > LESS for one in found)
    most = f", the largest {max(found):.2%}" if broken else ""
    return f"planned with target.reserve {RESERVE:g} for what switching takes {broken} of {len(found)}{most}, {word(not broken)}"


def order(rows: Sequence[Row]) -> str:
    costs = raw(rows, "cpu_s")
    means = [mean(costs[name]) / mean(costs["NR"]) for name in ORDER]
    each = sum(is_ordered([costs[name][place] for name in ORDER]) for place in range(len(rows)))
    said = ", ".join(f"{name} {value:.2f}" for name, value in zip(ORDER, means, strict=True))
    held = f"{word(is_ordered(means))}; one by one it holds for {each} of {len(rows)} applications"
    return f"CPU in the order {' < '.join(ORDER)}: {said} times NR's in mean, {held}."


def is_ordered(values: Sequence[float]) -> bool:
    return all(less < more for less, more in pairwise(values))


def soon(rows: Sequence[Row]) -> Iterator[str]:
    limit_ms = Window().average_over_ms + PACE.turn_ms + PACE.period_ms
    for what, name in (("up_ms", "a rise"), ("down_ms", "a fall")):
        if found := times_ms(rows, what):
            within = (
                f"From {name} of the rates to the record in force within the rate window, a scrape and an epoch ({limit_ms / 1_000:g} s)"
            )
            yield f"{within}: {mean_and_most(found)}, {word(max(found) <= limit_ms)}."


def resynchronised(rows: Sequence[Row]) -> Iterator[str]:
    if found := times_ms(rows, "resync_ms"):
        yield f"Resynchronisation adds {mean_and_most(found)}, until the last replica that was switched on computes (seen once a second)."


def mean_and_most(values_ms: Sequence[float]) -> str:
    return f"{mean(values_ms) / 1_000:.2f} s in mean, {max(values_ms) / 1_000:.2f} s at most"
