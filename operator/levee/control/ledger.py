"""From two looks at a topology to what the account adds up: rows in time, active replicas, and whether the input kept to its rates.

Why: workers count what has become of rows since they began; what became of them between two looks is the difference. What they have not
counted yet, since nobody processes it, `owed` knows.
Called by: worlds.accounting, at every look at the whole of a topology.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from levee.control.account import Level, Sums
from levee.control.names import Instant, ReplicaName, WorkerName, task_of
from levee.control.owed import Owed
from levee.control.seen import Observation, Processed
from levee.control.space import covers
from levee.control.wanted import Wanted

Place: TypeAlias = tuple[ReplicaName, WorkerName]
Counted: TypeAlias = tuple[int, Processed]  # with the worker's attempt: who begins anew counts from nothing


@dataclass(slots=True)
class Ledger:
    at: Instant | None = None  # of the last look; None: it did not run then
    counted: dict[Place, Counted] | None = None  # None: what was counted before this controller came is not its own
    unheard: frozenset[tuple[WorkerName, int]] = frozenset()  # who worked at the last look, and had not been asked yet
    owed: Owed = field(default_factory=Owed)

    def interval(self, wanted: Wanted, seen: Observation, level: Level, now: Instant) -> Sums | None:
        """None: it did not run at the last look, or there was none."""
        before, self.at = self.at, now if runs(seen) else None
        rows = self.differences(seen)
        self.owed.follow(seen, now)
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
                self.owed.rows[task_of(place[0])] = (since.in_time + since.late + since.lost) / since.epochs
            news = plus(news, since)
        return news

    def overdue(self, wanted: Wanted, seen: Observation, level: Level, now: Instant) -> int:
        return 0 if self.at is None else self.owed.overdue(wanted, seen, level, now)


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
