"""Where a stream ends, without listing it.

Why: from the floor to the head there is no gap, so leaping ahead and closing in finds the head in a few gets, whatever the stream's age.
Called by: ingestors and sealers when they begin, `change` (where a position begins).
"""

from collections.abc import Callable

from levee.topology.names import TaskId
from levee_spark.log import floor
from levee_spark.log.commit import Committed, seen
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Script
from levee_spark.log.values import Floor, Manifest


def farthest(low: int, holds: Callable[[int], Script[bool]]) -> Script[int]:
    """The last epoch from `low` on of which something holds that holds of every epoch before it, too."""
    leap = 1
    while (yield from holds(low + leap)):
        low, leap = low + leap, 2 * leap
    high = low + leap
    while high - low > 1:
        middle = (low + high) // 2
        if (yield from holds(middle)):
            low = middle
        else:
            high = middle
    return low


def manifest_at(layout: Layout, task: TaskId, epoch: int) -> Script[Manifest | None]:
    found = yield from seen(layout.epoch(task, epoch))
    return found.manifest if isinstance(found, Committed) else None


def find(layout: Layout, task: TaskId) -> Script[Manifest | None]:
    """The manifest of the last committed epoch; None before the first."""

    def there(epoch: int) -> Script[bool]:
        return (yield from manifest_at(layout, task, epoch)) is not None

    while True:
        low = (yield from floor.latest(layout, task, Floor(0, 0))).epoch
        head = yield from farthest(low, there)
        manifest = (yield from manifest_at(layout, task, head)) if head else None
        if (yield from floor.latest(layout, task, Floor(0, 0))).epoch <= head and (manifest is not None or head == 0):
            return manifest  # else the floor overtook the search
