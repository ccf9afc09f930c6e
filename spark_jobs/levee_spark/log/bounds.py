"""Where a bounded topology ends: from which epoch on a stream has no rows, said in its manifests.

Why: nobody has to decide it. A source says from which epoch on it has no rows, and every manifest after that repeats it. A task all of
whose inputs have ended has its closing epoch where the last of them ended: no row can come any more, so all its windows come out there,
and its own stream ends with the next epoch. So each replica of a task derives the same closing epoch from the epoch's own inputs, whoever
computes it and however often; sources that end at different times, joins and parallel tasks need nothing more.
Called by: ingestors, sealers, replicas, sinks, and the worker (to close watermarks).
"""

from collections.abc import Sequence

from levee_spark.log.values import EpochObject, Manifest


def of_source(epoch: int, before: Manifest | None, *, ended: bool = False) -> int:
    """What a source's manifest says; a source that was sealed as skipped at its end says so an epoch later."""
    if before is not None and before.ended:
        return before.ended
    return epoch if ended else 0


def closing_epoch(inputs: Sequence[EpochObject]) -> int:
    """The first epoch of which every input is known to have ended; 0: not yet."""
    ends = [one.manifest.ended for one in inputs]
    return max(ends) if ends and all(ends) else 0


def closes(epoch: int, inputs: Sequence[EpochObject]) -> bool:
    """Whether this is the one epoch in which all that a task still holds comes out."""
    return closing_epoch(inputs) == epoch


def is_done(epoch: int, inputs: Sequence[EpochObject]) -> bool:
    """Whether nothing comes after this epoch."""
    return 0 < closing_epoch(inputs) <= epoch


def of_task(epoch: int, inputs: Sequence[EpochObject]) -> int:
    """What the manifest of a task's epoch says: its closing epoch may still have rows, those after it have none."""
    closing = closing_epoch(inputs)
    return closing + 1 if 0 < closing < epoch else 0
