"""From two looks at a topology to what the account adds up: rows in time, active replicas, and whether the input kept to its rates.

Why: workers count what has become of rows since they began; what became of them between two looks is the difference. What they have not
counted yet, since nobody processes it, is seen by how far tasks are behind.
Called by: worlds.accounting, at every look at the whole of a topology.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import TypeAlias

from levee.control.account import Sums
from levee.control.names import Instant, ReplicaName, WorkerName, task_of
from levee.control.seen import Observation, Phase, Processed, Status
from levee.control.space import covers
from levee.control.standing import reached
from levee.control.wanted import Wanted
from levee.topology.names import TaskId

Place: TypeAlias = tuple[ReplicaName, WorkerName]
Counted: TypeAlias = tuple[int, Processed]  # with the worker's attempt: who begins anew counts from nothing


@dataclass(frozen=True, slots=True)
class Level:
    """What a service level is measured by."""

    window_s: float = 3600.0
    promised: float | None = None
    period_ms: int = 1_000
    allowed_ms: Mapping[TaskId, int] = field(default_factory=dict)  # from when an epoch is due until it is late there


@dataclass(slots=True)
class Ledger:
    at: Instant | None = None  # of the last look; None: it did not run then
    counted: dict[Place, Counted] | None = None  # None: what was counted before this controller came is not its own
    unheard: frozenset[tuple[WorkerName, int]] = frozenset()  # who worked at the last look, and had not been asked yet
    rows: dict[TaskId, float] = field(default_factory=dict)  # of an epoch, lately
    due: tuple[int, Instant] | None = None  # the newest epoch that somebody has told of, and when

    def interval(self, wanted: Wanted, seen: Observation, level: Level, now: Instant) -> Sums | None:
        """None: it did not run at the last look, or there was none."""
        before, self.at = self.at, now if runs(seen) else None
        rows = self.differences(seen)
        self.due = newest_due(seen, now) or self.due
        if before is None:
            return None
        seconds = (now - before) / 1000
        active, there = replicas(wanted, seen)
        above = is_above(wanted, seen)
        return Sums(
            seconds=seconds,
            in_time=rows.in_time,
            late=rows.late,
            lost=rows.lost,
            replica_s=active * seconds,
            static_s=there * seconds,
            promised_s=(level.promised or 0.0) * seconds,
            promised_for_s=seconds if level.promised is not None else 0.0,
            above_s=seconds if above else 0.0,
            rates_known_s=seconds if above is not None else 0.0,
        )

    def differences(self, seen: Observation) -> Processed:
        """What has been counted since the last look, by all together."""
        before, self.counted = self.counted, dict(counted(seen))
        unheard, self.unheard = self.unheard, frozenset((one.worker, one.attempt) for one in seen.workers if one.works and not one.states)
        news = Processed()
        if before is None:
            return news
        for place, told in self.counted.items():
            if place not in before and (place[1], told[0]) in unheard:
                continue  # what it has counted since it began is no news
            since = less(told, before.get(place, (0, Processed())))
            if since.epochs:
                self.rows[task_of(place[0])] = (since.in_time + since.late + since.lost) / since.epochs
            news = plus(news, since)
        return news

    def overdue(self, wanted: Wanted, seen: Observation, level: Level, now: Instant) -> int:
        """About as many rows as each task has processed of an epoch lately, for each that is late there; a window of them at most."""
        if self.due is None or self.at is None:
            return 0
        due = self.due[0] + (now - self.due[1]) // level.period_ms
        most = round(1000 * level.window_s) // level.period_ms
        late = {task: due - ceil(level.allowed_ms.get(task, 0) / level.period_ms) - 1 - reached(seen, task) for task in self.rows}
        return round(sum(max(0, min(most, late[task])) * rows for task, rows in self.rows.items() if task in wanted.replicas))


def runs(seen: Observation) -> bool:
    return seen.anchored and not seen.order_to_stop()


def counted(seen: Observation) -> Iterator[tuple[Place, Counted]]:
    """Also where it is not at home: whoever has committed an epoch there has."""
    for worker in seen.workers:
        yield from (((state.replica, worker.worker), (worker.attempt, state.processed)) for state in worker.states)


def less(now: Counted, before: Counted) -> Processed:
    """A count that has fallen began anew, too."""
    told, known = now[1], before[1]
    if now[0] != before[0] or told.epochs < known.epochs:
        return told
    return Processed(told.epochs - known.epochs, told.in_time - known.in_time, told.late - known.late, told.lost - known.lost)


def plus(one: Processed, other: Processed) -> Processed:
    return Processed(one.epochs + other.epochs, one.in_time + other.in_time, one.late + other.late, one.lost + other.lost)


def newest_due(seen: Observation, now: Instant) -> tuple[int, Instant] | None:
    """By those who run: who lags says by how much."""
    states = (one for one in seen.states().values() if one.status is Status.RUNNING and seen.homes[one.replica].phase is Phase.READY)
    due = max((one.epoch + (one.lag_epochs + 1 if one.lag_epochs else 0) for one in states), default=None)
    return None if due is None else (due, now)


def replicas(wanted: Wanted, seen: Observation) -> tuple[int, int]:
    """Of tasks that compute: those that are active, and all."""
    ranks = seen.ranks()
    computing = [one for task, mine in wanted.replicas.items() if task not in wanted.ends for one in mine]
    active = sum(one in ranks and one in seen.homes and seen.homes[one].works for one in computing)
    return active, len(computing)


def is_above(wanted: Wanted, seen: Observation) -> bool | None:
    """None: nobody knows."""
    if seen.rates is None:
        return None
    return not any(covers(one.rows_per_s, seen.rates) for one in wanted.configurations)
