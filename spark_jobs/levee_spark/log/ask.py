"""Ask the store until it answers.

Why: a store fails at any time; nothing here gives up, because whoever gives up can only start again from the same place.
What must not be repeated blindly, the put of an epoch, is in `commit`.
Called by: every role.
"""

from collections.abc import Callable
from typing import TypeVar

from levee_spark.log.requests import (
    Absent,
    Answer,
    Corrupt,
    Delete,
    Done,
    Found,
    Get,
    List,
    Listed,
    Overwrite,
    PutIfAbsent,
    Request,
    Script,
    Unknown,
    Wait,
    Want,
)
from levee_spark.log.values import Record

RETRY_MS_MIN, RETRY_MS_MAX = 20, 2_000
PAGE = 100  # names asked for at a time: no listing grows with the age of a stream

R = TypeVar("R")


RESTORE = "restore this object, from a copy or an older version of it"


class CorruptRecord(Exception):
    """A record that must be read cannot be: refused and reported, never guessed."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}. Nothing goes on from a guess: {RESTORE}.")
        self.why = why


def persistently(request: Request) -> Script[Answer]:
    pause_ms = RETRY_MS_MIN
    while True:
        answer = yield request
        if not isinstance(answer, Unknown):
            return answer
        yield Wait(pause_ms)
        pause_ms = min(2 * pause_ms, RETRY_MS_MAX)


def look(key: str) -> Script[Found | Absent]:
    answer = yield from persistently(Get(key))
    if isinstance(answer, Found | Absent):
        return answer
    assert isinstance(answer, Corrupt)
    raise CorruptRecord(answer.why)


def read(key: str, kind: type[R]) -> Script[R | None]:
    """The record at a key, or None; a record of another kind is as corrupt as no record at all."""
    answer = yield from look(key)
    if isinstance(answer, Absent):
        return None
    if not isinstance(answer.record, kind):
        raise CorruptRecord(f"{key}: holds {type(answer.record).__name__}, not {kind.__name__}")
    return answer.record


def agree(key: str, record: R, kind: type[R]) -> Script[R]:
    """Put if absent, then whatever is there: the first wins, and all who ask see the same."""
    pause_ms = RETRY_MS_MIN
    while True:
        yield PutIfAbsent(key, record)  # type: ignore[arg-type]  # R is one of Record, which no TypeVar can say
        there = yield from read(key, kind)
        if there is not None:
            return there
        yield Wait(pause_ms)
        pause_ms = min(2 * pause_ms, RETRY_MS_MAX)


def overwrite(key: str, record: Record) -> Script[Done]:
    answer = yield from persistently(Overwrite(key, record))
    assert isinstance(answer, Done)
    return answer


def delete(key: str) -> Script[None]:
    yield from persistently(Delete(key))


def names(folder: str, after: str = "") -> Script[tuple[str, ...]]:
    """All names after one, page by page: for folders that are kept short."""
    found: list[str] = []
    while True:
        page = yield from page_of(folder, after, PAGE)
        found += page
        if len(page) < PAGE:
            return tuple(found)
        after = page[-1]


def page_of(folder: str, after: str, limit: int) -> Script[tuple[str, ...]]:
    answer = yield from persistently(List(folder, after, limit))
    assert isinstance(answer, Listed)
    return answer.names


def is_there(key: str) -> Script[bool]:
    return not isinstance((yield from persistently(Get(key, Want.MANIFEST))), Absent)


def farthest(low: int, holds: Callable[[int], Script[bool]]) -> Script[int]:
    """The last number from `low` on of which something holds that holds of every number before it, too."""
    leap = 1
    while (yield from holds(low + leap)):
        low, leap = low + leap, 2 * leap
    high = low + leap
    while high - low > 1:
        middle = (low + high) // 2
        if (yield from holds(middle)):
            low = middle
        else:
            high = middle
    return low
