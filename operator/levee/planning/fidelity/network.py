"""An objective as a network of products and sums over who is replicated.

Why: what the factoring makes, the bundling tidies and the relaxation bounds.
Called by: fidelity.factor, fidelity.bundle, fidelity.relaxation.

An expression is a coefficient times powers of atoms. An atom is a task (0 or 1: its powers are itself) or a sum of expressions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

Place = tuple[int, int]  # where an atom occurs: (the sum, ROOT for the root; the number of its term)
ROOT = -1


@dataclass(frozen=True, slots=True)
class Term:
    coefficient: float
    atoms: tuple[tuple[int, int], ...] = ()  # (atom, power), by atom


ONE = Term(1.0)


@dataclass(frozen=True)
class Network:
    """Atoms 0 .. tasks-1 are the tasks; after them the sums, each after those that it uses."""

    tasks: int
    sums: tuple[tuple[Term, ...], ...]
    root: Term

    def terms(self, atom: int) -> tuple[Term, ...]:
        """None of a task's own."""
        return () if self.is_task(atom) else self.sums[atom - self.tasks]

    def is_task(self, atom: int) -> bool:
        return atom < self.tasks

    @cached_property
    def atoms(self) -> tuple[int, ...]:
        """Those that the root is made of, operands before their sums."""
        found: set[int] = set()
        unseen = [atom for atom, _ in self.root.atoms]
        while unseen:
            atom = unseen.pop()
            if atom not in found:
                found.add(atom)
                unseen += [part for term in self.terms(atom) for part, _ in term.atoms]
        return tuple(sorted(found))

    def placed_terms(self) -> Iterator[tuple[Place, Term]]:
        yield (ROOT, 0), self.root
        for atom in self.atoms:
            yield from (((atom, number), term) for number, term in enumerate(self.terms(atom)))

    @cached_property
    def places(self) -> dict[int, tuple[Place, ...]]:
        """Per atom where it occurs."""
        found: dict[int, list[Place]] = {atom: [] for atom in self.atoms}
        for place, term in self.placed_terms():
            for atom, _ in term.atoms:
                found[atom].append(place)
        return {atom: tuple(places) for atom, places in found.items()}
