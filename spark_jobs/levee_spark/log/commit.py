"""Rule 3: after "exists already" or any error, read back before believing anything.

Why: a lost answer looks like a lost race. The put that was reported as lost may be one's own, carried out and unheard of, even
carried out much later; only the object itself says who has won. Where the object has become unreadable since, its second key may say it
(see `rebuild`).
Called by: replicas, ingestors and sealers.
"""

from dataclasses import dataclass

from levee_spark.log import ask
from levee_spark.log.keys import second_key
from levee_spark.log.requests import Absent, Corrupt, Done, Found, Get, PutIfAbsent, Script, Wait, Want
from levee_spark.log.values import EpochObject, Manifest


class Unreadable(Exception):
    """There is an epoch, it is corrupt, and nobody has rebuilt it yet."""

    def __init__(self, key: str, why: str) -> None:
        super().__init__(why)
        self.key, self.why = key, why


@dataclass(frozen=True, slots=True)
class Committed:
    """What stands at the epoch's key, whoever wrote it."""

    manifest: Manifest
    ended_ms: int  # when one knew


def commit(key: str, mine: EpochObject) -> Script[Committed]:
    """Put once, then read back unless the put was answered with success."""
    pause_ms = ask.RETRY_MS_MIN
    while True:
        answer = yield PutIfAbsent(key, mine)
        if succeeded(answer):
            return Committed(mine.manifest, answer.ended_ms)
        found = yield from seen(key)
        if isinstance(found, Committed):
            return found
        yield Wait(pause_ms)  # Neither mine nor another's: it was not carried out (yet), so try again.
        pause_ms = min(2 * pause_ms, ask.RETRY_MS_MAX)


def succeeded(answer: object) -> bool:
    return isinstance(answer, Done)


def seen(key: str) -> Script[Committed | Absent]:
    """The manifest that stands there; raises Unreadable."""
    answer = yield from ask.persistently(Get(key, Want.MANIFEST))
    if isinstance(answer, Corrupt):
        return (yield from seen_again(key, answer.why))
    assert isinstance(answer, Found | Absent)
    return answer if isinstance(answer, Absent) else Committed(manifest_of(key, answer), answer.ended_ms)


def seen_again(key: str, why: str) -> Script[Committed]:
    answer = yield from ask.persistently(Get(second_key(key), Want.MANIFEST))
    if isinstance(answer, Found):
        return Committed(manifest_of(second_key(key), answer), answer.ended_ms)
    raise Unreadable(key, why)


def manifest_of(key: str, found: Found) -> Manifest:
    if not isinstance(found.record, EpochObject):
        raise ask.CorruptRecord(f"{key}: holds {type(found.record).__name__}, not an epoch")
    return found.record.manifest
