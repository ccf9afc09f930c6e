"""What must be as it was when a topology is run again in its folder: its store and the streams in it, and how epochs are numbered.

Why: streams that begin anew under the UID of earlier ones would number their epochs from 1 again, and sinks take those for delivered.
Called by: opening.
"""

from collections.abc import Iterator

from levee.topology import lasting
from levee.topology.complaint import Complaint
from levee.topology.load import load_bytes
from levee.topology.spec import Resource
from levee.worlds.local.folder import Folder
from levee.worlds.local.table import RunTable
from levee_spark.log.values import ControlRecord

ANEW = "put it back, or name another --directory: that begins new streams"
LOST = "restore it; or name another --directory, which begins new streams (and other paths for sinks that write files)"


def of_resource(folder: Folder, earlier: RunTable, resource: bytes, store: str) -> Iterator[Complaint]:
    """Before the store is opened, which makes a folder where there is none. All workers start anew: their clock may change."""
    before, after = resource_in(folder), read(resource)
    if before is not None and after is not None:
        yield from lasting.complaints(before.spec, after.spec, at_rest=True, anew=ANEW)
    elif earlier.store != store:
        yield Complaint("spec.store", lasting.STORE.wrong, ANEW)


def resource_in(folder: Folder) -> Resource | None:
    """As it was run."""
    try:
        return read(folder.resource.read_bytes())
    except OSError:
        return None


def read(data: bytes) -> Resource | None:
    """None: another version of Levee may have written it."""
    found = load_bytes(data, origin="topology.yaml")
    return found[0].resource if len(found) == 1 else None


def of_log(earlier: RunTable, record: ControlRecord | None) -> Iterator[Complaint]:
    if record is None and earlier.record is not None:
        wrong = f"{earlier.store} holds no stream of this run, and control record {earlier.record} was there: it was emptied or removed"
        yield Complaint("spec.store", wrong, LOST)
