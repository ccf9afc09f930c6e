"""The objective as an expression over who is replicated, with everything factored out that can be.

Why: an operand that occurs in one place only can be planned for by itself. Factoring (a join's product of the same upstream, a diamond
over a full edge, a split) brings most operands down to one occurrence; what still occurs twice is what the exact solver has to branch on.
Called by: fidelity.exact, through `factored`.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from levee.planning.fidelity.bundle import bundled
from levee.planning.fidelity.model import Model, weight
from levee.planning.fidelity.network import ONE, Network, Term
from levee.planning.fidelity.plan import Metric
from levee.planning.fidelity.problem import FidelityProblem

DIGITS = 12  # Weights that agree so far are the same weight: consumers of a full edge see one level.


def factored(problem: FidelityProblem, metric: Metric) -> Network:
    """The metric of a problem as a factored network."""
    factory = _Factory(len(problem.tasks))
    kept: list[Term] = []  # per task, what is left of its output
    counted: list[Term] = []  # and what of it the metric counts
    alive: list[frozenset[int]] = []  # per task: who must be replicated so that its stream does not stall
    for number, task in enumerate(problem.tasks):
        needed = frozenset[int]().union(*(alive[producer] for producer in problem.producers(number)))
        present = [factory.task(other) for other in needed | {number}]
        for found, by_selectivity in ((kept, True), (counted, False)):
            left = factory.restrict(_combined(problem, number, metric, kept, factory, by_selectivity=by_selectivity), needed)
            found.append(multiply([*present, left], len(problem.tasks)))
        alive.append(needed | {number} if task.waits else needed)
    weights = Model(problem, metric).objective_weights
    root = factory.add(scale(counted[number], float(share)) for number, share in enumerate(weights) if share > 0)
    return bundled(Network(len(problem.tasks), tuple(factory.sums), root))


def _combined(
    problem: FidelityProblem, number: int, metric: Metric, kept: list[Term], factory: "_Factory", *, by_selectivity: bool
) -> Term:
    task = problem.tasks[number]
    if task.is_source:
        return ONE
    levels = [
        factory.add(scale(kept[producer], rate / stream.rows_per_s) for producer, rate in stream.substreams) for stream in task.streams
    ]
    if problem.correlated(number) and metric is Metric.OF:
        return multiply(levels, len(problem.tasks))
    mass = [weight(stream.rows_per_s, stream.selectivity if by_selectivity else 1.0, metric) for stream in task.streams]
    return factory.add(scale(level, part / sum(mass)) for level, part in zip(levels, mass, strict=True))


def scale(term: Term, factor: float) -> Term:
    return Term(term.coefficient * factor, term.atoms)


def multiply(terms: Iterable[Term], tasks: int) -> Term:
    coefficient, powers = 1.0, Counter[int]()
    for term in terms:
        coefficient *= term.coefficient
        for atom, power in term.atoms:
            powers[atom] = 1 if atom < tasks else powers[atom] + power
    return Term(coefficient, tuple(sorted(powers.items())))


@dataclass(slots=True)
class _Factory:
    """Makes sums; equal ones are made once."""

    tasks: int
    sums: list[tuple[Term, ...]] = field(default_factory=list)
    known: dict[tuple[tuple[float, tuple[tuple[int, int], ...]], ...], int] = field(default_factory=dict)

    def task(self, number: int) -> Term:
        return Term(1.0, ((number, 1),))

    def add(self, terms: Iterable[Term]) -> Term:
        merged = _merged(terms)
        common = _common(merged)
        rest = self._grouped([_divided(term, common) for term in merged])
        if len(rest) == 1:
            return multiply([Term(1.0, tuple(common.items())), rest[0]], self.tasks)
        total = sum(term.coefficient for term in rest)
        atom = self._sum(tuple(scale(term, 1 / total) for term in rest))
        return multiply([Term(total, tuple(common.items())), Term(1.0, ((atom, 1),))], self.tasks)

    def _grouped(self, terms: list[Term]) -> list[Term]:
        """Terms that share an atom become one term, so that the atom occurs once (Horner's rule)."""
        while True:
            counts = Counter(atom for term in terms for atom, _ in term.atoms)
            atom = max(counts, key=lambda one: (counts[one], one), default=None)
            if atom is None or counts[atom] < 2:
                return terms
            inside = [term for term in terms if atom in dict(term.atoms)]
            terms = [self.add(inside), *(term for term in terms if atom not in dict(term.atoms))]

    def _sum(self, terms: tuple[Term, ...]) -> int:
        key = tuple(sorted((round(term.coefficient, DIGITS), term.atoms) for term in terms))
        if key not in self.known:
            self.known[key] = self.tasks + len(self.sums)
            self.sums.append(terms)
        return self.known[key]

    def restrict(self, term: Term, ones: frozenset[int]) -> Term:
        """The term when these tasks are known to be replicated."""
        if not ones:
            return term
        factors = [Term(term.coefficient)]
        for atom, power in term.atoms:
            if atom >= self.tasks:
                inner = self.add(self.restrict(one, ones) for one in self.sums[atom - self.tasks])
                factors.extend([inner] * power)
            elif atom not in ones:
                factors.append(self.task(atom))
        return multiply(factors, self.tasks)


def _merged(terms: Iterable[Term]) -> list[Term]:
    coefficients: dict[tuple[tuple[int, int], ...], float] = {}
    for term in terms:
        coefficients[term.atoms] = coefficients.get(term.atoms, 0.0) + term.coefficient
    return [Term(coefficient, atoms) for atoms, coefficient in coefficients.items()]


def _common(terms: list[Term]) -> dict[int, int]:
    shared = dict(terms[0].atoms)
    for term in terms[1:]:
        powers = dict(term.atoms)
        shared = {atom: min(power, powers[atom]) for atom, power in shared.items() if atom in powers}
    return shared


def _divided(term: Term, by: dict[int, int]) -> Term:
    left = ((atom, power - by.get(atom, 0)) for atom, power in term.atoms)
    return Term(term.coefficient, tuple((atom, power) for atom, power in left if power > 0))
