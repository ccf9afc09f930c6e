"""An upper bound on the objective: every use of a shared operand may choose for itself, and pays its part of the cost.

Why: without shared operands the factored network is solved exactly by frontiers. A shared operand is given to each of its k uses as a
copy of its own, at a k-th of the price: whoever lets all copies choose alike pays the true price, so no plan is excluded and the optimum
is a bound. Where the copies do choose alike it is the optimum itself; where they do not, the exact solver narrows the operand's interval.
Called by: fidelity.exact.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import lcm

import numpy as np

from levee.planning.fidelity.factor import Network, Term
from levee.planning.fidelity.frontier import EPSILON, Folded, Frontier, constant, fold

Interval = tuple[float, float]
Box = Mapping[int, Interval]  # shared atom -> the values it may still take; absent: any
ANY: Interval = (0.0, 1.0)
GRAINS_MAX = 1500  # in all: finer grains make the bound no better, only slower


class OutOfReachError(Exception):
    """No plan lies in this box."""


@dataclass(frozen=True, slots=True)
class Made:
    """A sum's frontier and how it came about."""

    frontier: Frontier
    private: tuple[int, ...]  # tasks that occur here only and stand alone in their term, heaviest first
    terms: tuple[Term, ...]  # the other terms
    products: tuple[Folded, ...]  # one per other term
    total: Folded  # of the private tasks (if any) and the products


@dataclass(frozen=True, slots=True)
class Relaxed:
    """The relaxation's optimum in a box."""

    bound: float
    tasks: frozenset[int]  # those that its copies replicate
    chosen: Mapping[int, tuple[float, ...]]  # per shared atom that is not fixed: the value that each of its uses wants
    cost: int  # replicas, if every shared atom were what its dearest use wants


