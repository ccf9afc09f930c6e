"""What becomes of an epoch that can no longer be read: it is computed again, and put under its second key.

Why: one flipped bit must not stop a stream whose rows can be had again. Whoever needs the epoch says so, once, at a key of the stream, and
pins what a rebuild needs; a replica of the task forks from before the epoch, replays, and puts what it has computed, if that is what
stood there: it must have the lineage that the header still shows, or be continued by the epoch after it. The first put decides.
The last epoch of a stream, when not even its header can be read, is refused: nothing says what stood there. So is a source's: what comes
from outside may not come again.
Called by: `mend`.
"""

from dataclasses import dataclass, replace

from levee.topology.names import TaskId
from levee_spark.log import ask, commit, segments
from levee_spark.log.attempt import Attempt
from levee_spark.log.commit import Committed, Unreadable
from levee_spark.log.digest import lineage, sealed_digest
from levee_spark.log.fork import Line
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Found, Get, Script, Want
from levee_spark.log.values import EpochObject, Kind, Manifest

AGAIN = "again"  # the segments of what was rebuilt have names of their own: those of the original may be what is corrupt


@dataclass(frozen=True, slots=True)
class Proof:
    """What is known of an epoch that stood there once."""

    lineage: str | None  # its own, if its header can be read
    following: Manifest | None  # the epoch after it

    def fits(self, manifest: Manifest) -> bool:
        if self.lineage is not None:
            return manifest.lineage == self.lineage
        return self.following is not None and lineage(manifest.lineage, self.following.digest) == self.following.lineage


def proof(layout: Layout, task: TaskId, epoch: int) -> Script[Proof]:
    answer = yield from ask.persistently(Get(layout.epoch(task, epoch), Want.MANIFEST))
    if isinstance(answer, Found):
        return Proof(commit.manifest_of(layout.epoch(task, epoch), answer).lineage, None)
    try:
        found = yield from commit.seen(layout.epoch(task, epoch + 1))
    except Unreadable:
        return Proof(None, None)
    return Proof(None, found.manifest if isinstance(found, Committed) else None)


def rebuild(layout: Layout, task: TaskId, line: Line, attempt: Attempt) -> Script[Committed | None]:
    """Put what one has computed under the epoch's second key; None where it is not what stood there, or nothing proves that it is."""
    epoch = line.epoch + 1
    known = yield from proof(layout, task, epoch)
    for kind in Kind:
        made = candidate(layout, task, line, attempt, kind)
        if known.fits(made.epoch.manifest):
            yield from segments.write(made.segments)
            return (yield from commit.commit(layout.rebuilt(task, epoch), made.epoch))
    return None


def candidate(layout: Layout, task: TaskId, line: Line, attempt: Attempt, kind: Kind) -> Attempt:
    """What stood there if it was of this kind. Whoever sealed an epoch computed nothing, so anyone can say it again."""
    manifest = replace(attempt.epoch.manifest, writer=f"{attempt.epoch.manifest.writer} {AGAIN}")  # who rebuilds has won nothing
    if kind is Kind.FINAL:
        parts = tuple((layout.segment(task, manifest.epoch, f"{name.rpartition('-')[2]}-{AGAIN}"), rows) for name, rows in attempt.segments)
        again = replace(manifest, segments=tuple(name for name, _ in parts))
        return replace(attempt, epoch=replace(attempt.epoch, manifest=again), segments=parts)
    digest = sealed_digest(kind)
    sealed = replace(manifest, kind=kind, rows=0, digest=digest, lineage=lineage(line.lineage, digest), segments=(), rebased=False)
    return replace(attempt, epoch=EpochObject(sealed), segments=())
