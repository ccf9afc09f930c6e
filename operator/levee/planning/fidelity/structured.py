"""Algorithm 3 of Su and Zhou: the best next step in a structured sub-topology, a set of connected segments.

Why: enumerating whole MC-trees is too much even here; segments (the MC-trees of a unit) are few, and are joined only where needed.
Called by: fidelity.structure_aware, step by step. Whatever lies outside the sub-topology counts as alive.

The listing is lost; the prose is read so: a segment that betters the objective by itself is a candidate. For any other, the units are
visited breadth-first from its own; each visited unit contributes the segments without which a task chosen so far would lack an input
stream from there or a consumer there, until nothing is missing or the budget is exceeded. Of several segments that connect, the one with
the largest weight (the objective with it alone in its unit) per task that is not yet replicated is taken.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from levee.planning.fidelity.decompose import SubTopology, units
from levee.planning.fidelity.mctrees import trees
from levee.planning.fidelity.model import Model

Tasks = frozenset[int]
SEGMENTS_MAX = 5_000  # of a unit
EPSILON = 1e-12


@dataclass(frozen=True)
class Structured:
    """A structured sub-topology with its units and segments."""

    model: Model
    part: SubTopology

    @cached_property
    def outside(self) -> Tasks:
        return frozenset(range(len(self.model.problem.tasks))) - self._tasks(self.part.operators)

    @cached_property
    def units(self) -> tuple[Tasks, ...]:
        """As sets of tasks."""
        return tuple(self._tasks(unit) for unit in units(self.model.problem, self.part))

    @cached_property
    def unit_of(self) -> dict[int, int]:
        return {task: place for place, unit in enumerate(self.units) for task in unit}

    @cached_property
    def segments(self) -> tuple[tuple[Tasks, ...], ...]:
        problem = self.model.problem

        def within(consumer: int, producer: int) -> bool:
            return self.unit_of[consumer] == self.unit_of.get(producer)

        found = []
        for unit in self.units:
            roots = [task for task in sorted(unit) if unit.isdisjoint(problem.consumers[task])]
            found.append(tuple(islice(trees(problem, roots, within), SEGMENTS_MAX)))
        return tuple(found)

    @cached_property
    def weights(self) -> dict[Tasks, float]:
        """The objective when of its unit a segment alone is alive, and all other units are."""
        everything = frozenset(range(len(self.model.problem.tasks)))
        weights: dict[Tasks, float] = {}
        for unit, segments in zip(self.units, self.segments, strict=True):
            values = self.model.values_of([(everything - unit) | segment for segment in segments])
            weights |= {segment: float(value) for segment, value in zip(segments, values, strict=True)}
        return weights

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """Per unit the units that it reads or feeds."""
        found: list[set[int]] = [set() for _ in self.units]
        for consumer, unit in self.unit_of.items():
            for producer in self.model.problem.producers(consumer):
                other = self.unit_of.get(producer, unit)
                if other != unit:
                    found[unit].add(other)
                    found[other].add(unit)
        return tuple(tuple(sorted(others)) for others in found)

    def _tasks(self, operators: frozenset[int]) -> Tasks:
        return frozenset(task for operator in operators for task in self.model.problem.operators[operator].tasks)

    def step(self, plan: Tasks, budget: int) -> Tasks:
        """The plan with the candidate of the highest profit density, or as it was if there is none."""
        candidates = list(dict.fromkeys(self._candidates(plan, budget)))
        if not candidates:
            return plan
        before, *values = self.model.values_of([self.outside | plan, *(self.outside | plan | one for one in candidates)])
        density = {one: round((value - before) / len(one), 12) for one, value in zip(candidates, values, strict=True)}
        best = max(candidates, key=density.__getitem__)
        return plan | best if density[best] > EPSILON else plan

    def _candidates(self, plan: Tasks, budget: int) -> Iterator[Tasks]:
        """What is new in each segment, completed where it alone does not help."""
        fresh = [(unit, segment - plan) for unit, segments in enumerate(self.segments) for segment in segments if segment - plan]
        if not fresh:
            return
        before, *values = self.model.values_of([self.outside | plan, *(self.outside | plan | new for _, new in fresh)])
        for (unit, new), value in zip(fresh, values, strict=True):
            group = new if value > before + EPSILON else self._completed(unit, new, plan, budget)
            if group is not None and 0 < len(group) <= budget:
                yield group

    def _completed(self, unit: int, new: Tasks, plan: Tasks, budget: int) -> Tasks | None:
        """The segment with those that it needs in the other units; None: too dear."""
        group, visited, queue = plan | new, {unit}, [unit]
        while queue and len(group - plan) <= budget:
            here = queue.pop(0)
            for other in (*self.neighbours[here], here):
                before, group = group, self._contributed(other, group)
                if other not in visited or group != before:
                    visited.add(other)
                    queue.append(other)
        return group - plan if len(group - plan) <= budget else None

    def _contributed(self, unit: int, group: Tasks) -> Tasks:
        """The group with the segments of this unit that its tasks lack."""
        for task in sorted(group - self.outside):
            for wanted in self._missing(unit, task, group):
                group |= self._best_connected(unit, wanted, group)
        return group

    def _best_connected(self, unit: int, wanted: Tasks, group: Tasks) -> Tasks:
        """The best segment of the unit with one of the wanted tasks; empty if there is none."""
        fitting = (segment for segment in self.segments[unit] if not wanted.isdisjoint(segment))
        return max(fitting, key=lambda segment: self._worth(segment, group), default=frozenset())

    def _worth(self, segment: Tasks, group: Tasks) -> tuple[bool, float]:
        new = len(segment - group)
        return new == 0, self.weights[segment] / max(new, 1)

    def _missing(self, unit: int, task: int, group: Tasks) -> Iterator[Tasks]:
        """The sets of tasks of this unit of which the task needs one."""
        problem, tasks = self.model.problem, self.units[unit]
        if task in tasks:
            return
        streams = [frozenset(producer for producer, _ in stream.substreams) for stream in problem.tasks[task].streams]
        hungry = [stream for stream in streams if stream.isdisjoint(group | self.outside)]
        if problem.correlated(task) or len(hungry) == len(streams):
            yield from (stream & tasks for stream in hungry if stream & tasks)
        below = frozenset(problem.consumers[task])
        if below and below.isdisjoint(group | self.outside) and below & tasks:
            yield below & tasks
