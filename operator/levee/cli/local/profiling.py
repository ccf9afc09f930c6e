"""Measure the descriptor of a topology that runs, or has run, on this machine.

Why: its streams say what has passed, also when the run is over; what its workers spend can only be counted while they work.
Called by: cli.commands.profile.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import click

from levee.cli.local.profiled import HEADING, Profiled, check_enough, in_own_name
from levee.cli.local.runs import default_folder, known
from levee.cli.local.streams import driver_of, wired, wiring_in
from levee.planning.measured.counts import Passed, Spent
from levee.planning.measured.descriptor import measured
from levee.planning.measured.interval import BLOCKS
from levee.planning.measured.spending import Look, spending
from levee.plans.ending import Exit, Refused
from levee.topology.complaint import Complaint
from levee.topology.load import Loaded
from levee.topology.names import OperatorName
from levee.worlds.local import asking
from levee.worlds.local.folder import Folder
from levee.worlds.local.table import RunTable
from levee.worlds.passed import passed
from levee.worlds.spending import looks
from levee_spark.log.wiring import Wiring


@dataclass(frozen=True, slots=True)
class Wish:
    """The flags."""

    file: str
    directory: str | None
    epochs: int  # at most
    for_s: float
    levels: int | None


def measure(wish: Wish) -> Profiled:
    data, loaded = in_own_name(wish.file)
    folder, table = run_of(loaded, wish)
    wiring = wiring_in(folder, table.uid)
    check_same_graph(loaded, wiring, folder)
    rows = rows_of(table, wiring, wish.epochs)
    check_enough(rows, table.topology, wish.epochs, runs=table.controller is not None)
    spent, notes = spent_in(table, wish.for_s)
    assert loaded.topology is not None and loaded.resource is not None
    found = measured(loaded.topology, rows, spent, rows_max=loaded.resource.spec.epoch.max_rows, exactly=wish.levels)
    return Profiled(data, loaded, found, notes)


def run_of(loaded: Loaded, wish: Wish) -> tuple[Folder, RunTable]:
    """Where `levee run` has put it, unless somebody says where it is."""
    assert loaded.topology is not None
    place = wish.directory or str(default_folder(loaded.topology.name))
    found = known(place)
    if not found:
        wrong = f"has not run on this machine: there is no run in {place}"
        raise Refused(HEADING, [Complaint(loaded.short_name, wrong, f"levee run -f {wish.file}; or name its folder with --directory")])
    [(folder, table)] = found
    if table.topology != loaded.short_name:
        complaint = Complaint(
            "--directory", f"{folder.path} is a run of {table.topology}, not of {loaded.short_name}", "name its own folder"
        )
        raise Refused(HEADING, [complaint], Exit.USAGE)
    return folder, table


def check_same_graph(loaded: Loaded, wiring: Wiring, folder: Folder) -> None:
    assert loaded.resource is not None
    if wired(loaded.resource, wiring.layout.uid).graph != wiring.graph:
        wrong = "its graph is another one than that which has run: other sources, operators, inputs or parallelism"
        raise Refused(HEADING, [Complaint("--file", wrong, f"levee run it first; what has run is {folder.resource}")])


def rows_of(table: RunTable, wiring: Wiring, most: int) -> Passed:
    driver = driver_of("levee profile", table, writes=False)
    try:
        return passed(wiring, driver, most)
    finally:
        driver.close()


# ---- what it costs


def spent_in(table: RunTable, for_s: float) -> tuple[Mapping[OperatorName, Sequence[Spent]], tuple[str, ...]]:
    """While it runs; and why not."""
    if table.controller is None:
        return {}, ("its workers are gone, and CPU time is counted while they work: cost stays as declared",)
    click.echo(f"{table.topology}: counting CPU time for {for_s:g} s", err=True)
    found = spending(looked(table, for_s))
    if not found:
        return {}, ("no worker has told what CPU time it spends (is it of an earlier version?): cost stays as declared",)
    return found, ()


def looked(table: RunTable, for_s: float) -> list[dict[str, Look]]:
    """At all workers, again and again."""
    ports = {str(one.worker): asking.port_of(one.directory) for one in table.workers if one.process is not None}
    found = []
    for turn in range(BLOCKS + 1):
        time.sleep(for_s / BLOCKS if turn else 0)
        found.append(looks(asking.answers_of(ports, "/spent", asking.SPENT_PATIENCE_S)))
    return found
