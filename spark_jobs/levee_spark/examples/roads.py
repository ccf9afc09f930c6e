"""Where the users of a navigation application are, how fast they are, and the incidents they report.

Why: two streams that must be joined, with the numbers of Su and Zhou, Tolerating Correlated Failures in Massively Parallel Stream
Processing Engines, VI-B: 100,000 users on 1,000 segments (Zipf, s = 0.5), 20,000 locations a second, an incident every 2 s on a segment
drawn by its users, all of whom report it. Guessed: speeds, that two incidents in five block the road and for how long, that reports
come within 3 s. A segment belongs to one region, and a task has whole regions, so that nothing is partitioned anew.
Called by: the `replay` source, as `levee_spark.examples.roads:locations` and `:reports`; options: seed, ratePerS (of locations), periodMs,
users.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from levee_spark.examples.draws import Numbers, Pace, Shares, bell, below, times_us, timestamps, uniform, zipf_ends

YEAR_US = 1_451_606_400_000_000  # 2016-01-01
RATE_PER_S, USERS = 20_000, "100000"
SEGMENTS, SKEW = 1_000, 0.5
REGIONS = 64  # contiguous regions make a task, so two tasks of eight are one of four
STRIDE = 7_368_787  # a prime: users report in turns, in an order that looks like none
INCIDENT_EVERY_US = 2_000_000
REPORTED_WITHIN_US = 3_000_000
BLOCKING = 0.4
BLOCKED_US_MIN, BLOCKED_US_MAX = 30_000_000, 90_000_000


@dataclass(frozen=True, slots=True)
class Incidents:
    """Incidents in the order of their numbers; number i happens at i x 2 s."""

    number: Numbers
    segment: Numbers
    start_us: Numbers
    blocked_us: Numbers  # 0: traffic flows on


def locations(epoch: int, options: Mapping[str, str], task: int, tasks: int) -> pa.Table:
    """One epoch of what the users' devices report: each user's segment and speed, every few seconds."""
    pace = Pace.of(options, rate_per_s=RATE_PER_S)
    users = int(options.get("users", USERS))
    first, end = pace.rows_before(epoch), pace.rows_before(epoch + 1)
    keys = np.arange(first, end, dtype=np.int64)
    segment = segments_of(users)[keys * STRIDE % users]
    keys = keys[mine := tasks_of(segment, tasks) == task]
    happened_us = times_us(keys, first, end, pace.start_us(epoch), pace.period_ms * 1000)
    return pa.table(
        {
            "key": keys,
            "time": timestamps(YEAR_US + happened_us),
            "user": keys * STRIDE % users,
            "segment": segment[mine],
            "speed_kmh": speeds_kmh(pace.seed, users, keys, segment[mine], happened_us),
        }
    )


def reports(epoch: int, options: Mapping[str, str], task: int, tasks: int) -> pa.Table:
    """One epoch of what users report: all that are on the segment of an incident, each after a moment."""
    pace = Pace.of(options, rate_per_s=RATE_PER_S)
    users = int(options.get("users", USERS))
    start_us, end_us = pace.start_us(epoch), pace.start_us(epoch + 1)
    recent = incidents(pace.seed, users, start_us - REPORTED_WITHIN_US, end_us)
    key, user, told_us = told(pace.seed, users, recent)
    number = key // users
    segment = recent.segment[number - recent.number[0]]
    due = (start_us <= told_us) & (told_us < end_us) & (tasks_of(segment, tasks) == task)
    order = np.flatnonzero(due)[np.lexsort((key[due], told_us[due]))]
    return pa.table(
        {
            "key": key[order],
            "time": timestamps(YEAR_US + told_us[order]),
            "user": user[order],
            "segment": segment[order],
            "incident": number[order],
        }
    )


def told(seed: int, users: int, recent: Incidents) -> tuple[Numbers, Numbers, Numbers]:
    """Who reports the incidents, and when: key (incident x users + user), user, time."""
    on = [np.flatnonzero(segments_of(users) == segment).astype(np.int64) for segment in recent.segment]
    user = np.concatenate(on)
    key = np.repeat(recent.number, [len(some) for some in on]) * users + user
    told_us = np.repeat(recent.start_us, [len(some) for some in on]) + below(seed, "delay", key, REPORTED_WITHIN_US)
    return key, user, told_us


def incidents(seed: int, users: int, since_us: int, end_us: int) -> Incidents:
    """Those that happened in [since, end); the first of all happens at 0."""
    first, end = max(0, -(-since_us // INCIDENT_EVERY_US)), -(-end_us // INCIDENT_EVERY_US)
    number = np.arange(first, end, dtype=np.int64)
    blocked_us = BLOCKED_US_MIN + below(seed, "blocked", number, BLOCKED_US_MAX - BLOCKED_US_MIN)
    return Incidents(
        number=number,
        segment=segments_of(users)[below(seed, "incident", number, users)],
        start_us=number * INCIDENT_EVERY_US,
        blocked_us=np.where(uniform(seed, "blocking", number) < BLOCKING, blocked_us, 0),
    )


@cache
def segments_of(users: int) -> Numbers:
    """The segment of each user."""
    places = (np.arange(users, dtype=np.float64) + 0.5) / users * 2**32
    return np.searchsorted(zipf_ends(SEGMENTS, SKEW), places.astype(np.uint64), side="right").astype(np.int64)


def tasks_of(segment: Numbers, tasks: int) -> Numbers:
    """Which task has a segment: the same region is in task r of eight and in task r / 2 of four."""
    return segment % REGIONS * tasks // REGIONS


def speeds_kmh(seed: int, users: int, keys: Numbers, segment: Numbers, happened_us: Numbers) -> Numbers:
    """Each segment's own speed, give or take a tenth; next to nothing where an incident blocks it."""
    own = 40 + 70 * uniform(seed, "own", np.arange(SEGMENTS, dtype=np.int64))
    blocked = is_blocked(seed, users, segment, happened_us)
    speed: Shares = own[segment] * (1 + 0.1 * bell(seed, "speed", keys)) * np.where(blocked, 0.12, 1)
    return np.rint(speed).astype(np.int64)


def is_blocked(seed: int, users: int, segment: Numbers, happened_us: Numbers) -> npt.NDArray[np.bool_]:
    blocked = np.zeros(len(segment), dtype=np.bool_)
    if not len(segment):
        return blocked
    recent = incidents(seed, users, int(happened_us[0]) - BLOCKED_US_MAX, int(happened_us[-1]) + 1)
    for place, start_us, length_us in zip(recent.segment, recent.start_us, recent.blocked_us, strict=True):
        if length_us:
            blocked |= (segment == place) & (start_us <= happened_us) & (happened_us < start_us + length_us)
    return blocked
