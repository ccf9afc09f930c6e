"""Begin after any epoch, without a checkpoint: a function that keeps no state needs none.

Why: an epoch that can no longer be read may lie before every checkpoint that its task keeps, while its inputs are all there. What is
computed from them is put only if it is what stood there (`rebuild`), so a function that keeps something after all does no harm.
Called by: `mend`.
"""

from levee.topology.names import TaskId
from levee_spark.log import ask, fork, head, pin
from levee_spark.log.commit import Unreadable
from levee_spark.log.control import FIRST
from levee_spark.log.fork import Line
from levee_spark.log.inputs import Inputs
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Restore, Script
from levee_spark.log.values import ChangeEpoch, ControlRecord, Manifest, Pin
from levee_spark.log.wiring import Wiring


def begin_before(wiring: Wiring, task: TaskId, holder: str, inputs: Inputs, epoch: int) -> Script[Line | None]:
    """As `fork` does it, with the empty state; None where the inputs are no longer there, or nothing says which line it was."""
    until_ms = yield from pin.place(wiring.layout, task, Pin(holder, epoch - 1, wiring.times.pin_ms))
    if (yield from fork.inputs_are_kept(wiring, (*inputs.task.inputs, task), epoch - 1)):
        line = yield from line_after(wiring.layout, task, epoch - 1)
        if line is not None:
            yield Restore(line.epoch, ())
            inputs.pinned_from, inputs.pinned_until_ms = line.epoch, until_ms
            return line
    yield from pin.release(wiring.layout, task, holder)
    return None


def line_after(layout: Layout, task: TaskId, epoch: int) -> Script[Line | None]:
    """By what was committed."""
    try:
        manifest = yield from head.manifest_at(layout, task, epoch)
    except Unreadable:
        return None
    record = (yield from in_force(layout, manifest)) if manifest is not None else None
    if manifest is None or record is None:
        return None
    return Line(epoch, manifest.lineage, manifest.position, record.shape_number, record.shape_number)


def in_force(layout: Layout, manifest: Manifest) -> Script[ControlRecord | None]:
    """Whoever has computed an epoch had recorded every E(n) that it carries."""
    record = yield from ask.read(layout.control(manifest.position), ControlRecord)
    while record is not None and record.shape_number > FIRST:
        began = yield from ask.read(layout.change(record.shape_number), ChangeEpoch)
        if began is None or began.epoch <= manifest.epoch:
            return record if began is not None else None
        record = yield from ask.read(layout.control(record.shape_number - 1), ControlRecord)
    return record
