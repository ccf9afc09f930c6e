"""Find room for the single replicas once it is settled which tasks are safe, or say which safe tasks leave none.

Why: choosing nodes for single replicas costs nothing and promises nothing, so the search for a good plan settles who is safe with these
choices relaxed, and asks here afterwards; a refusal becomes a cut.
Called by: completeness.search.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from levee.planning.completeness.activation import ROOM, Choice, share, standing
from levee.planning.completeness.highs import Outcome, Program, run
from levee.planning.completeness.model import Model
from levee.planning.result import Stop

Assignment = dict[int, int]  # task -> the node where its single replica runs


@dataclass(frozen=True)
class Packing:
    """The nodes of one configuration that can be overloaded, and the tasks that load them (pessimistic model)."""

    model: Model
    choice: Choice

    @cached_property
    def on(self) -> tuple[Mapping[int, int], ...]:
        return standing(self.model)

    @cached_property
    def islands(self) -> tuple[frozenset[int], ...]:
        """Groups of nodes that share no task with a choice: they can be packed one by one."""
        islands: list[frozenset[int]] = [frozenset({node}) for node in sorted(self.choice.hot)]
        for nodes in self.choice.picks.values():
            touched = [island for island in islands if island & nodes.keys()]
            islands = [island for island in islands if island not in touched] + [frozenset().union(*touched)]
        return tuple(islands)

    def room(self, island: frozenset[int], safe: Collection[int]) -> dict[int, float]:
        """What is left of each node beside what runs there in any case."""
        room = dict.fromkeys(sorted(island), ROOM)
        for task, nodes in enumerate(self.on):
            for node in nodes.keys() & island:
                certain = nodes[node] if task in safe else 0 if task in self.choice.picks or task in self.choice.free else 1
                room[node] -= certain * share(self.model, self.choice.configuration, task, node)
        return room

    def loose(self, island: frozenset[int], safe: Collection[int]) -> list[int]:
        """The tasks that need one place on the island, the heaviest first."""
        tasks = [task for task, nodes in self.choice.picks.items() if task not in safe and nodes.keys() & island]
        return sorted(tasks, key=lambda task: -float(self.model.reserved[self.choice.configuration, task]))


def pack(packing: Packing, safe: Collection[int], stop: Stop) -> tuple[Assignment, list[frozenset[int]]] | None:
    """Where the single replicas go; and for each island without room the safe tasks that cannot all be so. None: stopped."""
    assignment: Assignment = {}
    refusals: list[frozenset[int]] = []
    for island in packing.islands:
        found, proven = place_on(packing, island, safe, stop)
        if found is not None:
            assignment |= found
        elif proven:
            refusals.append(_blame(packing, island, safe, stop))
        else:
            return None
    return assignment, refusals


def place_on(packing: Packing, island: frozenset[int], safe: Collection[int], stop: Stop) -> tuple[Assignment | None, bool]:
    """A placement if there is one; without, whether it is proven that there is none."""
    quick = _greedily(packing, island, safe)
    if quick is not None:
        return quick, True
    program, columns = Program(), dict[int, dict[int, int]]()
    rows: dict[int, dict[int, float]] = {node: {} for node in island}
    for task in packing.loose(island, safe):
        columns[task] = {node: program.column(whole=True) for node in packing.choice.picks[task]}
        program.row(dict.fromkeys(columns[task].values(), 1.0), at_least=1.0, at_most=1.0)
        for node, column in columns[task].items():
            rows[node][column] = share(packing.model, packing.choice.configuration, task, node)
    for node, room in packing.room(island, safe).items():
        program.row(rows[node], at_most=room)
    answer = run(program, stop)
    if answer.values is None:
        return None, answer.outcome is Outcome.INFEASIBLE
    values = answer.values
    return {task: max(at, key=lambda node: values[at[node]]) for task, at in columns.items()}, True


def _greedily(packing: Packing, island: frozenset[int], safe: Collection[int]) -> Assignment | None:
    """The heaviest first, each onto the emptiest of its nodes: most often that will do."""
    room, assignment = packing.room(island, safe), Assignment()
    for task in packing.loose(island, safe):
        node = max(packing.choice.picks[task], key=lambda node: room[node])
        assignment[task] = node
        room[node] -= share(packing.model, packing.choice.configuration, task, node)
    return assignment if min(room.values(), default=0.0) >= 0 else None


def _blame(packing: Packing, island: frozenset[int], safe: Iterable[int], stop: Stop) -> frozenset[int]:
    """A smallest set (none of it can be spared) of safe tasks for which the others find no room; more would not help."""
    blamed = {task for task in safe if packing.on[task].keys() & island}
    for task in sorted(blamed, key=lambda task: float(packing.model.reserved[packing.choice.configuration, task])):
        found, proven = place_on(packing, island, blamed - {task}, stop)
        if found is None and proven:
            blamed -= {task}
    return frozenset(blamed)