@dataclass
class Relaxation:
    network: Network
    budget: int
    cache: dict[tuple[int, tuple[tuple[int, Interval], ...]], Made] = field(default_factory=dict)

    @cached_property
    def atoms(self) -> tuple[int, ...]:
        """Those that the root is made of, operands before their sums."""
        found: set[int] = set()
        open_atoms = [atom for atom, _ in self.network.root.atoms]
        while open_atoms:
            atom = open_atoms.pop()
            if atom not in found:
                found.add(atom)
                open_atoms += [below for term in self._terms(atom) for below, _ in term.atoms]
        return tuple(sorted(found))

    @cached_property
    def uses(self) -> Counter[int]:
        terms = [self.network.root, *(term for atom in self.atoms for term in self._terms(atom))]
        return Counter(atom for term in terms for atom, _ in term.atoms)

    @cached_property
    def shared(self) -> frozenset[int]:
        return frozenset(atom for atom in self.atoms if self.uses[atom] > 1)

    @cached_property
    def below(self) -> Mapping[int, tuple[int, ...]]:
        """Per atom the shared atoms that it is made of."""
        found: dict[int, frozenset[int]] = {}
        for atom in self.atoms:
            parts = {part for term in self._terms(atom) for part, _ in term.atoms}
            found[atom] = frozenset().union(*(found[part] for part in parts)) | (parts & self.shared)
        return {atom: tuple(sorted(parts)) for atom, parts in found.items()}

    @cached_property
    def grains(self) -> int:
        """Per replica: enough to divide every price exactly, unless that is too many."""
        wanted: dict[int, int] = {atom: self.uses[atom] for atom, _ in self.network.root.atoms}
        for atom in reversed(self.atoms):
            for term in self._terms(atom):
                for part, _ in term.atoms:
                    wanted[part] = lcm(wanted.get(part, 1), wanted.get(atom, 1) * self.uses[part])
        exact = lcm(*wanted.values()) if wanted else 1
        return min(exact, max(GRAINS_MAX // max(self.budget, 1), 1))

    def _terms(self, atom: int) -> tuple[Term, ...]:
        return () if self.network.is_task(atom) else self.network.terms(atom)

    def unit(self, atom: int) -> int:
        """Grains per step of the atom's own frontier: whole replicas while nothing below is shared."""
        return self.grains if self.below[atom] else 1

    def own(self, atom: int, box: Box) -> Frontier:
        return Frontier(0, np.array([0.0, 1.0])) if self.network.is_task(atom) else self.made(atom, box).frontier

    def in_grains(self, atom: int, box: Box) -> Frontier:
        return _refined(self.own(atom, box), self.grains // self.unit(atom))

    def used(self, atom: int, box: Box, unit: int) -> Frontier:
        """The atom as one of its uses sees it."""
        if atom not in self.shared:
            return _refined(self.own(atom, box), unit // self.unit(atom))
        low, high = box.get(atom, ANY)
        own, uses = self.in_grains(atom, box), self.uses[atom]
        start = _reach(own, low)
        if low == high:
            return constant(high)  # paid for by the box
        end = own.cheapest(high)
        paid = np.arange(start // uses, (own.end if end is None else end) // uses + 1)
        worth = np.minimum(paid * uses + uses - 1, own.end) - own.floor
        return Frontier(start // uses, np.minimum(own.values[worth], high))

    def made(self, atom: int, box: Box) -> Made:
        key = (atom, tuple((part, box[part]) for part in self.below[atom] if part in box))
        if key not in self.cache:
            self.cache[key] = self._make(atom, box)
        return self.cache[key]

    def _make(self, atom: int, box: Box) -> Made:
        unit = self.unit(atom)
        limit = self.budget * unit
        alone = [term for term in self._terms(atom) if self._is_alone(term)]
        alone.sort(key=lambda term: -term.coefficient)
        terms = tuple(term for term in self._terms(atom) if not self._is_alone(term))
        products = tuple(self.product(term, box, unit) for term in terms)
        items = [item.result.mapped(lambda v, c=term.coefficient: c * v) for item, term in zip(products, terms, strict=True)]
        if alone:
            heaviest = np.concatenate([[0.0], np.cumsum([term.coefficient for term in alone])])[: self.budget + 1]
            items.insert(0, _refined(Frontier(0, heaviest), unit))
        total = fold(items, limit, product=False)
        return Made(total.result, tuple(term.atoms[0][0] for term in alone), terms, products, total)

    def _is_alone(self, term: Term) -> bool:
        return len(term.atoms) == 1 and self.network.is_task(term.atoms[0][0]) and term.atoms[0][0] not in self.shared

    def product(self, term: Term, box: Box, unit: int) -> Folded:
        if not term.atoms:
            return fold([constant(1.0)], 0, product=True)
        items = [self.used(atom, box, unit).mapped(lambda v, p=power: v**p) for atom, power in term.atoms]
        return fold(items, self.budget * unit, product=True)

    def solve(self, box: Box) -> Relaxed | None:
        """None: no plan in the box."""
        try:
            top = self.product(self.network.root, box, self.grains)
            left = self.budget * self.grains - self.prepaid(box)
        except OutOfReachError:
            return None
        if left < top.result.floor:
            return None
        return _Trace(self, box).follow(top, left)

    def prepaid(self, box: Box) -> int:
        """Grains for the shared atoms whose value is settled."""
        return sum(_reach(self.in_grains(atom, box), low) for atom, (low, high) in box.items() if low == high)


@dataclass
class _Trace:
    """Follows the best choices down to the tasks."""

    relaxation: Relaxation
    box: Box
    tasks: set[int] = field(default_factory=set)
    wanted: dict[int, list[int]] = field(default_factory=dict)  # per shared atom: the grains that each use would spend on it

    def follow(self, top: Folded, grains: int) -> Relaxed:
        relaxation = self.relaxation
        self._term(relaxation.network.root, top, grains, relaxation.grains)
        for atom in sorted(relaxation.shared, reverse=True):
            self._atom(atom, max(self.wanted[atom]) // (relaxation.grains // relaxation.unit(atom)))
        chosen = {
            atom: tuple(self._value(atom, spent) for spent in self.wanted[atom])
            for atom in relaxation.shared
            if len(set(self.box.get(atom, ANY))) > 1
        }
        bound = relaxation.network.root.coefficient * top.result.at(grains)
        return Relaxed(bound, frozenset(self.tasks), chosen, len(self.tasks))

    def _term(self, term: Term, folded: Folded, grains: int, unit: int) -> None:
        if not term.atoms:
            return
        for (atom, _), part in zip(term.atoms, folded.split(grains), strict=True):
            if atom in self.relaxation.shared:
                self.wanted.setdefault(atom, []).append(self._spent(atom, part))
            else:
                self._atom(atom, part // (unit // self.relaxation.unit(atom)))

    def _atom(self, atom: int, steps: int) -> None:
        if not self.relaxation.network.is_task(atom):
            self._sum(atom, steps)
        elif steps >= 1:
            self.tasks.add(atom)

    def _sum(self, atom: int, steps: int) -> None:
        made, unit = self.relaxation.made(atom, self.box), self.relaxation.unit(atom)
        parts = made.total.split(steps)
        if made.private:
            self.tasks.update(made.private[: parts.pop(0) // unit])
        for term, folded, part in zip(made.terms, made.products, parts, strict=True):
            self._term(term, folded, part, unit)

    def _spent(self, atom: int, part: int) -> int:
        """Grains that a use which pays so much would have spent on the atom as a whole: the fewest for the same value."""
        low, high = self.box.get(atom, ANY)
        own, uses = self.relaxation.in_grains(atom, self.box), self.relaxation.uses[atom]
        if low == high:
            return _reach(own, low)
        value = min(own.at(min(part * uses + uses - 1, own.end)), high)
        return max(_reach(own, value), _reach(own, low))

    def _value(self, atom: int, grains: int) -> float:
        return min(self.relaxation.in_grains(atom, self.box).at(grains), self.box.get(atom, ANY)[1])


def _refined(frontier: Frontier, times: int) -> Frontier:
    """The same frontier in finer steps."""
    if times == 1:
        return frontier
    return Frontier(frontier.floor * times, np.repeat(frontier.values, times)[: (len(frontier.values) - 1) * times + 1])


def _reach(frontier: Frontier, value: float) -> int:
    grains = frontier.cheapest(value - EPSILON)
    if grains is None:
        raise OutOfReachError
    return grains
