"""`levee status`: who does what in a local run, now.

Called by: cli.main.
"""

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from levee.cli.local.runs import directory_option, find, known
from levee.plans.ending import Exit

if TYPE_CHECKING:  # the command must start fast
    from levee.worlds.local.folder import Folder
    from levee.worlds.local.table import RunTable

EVENTS_SHOWN = 8


@click.command()
@directory_option
@click.option(
    "-o", "--output", type=click.Choice(["table", "json"]), default="table", show_default=True, help="For people or for machines."
)
@click.pass_context
def status(ctx: click.Context, directory: str | None, output: str) -> None:
    """Show who does what in a run of this machine: replicas, roles, epochs, and what happened.

    Exit code 0: it runs; 1: it does not run now; 2: there is no such run.
    """
    from levee.cli.local.picture import picture
    from levee.cli.local.service import Service, service_of
    from levee.cli.shared.document import as_json, document
    from levee.cli.shared.page import printed, reader_width, sheet
    from levee.control.actions import Reason
    from levee.worlds.local.rows import ReplicaRow, RunSummary, rows_of, summary_of
    from levee.worlds.local.table import SwitchEntry, Told

    @dataclass(frozen=True, slots=True)
    class RunStatus:
        """The shape that docs/local-run.md promises."""

        topology: str
        directory: str
        uid: str
        store: str
        running: bool
        ready: bool
        configuration: str | None
        record: int | None
        ended: str | None
        reason: str
        text: str
        summary: RunSummary
        account: Service | None
        switches: tuple[SwitchEntry, ...]
        nodes: dict[str, bool]
        replicas: tuple[ReplicaRow, ...]
        events: tuple[Told, ...]

    if output == "table" and len(lines := several(known(directory))) > 1:
        click.echo("\n".join(lines))
        ctx.exit(Exit.OK if any(table.controller for _, table in known(directory)) else Exit.REFUSED)
    folder, table = find("levee status", directory)
    seen = table.observe()
    rows = rows_of(table, seen)
    summary = summary_of(table, rows)
    running = table.controller is not None
    if output == "json":
        nodes = {str(node.node): node.alive for node in seen.nodes}
        found = RunStatus(
            table.topology,
            str(folder.path),
            table.uid,
            table.store,
            running,
            table.ready and running,
            table.configuration,
            table.record,
            table.ended or None,
            table.reason,
            table.text,
            summary,
            service_of(table.account) if table.account is not None else None,
            table.switches,
            nodes,
            rows,
            table.events,
        )
        click.echo(as_json(document("RunStatus", found)), nl=False)
    else:
        console = sheet(sys.stdout.isatty(), reader_width(sys.stdout.isatty(), os.environ.get("COLUMNS")))
        console.print(picture(table, rows, summary, EVENTS_SHOWN, whole=True))
        click.echo(printed(console), nl=False)
        if not running:
            completed = table.reason == Reason.COMPLETED
            click.echo(
                f"{table.topology} " + ("is completed." if completed else "does not run now; levee run goes on where its streams ended.")
            )
    ctx.exit(Exit.OK if running else Exit.REFUSED)


def several(found: "list[tuple[Folder, RunTable]]") -> list[str]:
    """A line for each, where it cannot be told which one is meant."""
    if sum(table.controller is not None for _, table in found) == 1:
        return []
    how = {folder: "runs" if table.controller else table.ended or "does not run now" for folder, table in found}
    return [f"{table.topology} in {folder.path}: {how[folder]}; levee status --directory {folder.path}" for folder, table in found]
