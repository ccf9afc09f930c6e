"""The relaxation solved in a box: its bound, and which tasks and values its best choices stand for.

Why: frontiers say what is reached; branching needs what each use of a shared operand wants, incumbents need the tasks.
Called by: fidelity.exact, fidelity.prices.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from levee.planning.fidelity.frontier import Folded
from levee.planning.fidelity.network import ROOT, Place, Term
from levee.planning.fidelity.relaxation import ANY, Box, OutOfReachError, Relaxation


@dataclass(frozen=True, slots=True)
class Relaxed:
    """The relaxation's optimum in a box."""

    bound: float
    tasks: frozenset[int]  # those that its copies replicate
    chosen: Mapping[int, tuple[float, ...]]  # per shared atom that is not settled: the value that each of its uses wants


def relaxed_in(relaxation: Relaxation, box: Box) -> Relaxed | None:
    """None: no plan in the box."""
    try:
        top = relaxation.product((ROOT, 0), relaxation.network.root, box, relaxation.grains)
        paid = sum(relaxation.settled(atom, box) for atom in box if relaxation.is_settled(atom, box))
    except OutOfReachError:
        return None
    left = relaxation.budget * relaxation.grains - paid
    return None if left < top.result.floor else _Trace(relaxation, box).follow(top, left)


@dataclass
class _Trace:
    """Follows the best choices down to the tasks."""

    relaxation: Relaxation
    box: Box
    tasks: set[int] = field(default_factory=set)
    wanted: dict[int, list[tuple[Place, int]]] = field(default_factory=dict)  # per shared atom: use, grains that it would spend in all

    def follow(self, top: Folded, grains: int) -> Relaxed:
        relaxation = self.relaxation
        self._term((ROOT, 0), relaxation.network.root, top, grains, relaxation.grains)
        for atom in sorted(self.relaxation.prices, reverse=True):  # parents first: they want their operands
            self._atom(atom, max(spent for _, spent in self.wanted[atom]) // (relaxation.grains // relaxation.unit(atom)))
        chosen = {atom: self._values(atom) for atom in relaxation.prices if not relaxation.is_settled(atom, self.box)}
        return Relaxed(relaxation.network.root.coefficient * top.result.at(grains), frozenset(self.tasks), chosen)

    def _term(self, place: Place, term: Term, folded: Folded, grains: int, unit: int) -> None:
        for (atom, _), part in zip(term.atoms, folded.split(grains), strict=bool(term.atoms)):
            if atom in self.relaxation.prices:
                self.wanted.setdefault(atom, []).append((place, self._spent(atom, place, part)))
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
        for (place, term), folded, part in zip(made.others, made.products, parts, strict=True):
            self._term(place, term, folded, part, unit)

    def _spent(self, atom: int, place: Place, part: int) -> int:
        """Grains that a use which pays so much would have spent on the atom as a whole: the fewest for the best value."""
        if self.relaxation.is_settled(atom, self.box):
            return self.relaxation.settled(atom, self.box)
        spent, paid, values = self.relaxation.offers(atom, place, self.box)
        return int(spent[np.argmax(np.where(paid <= part, values, -1.0))])

    def _values(self, atom: int) -> tuple[float, ...]:
        """In the order of the uses."""
        own, high = self.relaxation.in_grains(atom, self.box), self.box.get(atom, ANY)[1]
        spent = dict(self.wanted[atom])
        return tuple(min(own.at(spent[place]), high) for place in self.relaxation.network.places[atom])
