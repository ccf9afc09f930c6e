"""A general topology taken apart into structured and full sub-topologies, and a structured one into units.

Why: the structure-aware algorithm plans each part by itself (Su and Zhou, section IV-C).
Called by: fidelity.structure_aware, fidelity.structured.

Sub-topologies are cut at full edges only, as few as that allows, so that the choice in one does not bind the other. Operators with
anything but full edges form structured sub-topologies together with those that they reach over such edges; the others form full ones.
(The paper explores from the sink by depth-first search, with a start set for the operators that do not fit; the parts are the same.)
A full edge inside a structured sub-topology, possible beside a structured detour, is a unit boundary.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from levee.planning.fidelity.problem import FidelityProblem
from levee.topology.graph import Partitioning

Links = Callable[[int, int], bool]  # (upstream operator, downstream operator): do they belong together?


@dataclass(frozen=True, slots=True)
class SubTopology:
    operators: frozenset[int]
    is_full: bool


def sub_topologies(problem: FidelityProblem) -> tuple[SubTopology, ...]:
    """From the sink upwards."""
    kinds = edge_kinds(problem)
    structured = {operator for edge, kind in kinds.items() if kind is not Partitioning.FULL for operator in edge}

    def together(upstream: int, downstream: int) -> bool:
        if kinds[upstream, downstream] is not Partitioning.FULL:
            return True
        return upstream not in structured and downstream not in structured

    parts = connected(problem, range(len(problem.operators)), together)
    return tuple(SubTopology(part, structured.isdisjoint(part)) for part in reversed(parts))


def units(problem: FidelityProblem, part: SubTopology) -> tuple[frozenset[int], ...]:
    """The parts of a structured sub-topology within which MC-trees are few."""
    kinds = edge_kinds(problem)
    split = {upstream for (upstream, _), kind in kinds.items() if kind is Partitioning.SPLIT}

    def together(upstream: int, downstream: int) -> bool:
        match kinds[upstream, downstream]:
            case Partitioning.FULL:
                return False
            case Partitioning.MERGE:
                joins = problem.operators[downstream].correlated and len(problem.operators[downstream].inputs) > 1
                return downstream not in split and not joins
            case Partitioning.ONE_TO_ONE | Partitioning.SPLIT:
                return True

    return connected(problem, part.operators, together)


def edge_kinds(problem: FidelityProblem) -> dict[tuple[int, int], Partitioning]:
    """Per pair of neighbouring operators."""
    return {(stream.origin, place): stream.partitioning for place, operator in enumerate(problem.operators) for stream in operator.inputs}


def connected(problem: FidelityProblem, operators: Iterable[int], together: Links) -> tuple[frozenset[int], ...]:
    """The classes of operators that `together` ties to each other, by their first operator."""
    chosen = sorted(operators)
    label = {operator: operator for operator in chosen}
    for upstream, downstream in edge_kinds(problem):
        if upstream in label and downstream in label and together(upstream, downstream):
            old, new = sorted((label[upstream], label[downstream]), reverse=True)
            label = {operator: new if found == old else found for operator, found in label.items()}
    return tuple(frozenset(o for o in chosen if label[o] == first) for first in sorted(set(label.values())))
