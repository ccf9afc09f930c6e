"""Published checkpoints: a task's state after an epoch, for whoever forks.

Why: immutable files one by one, then one manifest, put if absent: a crash in between leaves files that nobody names. A checkpoint is
published only on a line that is committed (rule 2), so every fork continues the stream that consumers read.
Called by: replicas and sinks (publish), the trimmer of the task's stream (retire).
"""

from levee.topology.names import TaskId
from levee_spark.log import ask
from levee_spark.log.fork import Line
from levee_spark.log.keys import Layout, numbered
from levee_spark.log.requests import Absent, Files, Get, PutIfAbsent, Script, Snapshot
from levee_spark.log.values import CheckpointFile, PublishedCheckpoint
from levee_spark.log.wiring import TaskWiring


def is_due(task: TaskWiring, epoch: int) -> bool:
    return (epoch + task.checkpoint_offset) % task.checkpoint_every == 0


def publish(layout: Layout, task: TaskId, line: Line, writer: str) -> Script[None]:
    """Unless somebody has: one is enough, they are all the same."""
    key = layout.checkpoint(task, line.epoch)
    if line.epoch == 0 or (yield from is_published(layout, task, line.epoch)):
        return  # the state before the first epoch is known to all
    answer = yield Snapshot()
    assert isinstance(answer, Files)
    names = []
    for name, payload in answer.files:
        names.append(layout.checkpoint_file(task, line.epoch, writer, name))
        yield from ask.persistently(PutIfAbsent(names[-1], CheckpointFile(payload)))
    made = PublishedCheckpoint(task, line.epoch, line.lineage, line.position, line.shape, tuple(names), line.rebased, writer, line.code)
    yield from ask.persistently(PutIfAbsent(key, made))


def is_published(layout: Layout, task: TaskId, epoch: int) -> Script[bool]:
    """Readable or not: nobody could put another in its place."""
    return not isinstance((yield from ask.persistently(Get(layout.checkpoint(task, epoch)))), Absent)


def latest(layout: Layout, task: TaskId) -> Script[int]:
    """0 while there is none."""
    names = yield from ask.names(layout.checkpoints(task))
    return numbered(names[-1]) if names else 0


def kept(layout: Layout, task: TaskWiring) -> Script[int]:
    """The oldest epoch that this task keeps a checkpoint of; while it has published few, the state before the first epoch."""
    names = yield from ask.names(layout.checkpoints(task.task))
    return numbered(names[-task.keep]) if len(names) >= task.keep else 0


def retire(layout: Layout, task: TaskWiring, pinned: int | None) -> Script[None]:
    """Delete what is older than what is kept and than what anyone forks from: manifests first, then their files."""
    oldest = yield from kept(layout, task)
    limit = oldest if pinned is None else min(oldest, pinned)
    for folder in (layout.checkpoints(task.task), layout.checkpoint_files(task.task)):
        for name in (yield from ask.page_of(folder, "", ask.PAGE)):
            if numbered(name) < limit:
                yield from ask.delete(name)
