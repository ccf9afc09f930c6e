"""Rule 5: the parts of a large output, written before the manifest that commits them.

Why: many executors write in parallel, and one put commits. A segment is deleted only when its epoch is committed without it or lies
below the floor: before that, a slow writer may still commit it.
Called by: replicas and ingestors (write), trimmers (sweep).
"""

from levee.topology.names import TaskId
from levee_spark.log import ask, commit
from levee_spark.log.commit import Committed
from levee_spark.log.keys import Layout, numbered
from levee_spark.log.requests import PutIfAbsent, Script
from levee_spark.log.values import Segment


def write(segments: tuple[tuple[str, object], ...]) -> Script[None]:
    for key, payload in segments:
        yield from ask.persistently(PutIfAbsent(key, Segment(payload)))


def sweep(layout: Layout, task: TaskId, limit: int) -> Script[None]:
    """Delete the segments below the limit, and those that lost their race."""
    for name in (yield from ask.page_of(layout.segments(task), "", ask.PAGE)):
        epoch = numbered(name)
        if epoch < limit or (yield from lost(layout, task, epoch, name)):
            yield from ask.delete(name)


def lost(layout: Layout, task: TaskId, epoch: int, name: str) -> Script[bool]:
    found = yield from commit.seen(layout.epoch(task, epoch))
    return isinstance(found, Committed) and name not in found.manifest.segments
