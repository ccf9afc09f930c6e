"""The lifecycle's record as fields of a status, and back.

Called by: records; whoever reads a time in a resource.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from levee.lifecycle.names import EventName, Instant, StateName
from levee.lifecycle.position import Passage, Record
from levee.worlds.kubernetes.api import Object


def record_in(resource: Object) -> Record | None:
    status = resource.get("status") or {}
    return record_of(status) if "state" in status else None


def fields_of(record: Record) -> dict[str, Any]:
    lifecycle = {
        "ending": record.ending,
        "failures": record.failures,
        "failedAt": None if record.failed_at is None else stamp(record.failed_at),
        "claims": record.claims,
    }
    return {
        "state": record.state,
        "since": stamp(record.since),
        "attempts": record.attempts,
        "history": [{"state": one.state, "since": stamp(one.since), "reason": one.why} for one in record.history],
        "lifecycle": lifecycle,
    }


def record_of(status: Mapping[str, Any]) -> Record:
    lifecycle = status.get("lifecycle") or {}
    ending, failed_at = lifecycle.get("ending"), lifecycle.get("failedAt")
    history = tuple(passage(one) for one in status.get("history") or ())
    return Record(
        state=StateName(status["state"]),
        since=instant(status["since"]),
        ending=None if ending is None else StateName(ending),
        attempts=int(status.get("attempts") or 0),
        failures=int(lifecycle.get("failures") or 0),
        failed_at=None if failed_at is None else instant(failed_at),
        claims=int(lifecycle.get("claims") or 0),
        history=history,
    )


def passage(told: Mapping[str, Any]) -> Passage:
    why = told.get("reason")
    return Passage(StateName(told["state"]), instant(told["since"]), None if why is None else EventName(why))


def stamp(at: Instant) -> str:
    """To the millisecond: states follow each other fast."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def instant(text: str) -> Instant:
    return Instant(round(datetime.fromisoformat(text).timestamp() * 1000))
