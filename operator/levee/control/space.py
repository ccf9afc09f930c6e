"""The configurations as points in the space of the sources' rates, and the one that is nearest to what is measured.

Why: the plan says for every configuration which replicas are active, and one whose rates are all at least the measured ones never
underestimates the load. Sources multiply configurations, thousands of them; an R-tree looks only at those nearby.
Called by: the rules that follow rates; `Wanted` has one; `covers` by serve, which tells of what no configuration covers.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import dist
from typing import TypeAlias, TypeVar

from rtree import index

from levee.topology.graph import Configuration
from levee.topology.names import OperatorName

Point: TypeAlias = tuple[float, ...]
Rates: TypeAlias = Mapping[OperatorName, float]

Name = TypeVar("Name", bound=str)

SLACK = 0.1  # a rate may be that much above what is declared: nobody counts so exactly
WIDER, FIRST_SHARE = 4, 1 / 16  # the first look reaches over a sixteenth of the whole, each next one four times as far
ROUNDING = 1e-9  # the tree is asked for a little more than is wanted; what it finds is looked at exactly


@dataclass(slots=True)
class Space:
    """Laid out in a tree when it is first asked, and kept as long as the configurations are the same."""

    configurations: tuple[Configuration, ...]
    tree: index.Index | None = field(default=None, repr=False, compare=False)

    def nearest(self, rates: Rates, slack: float = 0.0) -> Configuration | None:
        """Of those that cover the rates the nearest (Euclid's); of equals that with fewer rows, then the first. None: none does."""
        found = self.first_found(rates, slack)
        if not found:
            return None
        reach = min(distance(self.configurations[place], rates) for place in found)
        places = self.within(rates, reach, slack)  # a box holds its sphere: nobody outside of it is nearer
        return self.configurations[min(places, key=lambda place: (*self.order(place, rates), place))]

    def highest(self, rates: Rates) -> Configuration:
        """Where none covers the rates: that which leaves the fewest rows uncovered, of equals the one with most rows, then the first.

        Above every configuration that is the one with most rows in total.
        """
        return min(self.configurations, key=lambda one: (uncovered(one, rates), -total(one)))

    def order(self, place: int, rates: Rates) -> tuple[float, float]:
        one = self.configurations[place]
        return distance(one, rates), total(one)

    def first_found(self, rates: Rates, slack: float) -> list[int]:
        """Any that cover the rates: farther and farther up, until there is nothing beyond."""
        top = max((rate for one in self.configurations for rate in one.rows_per_s.values()), default=0.0)
        reach = max(top * FIRST_SHARE, ROUNDING)
        found = list(self.within(rates, reach, slack))
        while not found and reach < top:
            reach *= WIDER
            found = list(self.within(rates, reach, slack))
        return found

    def within(self, rates: Rates, reach: float, slack: float) -> Iterator[int]:
        """The places of those that cover the rates and are at most so far above each of them."""
        measured = point(rates)
        low = (rate / (1 + slack) * (1 - ROUNDING) for rate in measured)
        high = ((rate + reach) * (1 + ROUNDING) for rate in measured)
        if self.tree is None:  # not by its truth: it would count what it holds
            self.tree = laid_out(self.configurations)
        hits = self.tree.intersection((*low, *high))
        return (place for place in hits if covers(self.configurations[place].rows_per_s, rates, slack))


def laid_out(configurations: tuple[Configuration, ...]) -> index.Index:
    """All at once, which packs it well. A box is its lower corner, then the upper one; a point's are the same."""
    points = [point(one.rows_per_s) for one in configurations]
    entries = ((place, (*corner, *corner), None) for place, corner in enumerate(points))
    return index.Index(entries, interleaved=True, properties=index.Property(dimension=len(points[0])))


def point(rates: Rates) -> Point:
    """In the order of the names. The library knows no line: a single source's has a second coordinate that is always 0."""
    found = tuple(rates[name] for name in sorted(rates))
    return found if len(found) > 1 else (*found, 0.0)


def covers(declared: Mapping[Name, float], rates: Mapping[Name, float], slack: float = SLACK) -> bool:
    return all(declared[name] * (1 + slack) >= rate for name, rate in rates.items())


def distance(one: Configuration, rates: Rates) -> float:
    return dist([one.rows_per_s[name] for name in rates], list(rates.values()))


def uncovered(one: Configuration, rates: Rates) -> float:
    return sum(max(0.0, rate - one.rows_per_s[name]) for name, rate in rates.items())


def total(one: Configuration) -> float:
    return sum(one.rows_per_s.values())
