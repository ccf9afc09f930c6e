"""The page of a local run: while it runs, served on loopback; afterwards, or beside it, as a file.

Called by: cli.local.start; cli.commands.page.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from levee.cli.local.runnable import HEADING
from levee.control.seen import Measured, Observation
from levee.page.picture.graph import Graph, graph_of
from levee.page.picture.view import Brief, View
from levee.page.picture.whole import picture
from levee.page.serving import LOOPBACK, Sources, address, serve
from levee.plans.ending import Exit, Refused
from levee.topology.complaint import Complaint
from levee.topology.load import load_bytes
from levee.worlds.local.run import LocalRun, time_of_day
from levee.worlds.local.table import RunTable
from levee.worlds.measuring import Workers, summed

RUNNING, ENDED = "running", "not running"


@dataclass(slots=True)
class Paged:
    """What the page shows is asked of the run, whichever turn it is at."""

    graph: Graph
    name: str = ""
    where: str = ""  # its address; none where it is not served
    run: LocalRun | None = None

    @contextmanager
    def following(self, run: LocalRun) -> Iterator[None]:
        self.run = run
        if self.where:
            click.echo(f"{run.blank.topology}: shown at {self.where}")
        yield

    def picture(self, asked: str) -> Mapping[str, Any]:
        """There is one topology; whoever asks for another one (of the run before, at the same port) is told so."""
        if asked and asked != self.name:
            return picture(time_of_day(), None, [Brief(self.name, RUNNING)], asked=asked)
        return picture(time_of_day(), None if self.run is None else self.view(self.run))

    def view(self, run: LocalRun) -> View:
        last = run.last
        table, seen = (run.blank, Observation()) if last is None else (last.table, last.seen)
        return View(table, seen, self.graph, RUNNING, wanted=run.world.wanted)


@contextmanager
def page_of(resource: bytes, port: int | None) -> Iterator[Paged]:
    """Without a port it is not served. 0: any that is free."""
    [loaded] = load_bytes(resource, origin="the run's resource")
    paged = Paged(graph_of(loaded), loaded.short_name)
    if port is None:
        yield paged
        return
    try:
        server = serve(Sources(paged.picture), LOOPBACK, port)
    except OSError as taken:
        wrong = f"{LOOPBACK}:{port} cannot be listened on: {taken.strerror or taken}"
        raise Refused(
            HEADING, [Complaint("--page-port", wrong, "name another port, or none: then a free one is found")], Exit.USAGE
        ) from None
    try:
        paged.where = address(server)
        yield paged
    finally:
        server.shutdown()
        server.server_close()


def graph_in(resource: bytes) -> Graph:
    [found] = load_bytes(resource, origin="the run's resource")
    return graph_of(found)


def from_outside(table: RunTable, graph: Graph) -> View:
    """Who looks from outside knows of the rates what is offered at this moment."""
    seen = table.observe()
    sources = [task.task for task in table.tasks if not task.reads]
    told = Workers().told(sources, seen)
    rates = None if told.missing else summed(told.rates)
    state = table.ended or (RUNNING if table.controller is not None else ENDED)
    return View(table, seen.with_history(Measured(rates, told.missing), ()), graph, state)
