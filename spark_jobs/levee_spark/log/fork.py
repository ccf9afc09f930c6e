"""fork(checkpoint at e): the one operation behind restart, resynchronisation, moving to another node and the tentative lane.

Why: pin, look at the floors again, fetch, restore; so that what is being fetched, and the inputs after it, stay until one has caught up.
Called by: replicas and sinks, whenever they begin or have lost their line.
"""

from dataclasses import dataclass

from levee.topology.names import TaskId
from levee_spark.log import ask, floor, pin
from levee_spark.log.control import FIRST
from levee_spark.log.inputs import Inputs
from levee_spark.log.keys import numbered
from levee_spark.log.requests import Report, Restore, Script, Wait
from levee_spark.log.values import GENESIS, CheckpointFile, Floor, Pin, PublishedCheckpoint
from levee_spark.log.wiring import Wiring


@dataclass(frozen=True, slots=True)
class Line:
    """Where a replica stands: after `epoch`, as part of this lineage."""

    epoch: int = 0
    lineage: str = GENESIS
    position: int = 0
    shape: int = FIRST
    code: int = FIRST
    rebased: bool = False  # the break is not yet borne by a final manifest


def fork(wiring: Wiring, task: TaskId, holder: str, inputs: Inputs) -> Script[Line]:
    """Restore the newest published checkpoint that can be read; the pin stays until `holder` is released."""
    corrupt: set[int] = set()
    while True:
        line = yield from fork_before(wiring, task, holder, inputs, None, corrupt)
        if line is not None:
            return line
        yield Wait(wiring.times.poll_ms)


def fork_before(wiring: Wiring, task: TaskId, holder: str, inputs: Inputs, limit: int | None, corrupt: set[int]) -> Script[Line | None]:
    """From the newest checkpoint below `limit` and not known as corrupt; None if it is no longer all there."""
    found = yield from newest(wiring, task, limit, corrupt)
    epoch = found.epoch if found else 0
    until_ms = yield from pin.place(wiring.layout, task, Pin(holder, epoch, wiring.times.pin_ms))
    if (yield from inputs_are_kept(wiring, (*inputs.task.inputs, task), epoch)):
        try:
            files = yield from fetch(found)
        except ask.CorruptRecord as wrong:
            yield Report("corrupt", epoch, str(wrong))
            corrupt.add(epoch)
            files = None
        if files is not None:
            yield Restore(epoch, files)
            inputs.pinned_from, inputs.pinned_until_ms = epoch, until_ms
            return line_of(found)
    yield from pin.release(wiring.layout, task, holder)
    return None


def newest(wiring: Wiring, task: TaskId, limit: int | None, corrupt: set[int]) -> Script[PublishedCheckpoint | None]:
    while True:
        epochs = [numbered(name) for name in (yield from ask.names(wiring.layout.checkpoints(task)))]
        epochs = [epoch for epoch in epochs if epoch not in corrupt and (limit is None or epoch < limit)]
        if not epochs:
            return None
        try:
            checkpoint = yield from ask.read(wiring.layout.checkpoint(task, epochs[-1]), PublishedCheckpoint)
        except ask.CorruptRecord as wrong:
            yield Report("corrupt", epochs[-1], str(wrong))
            corrupt.add(epochs[-1])
            continue
        if checkpoint is not None:  # else it was retired meanwhile: there is a newer one
            return checkpoint


def inputs_are_kept(wiring: Wiring, tasks: tuple[TaskId, ...], epoch: int) -> Script[bool]:
    """Read after the pin was written: no floor has passed the first epoch that one needs, to read or, of one's own, to compare with."""
    for task in tasks:
        if (yield from floor.latest(wiring.layout, task, Floor(0, 0))).epoch > epoch + 1:
            return False
    return True


def fetch(checkpoint: PublishedCheckpoint | None) -> Script[tuple[object, ...] | None]:
    files: list[object] = []
    for name in checkpoint.files if checkpoint else ():
        file = yield from ask.read(name, CheckpointFile)
        if file is None:
            return None
        files.append(file.payload)
    return tuple(files)


def line_of(found: PublishedCheckpoint | None) -> Line:
    return Line(found.epoch, found.lineage, found.position, found.shape, found.code, found.rebased) if found else Line()
