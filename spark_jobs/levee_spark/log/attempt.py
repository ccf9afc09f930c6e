"""What a replica would commit for an epoch, and what became of the epoch's rows in its state.

Why: an epoch whose function raises is sealed as `failed` where the operator says `onError: skip`; every replica must then take its
input as zero rows, whoever computed it already goes back. Where the epoch was skipped, its key cannot say so: a second key does.
Called by: replicas.
"""

from dataclasses import dataclass, replace

from levee_spark.log import ask
from levee_spark.log.digest import lineage, sealed_digest
from levee_spark.log.fork import Line
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Compute, Computed, Raised, Report, Script
from levee_spark.log.values import EpochObject, Kind, Manifest, Verdict
from levee_spark.log.wiring import TaskWiring


class FunctionRaised(Exception):
    """And `onError` is fail, or it raises even without rows."""


@dataclass(frozen=True, slots=True)
class Attempt:
    epoch: EpochObject
    took_rows: bool
    in_state: bool = True  # False: the function raised, so the state is still that of the epoch before
    segments: tuple[tuple[str, object], ...] = ()
    stateless: bool = False

    def rebased(self) -> "Attempt":
        manifest = self.epoch.manifest
        return replace(self, epoch=replace(self.epoch, manifest=replace(manifest, rebased=manifest.kind is Kind.FINAL)))


def compute(
    layout: Layout, task: TaskWiring, blank: Manifest, line: Line, inputs: tuple[EpochObject, ...], *, dropped: bool
) -> Script[Attempt]:
    answer = yield Compute(blank.epoch, inputs, dropped)
    if isinstance(answer, Raised) and (dropped or not task.skips_errors):
        raise FunctionRaised(answer.error)
    if isinstance(answer, Raised):
        yield Report("failed", blank.epoch, answer.error)
        return failed(blank, line, answer.error, in_state=False)
    if dropped:
        return failed(blank, line, "", in_state=True)
    assert isinstance(answer, Computed)
    names = tuple(layout.segment(task.task, blank.epoch, digest) for digest, _ in answer.segments)
    chained = lineage(line.lineage, answer.digest)
    manifest = replace(blank, rows=answer.rows, digest=answer.digest, lineage=chained, rebased=line.rebased, segments=names)
    parts = tuple(zip(names, (payload for _, payload in answer.segments), strict=True))
    return Attempt(EpochObject(manifest, answer.payload), took_rows=True, segments=parts, stateless=answer.stateless)


def failed(blank: Manifest, line: Line, error: str, *, in_state: bool) -> Attempt:
    """Why goes with it, for people; no replica looks at that, and no digest depends on it."""
    digest = sealed_digest(Kind.FAILED)
    manifest = replace(blank, kind=Kind.FAILED, digest=digest, lineage=lineage(line.lineage, digest))
    return Attempt(EpochObject(manifest, error.encode() or None), took_rows=False, in_state=in_state)


def rows_were_taken(layout: Layout, task: TaskWiring, attempt: Attempt, committed: Manifest) -> Script[bool]:
    """Whether the line's state has the epoch's rows: all replicas must answer alike."""
    match committed.kind:
        case Kind.FINAL:
            return True
        case Kind.FAILED:
            return False
        case Kind.SKIPPED:
            if not task.skips_errors:
                return True
            mine = Verdict(committed.epoch, Kind.FINAL if attempt.took_rows else Kind.FAILED)
            key = layout.verdict(task.task, committed.epoch)
            return (yield from ask.agree(key, mine, Verdict)).kind is Kind.FINAL
