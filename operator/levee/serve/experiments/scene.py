"""All that is decided by, of one experiment at one moment.

Called by: decide; turning, which looks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from levee.experiments.status import Phase
from levee.topology.complaint import Complaint
from levee.worlds.kubernetes.jobs import JobSeen


@dataclass(frozen=True, slots=True)
class Told:
    """What its status says: where whoever is next goes on."""

    phase: Phase | None = None
    reason: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    job_uid: str = ""  # of the Job that was made
    undone: bool = False
    report: str = ""


@dataclass(frozen=True, slots=True)
class Other:
    """Another experiment on the same topology that has not ended."""

    name: str
    created: datetime
    runs: bool


@dataclass(frozen=True, slots=True)
class Scene:
    namespace: str
    name: str
    created: datetime
    now: datetime
    told: Told = field(default_factory=Told)
    complaints: Sequence[Complaint] = ()  # nothing may happen
    waits: str = ""  # for its topology, and why
    others: Sequence[Other] = ()
    run: JobSeen | None = None
    undo: JobSeen | None = None
    held: bool = False  # it bears our finalizer
    leaves_since: datetime | None = None  # it was deleted
    namespace_goes: bool = False
    ttl_s: float | None = None
    blind: str = ""  # why Jobs cannot be seen

    def since(self, when: datetime | None) -> timedelta:
        return timedelta(0) if when is None else self.now - when


def told_in(status: dict[str, Any]) -> Told:
    phase = status.get("phase")
    return Told(
        None if phase is None else Phase(phase),
        str(status.get("reason") or ""),
        moment(status.get("startedAt")),
        moment(status.get("endedAt")),
        str(status.get("jobUid") or ""),
        bool(status.get("undone")),
        str(status.get("report") or ""),
    )


def moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
