"""How many rows should have been processed by now and are not, by how far tasks are behind.

Why: workers count what they have processed; what nobody processes must count, too, even where a task has failed since its first epoch.
Called by: ledger.
"""

from dataclasses import dataclass, field
from math import ceil

from levee.control.account import Level
from levee.control.names import Instant
from levee.control.seen import Observation, Phase, Status
from levee.control.standing import reached
from levee.control.wanted import Wanted
from levee.topology.names import TaskId


@dataclass(slots=True)
class Owed:
    rows: dict[TaskId, float] = field(default_factory=dict)  # of an epoch, as each task has processed it lately
    emitted: dict[TaskId, float] = field(default_factory=dict)  # rows per second, when it last did an epoch
    stands: dict[TaskId, int] = field(default_factory=dict)  # the last epoch of each task that has begun: it may have failed at its first
    due: tuple[int, Instant] | None = None  # the newest epoch that somebody has told of, and when

    def follow(self, seen: Observation, now: Instant) -> None:
        """How far each task has come, and what it emits. Who is started again has forgotten both, until it has its state."""
        self.due = newest_due(seen, now) or self.due
        for state in seen.states().values():
            if state.status in {Status.RUNNING, Status.FAILED}:
                before = self.stands.get(state.task, -1)
                self.stands[state.task] = max(before, state.epoch)
                if state.status is Status.RUNNING and (state.epoch > before or state.rows_per_s > self.emitted.get(state.task, 0.0)):
                    self.emitted[state.task] = state.rows_per_s

    def overdue(self, wanted: Wanted, seen: Observation, level: Level, now: Instant) -> int:
        """About as many rows of an epoch as each task has processed lately (or was given, if it never has), for each that is late there; a
        window of them at most."""
        if self.due is None:
            return 0
        due = self.due[0] + (now - self.due[1]) // level.period_ms
        most = round(1000 * level.window_s) // level.period_ms
        rows = {task: self.given(task, level) for task in level.reads if task in self.stands} | self.rows
        late = {task: due - ceil(level.allowed_ms.get(task, 0) / level.period_ms) - 1 - self.reached(seen, task) for task in rows}
        return round(sum(max(0, min(most, late[task])) * many for task, many in rows.items() if task in wanted.replicas))

    def reached(self, seen: Observation, task: TaskId) -> int:
        return max(reached(seen, task), self.stands.get(task, 0))

    def given(self, task: TaskId, level: Level) -> float:
        """Rows of an epoch, by what those emit that it reads."""
        return level.period_ms / 1000 * sum(share * self.emitted.get(one, 0.0) for one, share in level.reads[task].items())


def newest_due(seen: Observation, now: Instant) -> tuple[int, Instant] | None:
    """By those who run: who lags says by how much."""
    states = (one for one in seen.states().values() if one.status is Status.RUNNING and seen.homes[one.replica].phase is Phase.READY)
    due = max((one.epoch + (one.lag_epochs + 1 if one.lag_epochs else 0) for one in states), default=None)
    return None if due is None else (due, now)
