"""Trouble with what is outside: a store or an API server that does not answer, or refuses.

Why: it is no topology's fault, and passes by itself or by somebody's doing. So it is waited for, its words are told, and nothing that runs
ends by it. Only what is to end anyway does not wait for ever.
Called by: life, around each of the lifecycle's methods and around what the rules want done.
"""

from dataclasses import dataclass

from levee.control.names import Instant
from levee.lifecycle.handlers import Context, GoesOn, Hopeless, NotYet
from levee.lifecycle.names import Instant as Wall
from levee.worlds.kubernetes.api import NOT_VALID, Conflict, Denied, Unreachable
from levee.worlds.local.book import StoreSilent
from levee_spark.store.blobs import Trouble

API = (Unreachable, Conflict, Denied)
OUTSIDE = (Trouble, StoreSilent, *API)
ENDING = frozenset({"canceling", "cleanup"})
ENDS_MS = 1_800_000  # since it was to end: whoever has deleted the bucket, too, need not take the finalizer off by hand
PAUSE_MS, PAUSE_MS_MAX = 1_000, 30_000


def answered(why: Exception, context: Context, now: Wall) -> Exception:
    """Under the name that decides what follows. What the API server calls not valid is the resource's own fault."""
    if isinstance(why, Denied) and why.status in NOT_VALID:
        return why
    told = why if isinstance(why, NotYet) else NotYet(words(why))
    return Hopeless(str(told)) if is_waited_for_no_more(why, context, now) else told


def is_waited_for_no_more(why: Exception, context: Context, now: Wall) -> bool:
    """In cleanup a method's own NotYet is about the data, and has said what lets it go without."""
    says_so = context.record.state == "cleanup" and isinstance(why, NotYet)
    ends = context.record.state in ENDING and not says_so
    return ends and not isinstance(why, GoesOn) and now - context.record.since >= ENDS_MS


def words(why: Exception) -> str:
    match why:
        case Unreachable():
            return f"the API server does not answer: {why}"
        case Denied():
            return f"the API server refuses it: {why}"
        case Conflict():
            return f"somebody else was faster: {why}"
        case _:
            return f"the store does not answer: {why}"


@dataclass(frozen=True, slots=True)
class Hindrance:
    """What the rules wanted could not be done."""

    why: str
    times: int
    until: Instant  # before that it is not tried again


def hindered(before: Hindrance | None, why: Exception, now: Instant) -> Hindrance:
    times = before.times + 1 if before is not None else 1
    return Hindrance(words(why), times, Instant(now + min(PAUSE_MS << min(times - 1, 16), PAUSE_MS_MAX)))
