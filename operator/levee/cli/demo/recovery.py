"""How long each task paused after a failure, for those with another active copy and those without.

Why: that is the promise of a plan, so the measurement must stand beside it. Times are the store's stamps of the streams; a task's pause
is counted without the time in which its inputs were not there, else each task behind one that failed would seem to have failed, too.
Called by: cli.demo.run.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from levee.control.names import ReplicaName, task_of
from levee.topology.names import TaskId
from levee.worlds.local.script import Inflicted
from levee_spark.log import anchor
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Found, Get, Want
from levee_spark.log.wiring import Wiring
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver


@dataclass(frozen=True, slots=True)
class Struck:
    """A failure, and who was active when it came."""

    inflicted: Inflicted
    active: frozenset[ReplicaName]

    def tasks(self) -> frozenset[TaskId]:
        """That lost an active replica."""
        return frozenset(task_of(one) for one in self.active.intersection(self.inflicted.hit.replicas))

    def covered(self) -> frozenset[TaskId]:
        """Those of them that had another one, elsewhere."""
        return self.tasks() & {task_of(one) for one in self.active.difference(self.inflicted.hit.replicas)}


@dataclass(frozen=True, slots=True)
class Pause:
    task: TaskId
    ms: int


@dataclass(frozen=True, slots=True)
class Recovery:
    what: str
    covered: tuple[Pause, ...]
    restarted: tuple[Pause, ...]  # of tasks whose plan has no other copy: from a checkpoint
    output_ms: int  # the longest time between two epochs of the output


@dataclass(frozen=True, slots=True)
class Timeline:
    """Per task and epoch, when it was committed, by the store's clock; when each epoch was due; what each task reads."""

    due_ms: Mapping[int, int]
    committed_ms: Mapping[TaskId, Mapping[int, int]]
    inputs: Mapping[TaskId, tuple[TaskId, ...]]
    outputs: tuple[TaskId, ...]
    period_ms: int

    def output(self) -> dict[int, int]:
        """When all tasks of the output had committed an epoch."""
        there = set(self.due_ms).intersection(*(self.committed_ms[task] for task in self.outputs))
        return {epoch: max(self.committed_ms[task][epoch] for task in self.outputs) for epoch in sorted(there)}

    def pause_ms(self, task: TaskId, at_ms: int) -> int:
        """From then on to its next epoch, without the time in which it had nothing to do."""
        mine, inputs = self.committed_ms[task], self.inputs[task]
        epoch = min((one for one, committed in mine.items() if committed > at_ms), default=None)
        if epoch is None:
            return 0
        ready = [self.committed_ms[other].get(epoch, 0) for other in inputs] or [self.due_ms[epoch]]
        return mine[epoch] - max(at_ms, *ready)

    def output_gap_ms(self, begin_ms: int, end_ms: int) -> int:
        """The longest between two epochs of which the later came in that time."""
        stamps = list(self.output().values())
        return max((later - sooner for sooner, later in pairwise(stamps) if begin_ms < later <= end_ms), default=0)


def timeline(driver: StoreDriver, wiring: Wiring, operator: str, epochs: int) -> Timeline:
    layout, tasks = wiring.layout, {task: wired for task, wired in wiring.tasks.items() if not wired.sink}
    view = anchor.AnchorView(layout, wiring.times.period_ms)
    drive(view.refresh(), driver)
    due = {epoch: at_ms for epoch in range(1, epochs + 1) if (at_ms := view.due_ms(epoch)) is not None}
    committed = {task: {epoch: at for epoch in due if (at := stamp(driver, layout, task, epoch)) is not None} for task in tasks}
    outputs = tuple(task for task, wired in tasks.items() if wired.operator == operator)
    return Timeline(due, committed, {task: wired.inputs for task, wired in tasks.items()}, outputs, wiring.times.period_ms)


def stamp(driver: StoreDriver, layout: Layout, task: TaskId, epoch: int) -> int | None:
    found = driver.answer(Get(layout.epoch(task, epoch), Want.STAMP))
    return found.written_ms if isinstance(found, Found) else None


def recoveries(times: Timeline, struck: Sequence[Struck]) -> list[Recovery]:
    """Each by what came after it and before the next; the streams' stamps and the failures' are of one clock."""
    last = max(times.output().values(), default=0)
    ends = [*(one.inflicted.at_utc_ms for one in struck[1:]), last]
    return [recovery(times, one, end) for one, end in zip(struck, ends, strict=True)]


def recovery(times: Timeline, one: Struck, end_ms: int) -> Recovery:
    at_ms = one.inflicted.at_utc_ms

    def pauses(tasks: Set[TaskId]) -> tuple[Pause, ...]:
        known = [task for task in times.committed_ms if task in tasks]  # in the order of the graph; sinks have no stream
        return tuple(Pause(task, times.pause_ms(task, at_ms)) for task in known)

    restarted = pauses(one.tasks() - one.covered())
    return Recovery(one.inflicted.text, pauses(one.covered()), restarted, times.output_gap_ms(at_ms, end_ms))
