"""Rule 3: after "exists already" or any error, read back before believing anything.

Why: a lost answer looks like a lost race. The put that was reported as lost may be one's own, carried out and unheard of, even
carried out much later; only the object itself says who has won.
Called by: replicas, ingestors and sealers.
"""

from dataclasses import dataclass

from levee_spark.log import ask
from levee_spark.log.requests import Absent, Done, Found, PutIfAbsent, Script, Wait
from levee_spark.log.values import EpochObject, Manifest

AGAIN_MS = 20


@dataclass(frozen=True, slots=True)
class Committed:
    """What stands at the epoch's key, whoever wrote it."""

    manifest: Manifest
    ended_ms: int  # when one knew


def commit(key: str, mine: EpochObject) -> Script[Committed]:
    """Put once, then read back unless the put was answered with success."""
    while True:
        answer = yield PutIfAbsent(key, mine)
        if succeeded(answer):
            return Committed(mine.manifest, answer.ended_ms)
        found = yield from seen(key)
        if isinstance(found, Committed):
            return found
        yield Wait(AGAIN_MS)  # Neither mine nor another's: it was not carried out (yet), so try again.


def succeeded(answer: object) -> bool:
    return isinstance(answer, Done)


def seen(key: str) -> Script[Committed | Absent]:
    found = yield from ask.look(key)
    if isinstance(found, Absent):
        return found
    return Committed(manifest_of(key, found), found.ended_ms)


def manifest_of(key: str, found: Found) -> Manifest:
    if not isinstance(found.record, EpochObject):
        raise ask.CorruptRecord(f"{key}: holds {type(found.record).__name__}, not an epoch")
    return found.record.manifest
