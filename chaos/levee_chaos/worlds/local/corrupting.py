"""An object of a run's store, corrupted; and put back by the journal alone.

Called by: deeds.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from levee.topology.complaint import Complaint
from levee.worlds.local.folder import Folder
from levee.worlds.local.table import read_table
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault
from levee_chaos.refusals import NOTHING, Refused
from levee_chaos.worlds import objects
from levee_chaos.worlds.local.run import Run
from levee_chaos.worlds.world import Deed


def corrupt(run: Run, fault: Fault, _aimed: Aimed) -> objects.Corrupting:
    return objects.corrupt("local", {"folder": str(run.folder)}, run.reading, run.folder / "chaos", fault)


def no_status(_run: Run, _fault: Fault, _aimed: Aimed) -> Deed:
    raise Refused(NOTHING, [Complaint("fault", "a run of this machine has no resource, and so no status", "name a topology of a cluster")])


def put_back(how: Mapping[str, Any]) -> None:
    """Whether or not it runs any more."""
    folder = Folder(Path(how["folder"]))
    table = read_table(folder)
    if table is not None:
        objects.put_back(how, Run(folder, table).reading)
