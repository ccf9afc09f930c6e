"""`kubectl levee events`: what happened to a topology, and to its pods.

Why: what the operator tells of a topology and what Kubernetes tells of its pods are one story in two lists.
Called by: cli.kube.group.
"""

import os
import sys
from datetime import UTC, datetime

import click

from levee.cli.kube.place import Place, find, placed, reaching


@click.command()
@click.argument("name")
@click.option("--warnings", is_flag=True, help="Only what is not as it should be.")
@placed
def events(place: Place, name: str, *, warnings: bool) -> None:
    """Show what happened to the topology NAME and to the pods that it has, oldest first.

    Kubernetes keeps events for an hour, if it was not told otherwise.
    """
    with reaching(place) as reached:
        from levee.cli.kube.happenings import happened_to, happened_to_pods
        from levee.cli.kube.looking import owner_of, pods_of
        from levee.cli.kube.picture import age
        from levee.cli.shared.page import grid, printed, reader_width, sheet

        resource = find(reached, name)
        found = [*happened_to(reached, resource), *happened_to_pods(reached, pods_of(reached, owner_of(resource)))]
        shown = [one for one in sorted(found, key=lambda one: one.at) if one.kind != "Normal" or not warnings]
        if not shown:
            click.echo(f"No {'warnings' if warnings else 'events'} of {reached.namespace}/{name} are left.", err=True)
            return
        table, now = grid("AGE", "TYPE", "REASON", "ABOUT", "MESSAGE*"), datetime.now(UTC)
        for one in shown:
            times = f" (x{one.times})" if one.times > 1 else ""
            table.add_row(age(one.at, now) + times if one.at else "", one.kind, one.reason, one.about, one.text)
        terminal = sys.stdout.isatty()
        console = sheet(terminal, reader_width(terminal, os.environ.get("COLUMNS")))
        console.print(table)
        click.echo(printed(console), nl=False)
