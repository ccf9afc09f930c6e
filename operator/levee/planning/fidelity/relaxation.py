"""An upper bound on the objective: every use of a shared operand may choose for itself, and pays its part of the cost.

Why: without shared operands the factored network is solved exactly by frontiers. A shared operand is given to each of its uses as a
copy of its own, at a part of the price: whoever lets all copies choose alike pays the true price, so no plan is excluded and the optimum
is a bound. Where the copies do choose alike it is the optimum itself; where they do not, the exact solver narrows the operand's interval.
Called by: fidelity.trace, which solves it; fidelity.prices, which makes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from levee.planning.fidelity.frontier import EPSILON, Floats, Folded, Frontier, Ints, best_within, constant, fold
from levee.planning.fidelity.network import Network, Place, Term

Interval = tuple[float, float]
Box = Mapping[int, Interval]  # shared atom -> the values it may still take; absent: any
Prices = Mapping[int, tuple[int, ...]]  # shared atom -> the grains of each replica in it that each of its uses pays
ANY: Interval = (0.0, 1.0)
CACHED_MAX = 4000  # sums whose frontiers are kept from box to box; tens of kilobytes each


class OutOfReachError(Exception):
    """No plan lies in this box."""


@dataclass(frozen=True, slots=True)
class Made:
    """A sum's frontier and how it came about."""

    private: tuple[int, ...]  # tasks that occur here only and stand alone in their term, heaviest first
    others: tuple[tuple[Place, Term], ...]  # the other terms
    products: tuple[Folded, ...]  # one per other term
    total: Folded  # of the private tasks (if any) and the products


@dataclass
class Relaxation:
    """Prices are in grains: `grains` of them are one replica, and the prices of an atom's uses add up to so many."""

    network: Network
    budget: int
    grains: int
    prices: Prices
    cache: dict[tuple[int, tuple[tuple[int, Interval], ...]], Made] = field(default_factory=dict)

    @cached_property
    def below(self) -> Mapping[int, tuple[int, ...]]:
        """Per atom the shared atoms that it is made of."""
        found: dict[int, frozenset[int]] = {}
        for atom in self.network.atoms:
            parts = {part for term in self.network.terms(atom) for part, _ in term.atoms}
            found[atom] = frozenset[int]().union(*(found[part] for part in parts)) | (parts & self.prices.keys())
        return {atom: tuple(sorted(parts)) for atom, parts in found.items()}

    def unit(self, atom: int) -> int:
        """Grains per step of the atom's own frontier: whole replicas while nothing below is shared."""
        return 1 if not self.below[atom] else self.grains

    def own(self, atom: int, box: Box) -> Frontier:
        return TASK if self.network.is_task(atom) else self.made(atom, box).total.result

    def in_grains(self, atom: int, box: Box) -> Frontier:
        return self.own(atom, box).refined(self.grains // self.unit(atom))

    def used(self, atom: int, place: Place, box: Box, unit: int) -> Frontier:
        """The atom as one of its uses sees it."""
        if atom not in self.prices:
            return self.own(atom, box).refined(unit // self.unit(atom))
        low, high = box.get(atom, ANY)
        if low == high:
            return constant(high)  # paid for by the box
        _, paid, values = self.offers(atom, place, box)
        return best_within(paid, values)

    def offers(self, atom: int, place: Place, box: Box) -> tuple[Ints, Ints, Floats]:
        """What a use may choose: grains spent on the atom as a whole, what of it this use pays, the value."""
        own, (low, high) = self.in_grains(atom, box), box.get(atom, ANY)
        start, end = reach(own, low), own.cheapest(high)
        spent = np.arange(start, (own.end if end is None else max(end, start)) + 1)
        use = self.network.places[atom].index(place)
        before = sum(self.prices[atom][:use])
        paid = spent * (before + self.prices[atom][use]) // self.grains - spent * before // self.grains  # rounded so that all uses add up
        return spent, paid, np.minimum(own.values[spent - own.floor], high)

    def made(self, atom: int, box: Box) -> Made:
        key = (atom, tuple((part, box[part]) for part in self.below[atom] if part in box))
        if key not in self.cache:
            if len(self.cache) >= CACHED_MAX:
                self.cache.clear()
            self.cache[key] = self._make(atom, box)
        return self.cache[key]

    def _make(self, atom: int, box: Box) -> Made:
        unit = self.unit(atom)
        alone = sorted((term for term in self.network.terms(atom) if self._is_alone(term)), key=lambda term: -term.coefficient)
        others = tuple(((atom, n), term) for n, term in enumerate(self.network.terms(atom)) if not self._is_alone(term))
        products = tuple(self.product(place, term, box, unit) for place, term in others)
        items = [folded.result.scaled(term.coefficient) for folded, (_, term) in zip(products, others, strict=True)]
        if alone:
            heaviest = np.concatenate([[0.0], np.cumsum([term.coefficient for term in alone])])[: self.budget + 1]
            items.insert(0, Frontier(0, heaviest).refined(unit))
        total = fold(items, self.budget * unit, product=False)
        return Made(tuple(term.atoms[0][0] for term in alone), others, products, total)

    def _is_alone(self, term: Term) -> bool:
        return len(term.atoms) == 1 and self.network.is_task(term.atoms[0][0]) and term.atoms[0][0] not in self.prices

    def product(self, place: Place, term: Term, box: Box, unit: int) -> Folded:
        items = [self.used(atom, place, box, unit).powered(power) for atom, power in term.atoms]
        return fold(items or [constant(1.0)], self.budget * unit, product=True)

    def settled(self, atom: int, box: Box) -> int:
        """Grains for a shared atom whose value is settled."""
        return reach(self.in_grains(atom, box), box[atom][0])

    def is_settled(self, atom: int, box: Box) -> bool:
        low, high = box.get(atom, ANY)
        return low == high


TASK = Frontier(0, np.array([0.0, 1.0]))


def reach(frontier: Frontier, value: float) -> int:
    grains = frontier.cheapest(value - EPSILON)
    if grains is None:
        raise OutOfReachError
    return grains
