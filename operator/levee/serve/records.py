"""The lifecycle's record in the status of the resource: written before what follows from it, with the version that was read.

Why: the status is where a crash leaves what is known, and the API server's resourceVersion is the precondition. What somebody else has made
of it is seen by the line that stands beside it, and written anew with whatever is written next.
Called by: life, for the lifecycle's runner; status, which puts the same fields together.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from levee.lifecycle.handlers import Loaded, Overtaken
from levee.lifecycle.names import Version
from levee.lifecycle.position import Record
from levee.serve.checked import LINE, Fields, checked, fields_in, laid_out, line_in, line_of
from levee.serve.recorded import fields_of, record_in
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
    fields: Fields = field(default_factory=dict)  # all that is gone by, as it was stored then
    line: str | None = None  # that was stored with them
    wrong: tuple[str, ...] = ()  # what somebody else has made otherwise, and nobody has written anew yet
    news: list[str] = field(default_factory=list)  # the same, until it was told

    async def load(self) -> Loaded | None:
        found = await self.read()
        self.known, self.version = record_in(found), version_of(found)
        self.keep(found)
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
                if not self.is_ours(found):
                    raise Overtaken
                expected = version_of(found)
            try:
                return version_of(await self.patch(status, expected))
            except Conflict:
                expected = None
        raise Overtaken

    def is_ours(self, found: Object) -> bool:
        """Nobody has moved since, whatever else was written."""
        line = line_in(found.get("status") or {})
        ours = self.line is not None and line == self.line
        return ours or record_in(found) == self.known

    async def patch(self, status: Mapping[str, Any], expected: Version) -> Object:
        told = {"status": self.with_line(status), "metadata": {"uid": self.owner.uid, "resourceVersion": expected}}
        self.writing += 1
        try:
            written = await asyncio.to_thread(self.api.patch, f"{path(self.owner)}/status", told)
            self.version, self.wrong = version_of(written), ()
            self.keep(written)
        finally:
            self.writing -= 1
        return written

    def with_line(self, status: Mapping[str, Any]) -> Mapping[str, Any]:
        fields = {**self.fields, **fields_in(status)}
        if self.wrong:
            return {**status, **laid_out(fields, line_of(fields))}
        return {**status, "lifecycle": {**status.get("lifecycle", {}), LINE: line_of(fields)}} if fields_in(status) else status

    def keep(self, resource: Object) -> None:
        status = resource.get("status") or {}
        self.fields, self.line = fields_in(status), line_in(status)

    async def read(self) -> Object:
        """As it was written."""
        found = await asyncio.to_thread(self.api.get, path(self.owner))
        if found is None or found["metadata"]["uid"] != self.owner.uid:
            raise Overtaken
        return self.looked_at(found)

    def looked_at(self, found: Object) -> Object:
        status, wrong = checked(found.get("status") or {})
        self.news += [name for name in wrong if name not in self.wrong]
        self.wrong = wrong
        return {**found, "status": status} if wrong else found


def version_of(resource: Object) -> Version:
    return Version(resource["metadata"]["resourceVersion"])
