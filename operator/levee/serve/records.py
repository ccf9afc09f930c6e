"""The lifecycle's record in the status of the resource: written before what follows from it, with the version that was read.

Why: the status is where a crash leaves what is known, and the API server's resourceVersion is the precondition.
Called by: life, for the lifecycle's runner; status, which puts the same fields together.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from levee.lifecycle.handlers import Loaded, Overtaken
from levee.lifecycle.names import EventName, Instant, StateName, Version
from levee.lifecycle.position import Passage, Record
from levee.topology.crd import PLURAL
from levee.topology.spec import API_VERSION
from levee.worlds.kubernetes.api import Api, Conflict, Object
from levee.worlds.kubernetes.names import Owner

ATTEMPTS = 5


def path(owner: Owner) -> str:
    return f"/apis/{API_VERSION}/namespaces/{owner.namespace}/{PLURAL}/{owner.name}"


@dataclass(slots=True)
class StatusRecords:
    api: Api
    owner: Owner
    known: Record | None = None  # as this process has read or written it last
    version: Version | None = None  # of the resource, then
    writing: int = 0  # requests of one's own that have not been answered: a newer version may be theirs

    async def load(self) -> Loaded | None:
        found = await self.read()
        self.known, self.version = record_in(found), version_of(found)
        return None if self.known is None else Loaded(self.known, self.version)

    async def store(self, record: Record, *, expected: Version | None) -> Version:
        version = await self.write(fields_of(record), None if expected is None else self.version)
        self.known = record
        return version

    async def tell(self, status: Mapping[str, Any]) -> None:
        """What people read, and what the next operator is to know. Who has slept must not bring back what he knew before."""
        await self.write(status, self.version)

    def is_before(self, resource: Object) -> bool:
        """Whether somebody has written it since this process did."""
        return not self.writing and self.version is not None and int(version_of(resource)) > int(self.version)

    async def write(self, status: Mapping[str, Any], expected: Version | None) -> Version:
        """An edit of the spec by a user moves the version, too: it is only another record that means somebody was faster."""
        for _ in range(ATTEMPTS):
            if expected is None:
                found = await self.read()
                if record_in(found) != self.known:
                    raise Overtaken
                expected = version_of(found)
            try:
                return version_of(await self.patch(status, expected))
            except Conflict:
                expected = None
        raise Overtaken

    async def patch(self, status: Mapping[str, Any], expected: Version) -> Object:
        told = {"status": status, "metadata": {"uid": self.owner.uid, "resourceVersion": expected}}
        self.writing += 1
        try:
            written = await asyncio.to_thread(self.api.patch, f"{path(self.owner)}/status", told)
            self.version = version_of(written)
        finally:
            self.writing -= 1
        return written

    async def read(self) -> Object:
        found = await asyncio.to_thread(self.api.get, path(self.owner))
        if found is None or found["metadata"]["uid"] != self.owner.uid:
            raise Overtaken
        return found


def version_of(resource: Object) -> Version:
    return Version(resource["metadata"]["resourceVersion"])


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
