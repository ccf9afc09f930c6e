"""What must be as it was when a topology is run again in its folder: its store, and the streams in it.

Why: streams that begin anew under the UID of earlier ones would number their epochs from 1 again, and sinks take those for delivered.
Called by: opening.
"""

from collections.abc import Iterator

from levee.topology import lasting
from levee.topology.complaint import Complaint
from levee.worlds.local.table import RunTable
from levee_spark.log.values import ControlRecord

ANEW = "put it back, or name another --directory: that begins new streams"
LOST = "restore it; or name another --directory, which begins new streams (and other paths for sinks that write files)"


def of_store(earlier: RunTable, store: str) -> Iterator[Complaint]:
    """Before the store is opened, which makes a folder where there is none."""
    if earlier.store != store:
        yield Complaint("spec.store", f"{lasting.STORE.wrong}; they are in {earlier.store}", ANEW)


def of_log(earlier: RunTable, record: ControlRecord | None) -> Iterator[Complaint]:
    if record is None and earlier.record is not None:
        wrong = f"{earlier.store} holds no stream of this run, and control record {earlier.record} was there: it was emptied or removed"
        yield Complaint("spec.store", wrong, LOST)
