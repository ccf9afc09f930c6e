"""One run of this machine: where it is, what is seen of it, and how it is.

Called by: inflicting, streams, probes and controls.
"""

from dataclasses import dataclass

from levee.cli.local import runs
from levee.topology.complaint import Complaint
from levee.worlds.local.folder import Folder
from levee.worlds.local.rows import rows_of, summary_of
from levee.worlds.local.table import RunTable
from levee_chaos.aim import Seen
from levee_chaos.refusals import Refused, told


@dataclass(frozen=True, slots=True)
class Health:
    """By what its replicas say at one moment; `ready` alone is as old as the run's last turn."""

    ready: bool
    idle: tuple[str, ...]  # the replicas that do not work
    lag_epochs: int
    epoch: int  # that has come out

    @property
    def is_whole(self) -> bool:
        return self.ready and not self.idle


@dataclass(frozen=True, slots=True)
class Local:
    folder: Folder
    table: RunTable

    def seen(self) -> Seen:
        observation = self.table.observe()
        nodes = {node.node: node.alive for node in observation.nodes}
        return Seen(self.table.topology, rows_of(self.table, observation), nodes)

    def health(self) -> Health:
        rows = rows_of(self.table, self.table.observe())
        summary = summary_of(self.table, rows)
        idle = tuple(f"{row.replica} ({row.status})" for row in rows if row.role == "none")
        return Health(self.table.ready, idle, summary.lag_epochs, summary.epoch)


def find(directory: str, topology: str) -> Local:
    """In a folder; without one, the run of that name in .levee, or the only one. It runs now."""
    with told():
        found = Local(*(named(topology) if topology and not directory else runs.find_running("levee-chaos", directory or None)))
    if topology not in {"", *names_of(found.table)}:
        wrong = f"'{topology}' does not run here, {found.table.topology} does"
        raise Refused("levee-chaos: another topology.", [Complaint("topology", wrong, "name it, or another directory")])
    return found


def names_of(table: RunTable) -> tuple[str, str]:
    return table.topology, table.topology.rpartition("/")[2]


def named(topology: str) -> tuple[Folder, RunTable]:
    known = [one for one in runs.known(None) if one[1].controller is not None]
    for folder, table in known:
        if topology in names_of(table):
            return folder, table
    fix = f"name one of {', '.join(table.topology for _, table in known)}" if known else "start it with levee run, or say its directory"
    raise Refused("levee-chaos: which topology?", [Complaint("topology", f"'{topology}' does not run in {runs.PLACE.absolute()}", fix)])
