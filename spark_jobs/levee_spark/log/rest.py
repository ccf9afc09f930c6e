"""Where all stand still, another graph may begin: who has come to the last epoch of a stop, and what is put there for those who are new.

Why: tasks that are wired otherwise go on from where the others have ended, so nobody may still have to compute an epoch of before. And a
task that is added begins at one epoch like everybody else: its stream begins with an epoch that is sealed empty at the last one, its state
with a checkpoint there that has no files. From these two on it is like any other.
Called by: whoever writes a record with another graph: `lacking`, then `begin` for each that is added, then the record.
"""

from collections.abc import Iterable

from levee.topology.names import TaskId
from levee_spark.log import ask, floor
from levee_spark.log.digest import lineage, sealed_digest
from levee_spark.log.keys import Layout
from levee_spark.log.requests import PutIfAbsent, Script
from levee_spark.log.values import GENESIS, EpochObject, Floor, Kind, Manifest, PublishedCheckpoint
from levee_spark.log.wiring import TaskWiring

NOBODY = "nobody"  # wrote it: whoever puts it puts the same


def lacking(layout: Layout, sources: Iterable[TaskId], others: Iterable[TaskId], epoch: int) -> Script[tuple[TaskId, ...]]:
    """The tasks that have not come to an epoch: sources by their streams, operators and sinks by what they have published there."""
    if epoch == 0:
        return ()
    keys = {task: layout.epoch(task, epoch) for task in sources} | {task: layout.checkpoint(task, epoch) for task in others}
    found = []
    for task, key in keys.items():
        if not (yield from ask.is_there(key)):
            found.append(task)
    return tuple(found)


def begin(layout: Layout, task: TaskWiring, epoch: int, position: int) -> Script[None]:
    """It goes on after `epoch`, as if it had always been there and had never had a row. `position`: the newest record."""
    if epoch == 0:
        return
    first = sealed(epoch, position)
    if not task.sink:
        yield from ask.persistently(PutIfAbsent(layout.epoch(task.task, epoch), EpochObject(first)))
    if not task.is_source:
        made = PublishedCheckpoint(task.task, epoch, first.lineage, position, position, writer=NOBODY, code=position)
        yield from ask.persistently(PutIfAbsent(layout.checkpoint(task.task, epoch), made))
    if not task.sink:
        yield from begin_floor(layout, task.task, epoch)


def begin_floor(layout: Layout, task: TaskId, epoch: int) -> Script[None]:
    """What lies below is of a task that had this name before, and was removed."""
    known = yield from floor.latest(layout, task, Floor(0, 0))
    while known.epoch < epoch:
        raised = Floor(known.number + 1, epoch)
        yield from ask.persistently(PutIfAbsent(layout.floor(task, raised.number), raised))
        known = yield from floor.latest(layout, task, Floor(0, 0))


def sealed(epoch: int, position: int) -> Manifest:
    digest = sealed_digest(Kind.SKIPPED)
    return Manifest(epoch, Kind.SKIPPED, 0, digest, lineage(GENESIS, digest), position, NOBODY)
