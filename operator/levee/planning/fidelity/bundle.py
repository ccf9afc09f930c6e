"""Atoms that only ever occur together, made one.

Why: a source and its one-to-one consumer, or a level and the single task it goes through, are then one shared operand to branch on
instead of several, and one price to divide.
Called by: fidelity.factor, as its last step.
"""

from collections import defaultdict

from levee.planning.fidelity.network import Network, Term


def bundled(network: Network) -> Network:
    """The same network, with every group of atoms that share all their places (two or more) as a sum of one term."""
    groups = _groups(network)
    new = {atom: network.tasks + len(network.sums) + number for number, group in enumerate(groups) for atom in group}
    terms = {atom: tuple(_replaced(term, new) for term in network.terms(atom)) for atom in network.atoms}
    terms |= {new[group[0]]: (Term(1.0, tuple((atom, 1) for atom in group)),) for group in groups}
    return _renumbered(network.tasks, terms, _replaced(network.root, new))


def _groups(network: Network) -> list[tuple[int, ...]]:
    """Sums must agree in their powers, too; a task's power is always one."""
    powers = {(place, atom): power for place, term in network.placed_terms() for atom, power in term.atoms}
    alike: dict[object, list[int]] = defaultdict(list)
    for atom, places in network.places.items():
        if len(places) > 1:
            alike[places].append(atom)
    groups = []
    for atoms in alike.values():
        tasks = [atom for atom in atoms if network.is_task(atom)]
        sums = [atom for atom in atoms if not network.is_task(atom)]
        alike_sums = [atom for atom in sums if all(powers[place, atom] == powers[place, sums[0]] for place in network.places[atom])]
        if len(tasks) + len(alike_sums) > 1:
            groups.append((*tasks, *alike_sums))
    return groups


def _replaced(term: Term, new: dict[int, int]) -> Term:
    powers: dict[int, int] = {}
    for atom, power in term.atoms:
        powers[new.get(atom, atom)] = max(power, powers.get(new.get(atom, atom), 1))
    return Term(term.coefficient, tuple(sorted(powers.items())))


def _renumbered(tasks: int, terms: dict[int, tuple[Term, ...]], root: Term) -> Network:
    """Sums in an order in which operands come first."""
    number: dict[int, int] = {atom: atom for atom in range(tasks)}
    sums: list[tuple[Term, ...]] = []

    def place(term: Term) -> Term:
        for atom, _ in term.atoms:
            if atom not in number:
                placed = tuple(place(part) for part in terms[atom])
                number[atom] = tasks + len(sums)
                sums.append(placed)
        return Term(term.coefficient, tuple(sorted((number[atom], power) for atom, power in term.atoms)))

    placed_root = place(root)
    return Network(tasks, tuple(sums), placed_root)
