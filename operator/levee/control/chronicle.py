"""What happened between two observations, and of failures what has been told, so that each is told once in full.

Why: a task that fails is tried again and again, and says the same each time; people must be able to see what else happens.
Called by: the local run and serve, after every turn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from levee.control.actions import Decision, Reason
from levee.control.events import Event, damages, decided, divergences, losses, nodes, primaries, waiting, workers
from levee.control.findings import AND
from levee.control.names import ReplicaName
from levee.control.seen import Observation, ReplicaSeen, Status
from levee.control.space import Rates
from levee.topology.names import TaskId

Failure: TypeAlias = tuple[TaskId, int, str]  # with the epoch and the error
FAILURES_KEPT = 1_000
GROWN, SETTLED = 1.25, 1.01  # times what was told; times the average before


@dataclass(slots=True)
class Chronicle:
    failing: dict[ReplicaName, ReplicaSeen] = field(default_factory=dict)  # as it failed last, until it is past that epoch
    times: dict[Failure, int] = field(default_factory=dict)
    above: Rates = field(default_factory=dict)  # what was offered beyond all configurations when that was told last
    headlines: frozenset[str] = frozenset()  # of the failures that were told as how things are, until all are past

    def events(self, before: Observation, after: Observation, was: Decision | None, decision: Decision) -> tuple[Event, ...]:
        changes: tuple[Event, ...] = (*nodes(before, after), *workers(before, after), *primaries(before, after))
        changes += (*divergences(before, after), *losses(before, after), *waiting(before, after), *self.failures(before, after))
        changes += tuple(damages(before, after))
        told = tuple(self.decided(was, decision))
        return (*changes, *told, *self.still_above(before, decision, told))

    def failures(self, before: Observation, after: Observation) -> Iterator[Event]:
        earlier, states = before.states(), after.states()
        for replica, state in states.items():
            if state.status is not Status.FAILED:
                continue
            self.failing[replica] = furthest(state, self.failing.get(replica))
            if replica not in earlier or earlier[replica].status is not Status.FAILED:
                yield from self.failure(state)
        there = {replica for worker in after.workers for replica in worker.replicas}
        for replica in [one for one, failed in self.failing.items() if one not in there or is_past(states.get(one), failed)]:
            del self.failing[replica]

    def failure(self, state: ReplicaSeen) -> Iterator[Event]:
        """In full when it is new; later only now and then, more and more seldom."""
        failure = (state.task, state.epoch, state.error)
        self.times[failure] = times = self.times.pop(failure, 0) + 1
        while len(self.times) > FAILURES_KEPT:
            del self.times[next(iter(self.times))]
        if times == 1:
            yield Event(state.replica, f"failed after epoch {state.epoch}: {state.error.strip() or 'no reason is known'}", grave=True)
        elif times.bit_count() == 1:
            yield Event(state.task, f"still fails: {state.replica} after epoch {state.epoch}, {times} times by now", grave=True)

    def decided(self, was: Decision | None, decision: Decision) -> Iterator[Event]:
        """While a failed replica tries again it seems to work for a moment: that is no news, nor is the same failure after it."""
        if decision.reason is Reason.TASK_FAILED:
            now = frozenset(decision.text.split(AND))  # of many tasks now these and now those try again
            if not now <= self.headlines:
                self.headlines |= now
                yield from decided(None, decision)
        elif decision.reason is Reason.STREAM_DAMAGED:
            return  # it was told of the tasks that stand still
        elif decision.actions or not self.failing:
            if not self.failing:
                was, self.headlines = (None if self.headlines else was), frozenset()
            yield from decided(was, decision)

    def still_above(self, before: Observation, decision: Decision, told: Sequence[Event]) -> Iterator[Event]:
        """The first word comes while the average still rises: another one when it has settled well above that, and so on."""
        offered = decision.above
        if told or not offered or not self.above:
            self.above = offered
        elif not self.failing and any(rate >= GROWN * self.above.get(name, 0.0) for name, rate in offered.items()):
            earlier = before.rates or {}
            if all(rate <= SETTLED * earlier.get(name, 0.0) for name, rate in offered.items()):
                self.above = offered
                yield from decided(None, decision)


def furthest(state: ReplicaSeen, before: ReplicaSeen | None) -> ReplicaSeen:
    """Whoever begins again at a checkpoint may fail at an epoch before the one that it cannot do, where the machine is slow."""
    return state if before is None or state.epoch >= before.epoch else before


def is_past(state: ReplicaSeen | None, failed: ReplicaSeen) -> bool:
    """It has done the epoch at which it failed. Whose worker is silent, or is started again, may yet fail there."""
    return state is not None and state.status is not Status.FAILED and state.epoch > failed.epoch
