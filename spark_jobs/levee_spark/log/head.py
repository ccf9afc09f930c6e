"""Where a stream ends, without listing it.

Why: from the floor to the head there is no gap, so leaping ahead and closing in finds the head in a few gets, whatever the stream's age.
Called by: ingestors and sealers when they begin, `change` (where a position begins).
"""

from levee.topology.names import TaskId
from levee_spark.log import ask, floor
from levee_spark.log.commit import Committed, Unreadable, seen
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Script
from levee_spark.log.values import Floor, Manifest


def manifest_at(layout: Layout, task: TaskId, epoch: int) -> Script[Manifest | None]:
    found = yield from seen(layout.epoch(task, epoch))
    return found.manifest if isinstance(found, Committed) else None


def is_there(layout: Layout, task: TaskId, epoch: int) -> Script[bool]:
    """What cannot be read is there, too."""
    try:
        return (yield from manifest_at(layout, task, epoch)) is not None
    except Unreadable:
        return True


def find(layout: Layout, task: TaskId) -> Script[Manifest | None]:
    """The manifest of the last committed epoch; None before the first."""

    def there(epoch: int) -> Script[bool]:
        return (yield from is_there(layout, task, epoch))

    while True:
        low = (yield from floor.latest(layout, task, Floor(0, 0))).epoch
        head = yield from ask.farthest(low, there)
        manifest = (yield from manifest_at(layout, task, head)) if head else None
        if (yield from floor.latest(layout, task, Floor(0, 0))).epoch <= head and (manifest is not None or head == 0):
            return manifest  # else the floor overtook the search
