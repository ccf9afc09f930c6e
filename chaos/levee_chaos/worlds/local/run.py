"""One run of this machine: where it is, what is seen of it, and how it is.

Called by: local, as the World that `find` gives; signals.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from levee.cli.local import runs
from levee.cli.local.streams import driver_of, wiring_in
from levee.topology.complaint import Complaint
from levee.topology.load import load_bytes
from levee.topology.spec import Resource
from levee.worlds.local.folder import Folder
from levee.worlds.local.rows import rows_of, summary_of
from levee.worlds.local.table import RunTable, read_table
from levee_chaos.aim import Seen
from levee_chaos.refusals import Refused, told
from levee_chaos.worlds.rates import rates_in
from levee_chaos.worlds.world import Health, Passage
from levee_spark.log.wiring import Wiring
from levee_spark.store.driver import StoreDriver


@dataclass(frozen=True, slots=True)
class Run:
    at: Folder
    table: RunTable

    @property
    def is_shared(self) -> bool:
        return False

    @property
    def topology(self) -> str:
        return self.table.topology

    @property
    def uid(self) -> str:
        return self.table.uid

    @property
    def folder(self) -> Path:
        return self.at.path

    @property
    def reason(self) -> str:
        return self.table.reason

    @property
    def state(self) -> str:
        """A run has no lifecycle: it runs, or this is none."""
        return "running"

    @property
    def guarantee(self) -> None:
        """A run has no conditions."""
        return None

    @property
    def configuration(self) -> str | None:
        return self.table.configuration

    def declared(self) -> Resource:
        [found] = load_bytes(self.at.resource.read_bytes(), origin=str(self.at.resource))
        assert found.resource is not None, "it runs"
        return found.resource

    @property
    def passages(self) -> tuple[Passage, ...]:
        return (Passage(self.state, ""),)

    def rates(self) -> Mapping[str, float]:
        return rates_in(self.table, rows_of(self.table, self.table.observe()))

    def seen(self) -> Seen:
        observation = self.table.observe()
        nodes = {node.node: node.alive for node in observation.nodes}
        return Seen(self.table.topology, rows_of(self.table, observation), nodes, dict(self.table.zones))

    def health(self) -> Health:
        rows = rows_of(self.table, self.table.observe())
        summary = summary_of(self.table, rows)
        idle = tuple(f"{row.replica} ({row.status})" for row in rows if row.role == "none")
        return Health(self.table.ready, idle, summary.lag_epochs, summary.epoch)

    def secret(self) -> Mapping[str, str]:
        """That of whoever asks."""
        return {}

    def has_told(self, text: str) -> bool:
        """In their logs, of dead workers too."""
        return any(text in log.read_text(errors="replace") for log in self.at.log("").parent.glob("*.log"))

    @contextmanager
    def reading(self) -> Iterator[tuple[Wiring, StoreDriver]]:
        with told():
            driver = driver_of("levee-chaos", self.table, writes=False)
            try:
                yield wiring_in(self.at, self.table.uid), driver
            finally:
                driver.close()


def found(directory: str, topology: str) -> tuple[Folder, RunTable]:
    """In a folder; without one, the run of that name in .levee, or the only one. It runs now."""
    with told():
        folder, table = named(topology) if topology and not directory else runs.find_running("levee-chaos", directory or None)
    if topology not in {"", *names_of(table)}:
        wrong = f"'{topology}' does not run here, {table.topology} does"
        raise Refused("levee-chaos: another topology.", [Complaint("topology", wrong, "name it, or another directory")])
    return folder, table


def is_running(path: Path) -> bool:
    table = read_table(Folder(path))
    return table is not None and table.controller is not None


def names_of(table: RunTable) -> tuple[str, str]:
    return table.topology, table.topology.rpartition("/")[2]


def runs_here(topology: str) -> bool:
    with told():
        return any(topology in names_of(table) for _, table in running())


def running() -> list[tuple[Folder, RunTable]]:
    return [one for one in runs.known(None) if one[1].controller is not None]


def named(topology: str) -> tuple[Folder, RunTable]:
    known = running()
    for folder, table in known:
        if topology in names_of(table):
            return folder, table
    fix = f"name one of {', '.join(table.topology for _, table in known)}" if known else "start it with levee run, or say its directory"
    raise Refused("levee-chaos: which topology?", [Complaint("topology", f"'{topology}' does not run in {runs.PLACE.absolute()}", fix)])
