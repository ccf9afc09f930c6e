"""The newest rows that a stream has, for a function to be tried on.

Called by: trying.
"""

from levee.topology.names import TaskId
from levee_spark.log import ask, head
from levee_spark.log.requests import Script
from levee_spark.log.values import EpochObject, Kind
from levee_spark.log.wiring import Wiring


def last_rows(wiring: Wiring, task: TaskId, epoch: int) -> Script[EpochObject | None]:
    """Of an epoch, or of the nearest before it."""
    newest = yield from head.find(wiring.layout, task)
    epoch = min(epoch, newest.epoch if newest else 0)
    while epoch > 0:
        found = yield from ask.read(wiring.layout.epoch(task, epoch), EpochObject)
        if found is None or found.manifest.kind is Kind.FINAL:
            return found
        epoch -= 1
    return None
