"""What the streams of a topology did for a while: which epoch was due when, when each task had committed it, and what that amounts to.

Why: a promise is of rows that are processed in time; who was there when is in the manifests and in the store's stamps, and nowhere else.
Called by: taking, which reads it from the store; page, which draws it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from levee.topology.names import OperatorName, TaskId
from levee_spark.log.values import Kind, Manifest


@dataclass(frozen=True, slots=True)
class Reads:
    """A task of an operator, and what it reads: of each input's rows its share."""

    inputs: Mapping[TaskId, float]
    allowed_ms: int  # from when an epoch is due until it is late here


@dataclass(frozen=True, slots=True)
class Committed:
    manifest: Manifest
    at_ms: int  # by the store

    @property
    def is_final(self) -> bool:
        return self.manifest.kind is Kind.FINAL


@dataclass(frozen=True, slots=True)
class Window:
    """From one moment to another, by the store's clock."""

    since_ms: int
    until_ms: int

    @property
    def ms(self) -> int:
        return self.until_ms - self.since_ms

    def holds(self, at_ms: int) -> bool:
        return self.since_ms < at_ms <= self.until_ms


@dataclass(frozen=True)
class Course:
    """Of every stream the epochs that were looked at; tasks stand after those that they read."""

    committed: Mapping[TaskId, Mapping[int, Committed]]
    reads: Mapping[TaskId, Reads]  # of operators' tasks
    allowed_ms: Mapping[TaskId, int]  # of sources, too
    outputs: Mapping[OperatorName, tuple[TaskId, ...]]  # what is delivered, by who emits it
    period_ms: int

    @cached_property
    def due_ms(self) -> Mapping[int, int]:
        """The times that their sources wrote down; 0 means that nobody knew."""
        found: dict[int, int] = {}
        for stream in self.committed.values():
            for epoch, one in stream.items():
                found[epoch] = max(found.get(epoch, 0), one.manifest.time_ms)
        return {epoch: due for epoch, due in sorted(found.items()) if due}

    def epochs(self, window: Window) -> list[int]:
        return [epoch for epoch, due in self.due_ms.items() if window.holds(due)]

    def unborn(self, window: Window) -> int:
        """How many should have been due in that time, and never were: nobody ingested."""
        return max(0, window.ms // self.period_ms - len(self.epochs(window)))

    def is_in_time(self, task: TaskId, epoch: int) -> bool:
        one = self.committed[task].get(epoch)
        return one is not None and one.is_final and one.at_ms <= self.due_ms[epoch] + self.allowed_ms[task]

    # ---- what it amounts to

    def completeness(self, window: Window) -> float | None:
        """Of the rows that operators should have read, the share that they had processed in time. None: there was nothing to process."""
        due = in_time = 0.0
        for task in self.reads:
            typical = self.typical_rows(task)
            due += typical * self.unborn(window)
            for epoch in self.epochs(window):
                rows = self.rows(task, epoch)
                due += typical if rows is None else rows
                in_time += rows if rows is not None and self.is_in_time(task, epoch) else 0.0
        return in_time / due if due else None

    def rows(self, task: TaskId, epoch: int) -> float | None:
        """That it reads in an epoch; None where an input is missing, or was given up."""
        found = 0.0
        for producer, share in self.reads[task].inputs.items():
            one = self.committed[producer].get(epoch)
            if one is None or not one.is_final:
                return None
            found += share * one.manifest.rows
        return found

    def typical_rows(self, task: TaskId) -> float:
        known = [rows for epoch in self.due_ms if (rows := self.rows(task, epoch)) is not None]
        return sum(known) / len(known) if known else 0.0

    def mean(self, window: Window, worth: Callable[[frozenset[TaskId]], float]) -> float | None:
        """Of what an epoch is worth by the tasks that did not have it in time. None: there was no epoch."""
        known: dict[frozenset[TaskId], float] = {}
        missed = [frozenset(task for task in self.committed if not self.is_in_time(task, epoch)) for epoch in self.epochs(window)]
        missed += [frozenset(self.committed)] * self.unborn(window)
        for one in missed:
            if one not in known:
                known[one] = worth(one)
        return sum(known[one] for one in missed) / len(missed) if missed else None

    def output(self, tasks: tuple[TaskId, ...]) -> dict[int, int]:
        """When all of them had committed an epoch."""
        whole = set(self.due_ms).intersection(*(self.committed[task] for task in tasks))
        return {epoch: max(self.committed[task][epoch].at_ms for task in tasks) for epoch in sorted(whole)}

    def gap_ms(self, window: Window) -> int:
        """The longest time without an epoch of an output that ended within the window, or lasts."""
        return max((longest_ms(list(self.output(tasks).values()), window) for tasks in self.outputs.values()), default=0)


def longest_ms(stamps: list[int], window: Window) -> int:
    """What began before counts from its beginning: the epoch that the fault delayed."""
    times = [*sorted(one for one in stamps if one <= window.until_ms), window.until_ms]
    gaps = [later - sooner for sooner, later in pairwise(times) if later > window.since_ms]
    return max(gaps, default=window.ms)
