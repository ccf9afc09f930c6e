"""A run second by second, in parts: Low before the peak, and the peak once it has settled.

Called by: report_live.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.planning.statistics import mean
from benchmarks.planning.store import Row

SETTLED = 0.2  # of a stretch, at its beginning, is left out


@dataclass(frozen=True, slots=True)
class Part:
    offered: float
    delivered: float
    cores: float

    @property
    def gain(self) -> float:
        """Rows out for each row in: what goes on through the graph, and what is lost on the way."""
        return self.delivered / self.offered if self.offered else float("nan")


@dataclass(frozen=True, slots=True)
class Parts:
    low: Part
    high: Part
    up_s: float | None
    down_s: float | None


def parts_of(row: Row) -> Parts:
    at_s = row["at_s"]
    third = max(at_s, default=0.0) / 3
    low, high = (part(row, (turn + SETTLED) * third, (turn + 1) * third) for turn in (0, 1))
    return Parts(low, high, row.get("up_s"), row.get("down_s"))


def part(row: Row, from_s: float, until_s: float) -> Part:
    places = [place for place, at_s in enumerate(row["at_s"]) if from_s <= at_s < until_s]

    def average(values: Sequence[float]) -> float:
        return mean(values[place] for place in places)

    return Part(average(row["offered_per_s"]), average(row["delivered_per_s"]), sum(average(one) for one in row["cores"].values()))
