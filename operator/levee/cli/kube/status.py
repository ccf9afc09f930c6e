"""`kubectl levee status`: who does what in a topology, now.

Called by: cli.kube.group.
"""

import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from levee.cli.kube.place import Place, error, find, listed, placed, reaching

if TYPE_CHECKING:
    from levee.cli.kube.looking import Looked
    from levee.worlds.kubernetes.person import Reached

EVENTS_SHOWN = 8


@click.command()
@click.argument("name", required=False)
@click.option(
    "-o", "--output", type=click.Choice(["table", "json", "yaml"]), default="table", show_default=True, help="For people or for machines."
)
@placed
def status(place: Place, name: str | None, output: str) -> None:
    """Show who does what in the topology NAME: replicas, nodes, roles, epochs, rates, and what happened.

    Without NAME: the one topology of the namespace, or a line for each.
    What workers say of themselves is asked through the API server; that takes the right to get pods/proxy.
    """
    with reaching(place) as reached:
        resource = find(reached, name) if name else the_only(reached)
        if resource is None:
            return
        from levee.cli.kube.looking import look

        now = datetime.now(UTC)
        show(look(reached, resource, now), output, now)


def the_only(reached: "Reached") -> Any:
    """None: there are several, and each has got its line."""
    found = listed(reached)
    if not found:
        where = f"there is no topology in namespace {reached.namespace}"
        raise error(f"{where}; name its namespace by -n (kubectl get ftt --all-namespaces)")
    if len(found) == 1:
        return found[0]
    for one in found:
        name, told = one["metadata"]["name"], one.get("status") or {}
        click.echo(f"{reached.namespace}/{name}: {told.get('state') or 'submitted'}; kubectl levee status {name}")
    return None


def show(looked: "Looked", output: str, now: datetime) -> None:
    from levee.cli.kube.picture import picture, rows_in, summary_in
    from levee.cli.shared.document import as_json, as_yaml
    from levee.cli.shared.page import printed, reader_width, sheet

    rows = rows_in(looked)
    summary = summary_in(looked, rows)
    if output != "table":
        click.echo((as_json if output == "json" else as_yaml)(as_document(looked, rows, summary)), nl=False)
        return
    terminal = sys.stdout.isatty()
    console = sheet(terminal, reader_width(terminal, os.environ.get("COLUMNS")))
    console.print(picture(looked, rows, summary, EVENTS_SHOWN, now))
    click.echo(printed(console), nl=False)


def as_document(looked: "Looked", rows: Any, summary: Any) -> dict[str, Any]:
    from levee.cli.shared.document import document

    @dataclass(frozen=True, slots=True)
    class TopologyStatus:
        """The shape that docs/operate.md promises: as of a local run, with what Kubernetes knows besides."""

        topology: str
        uid: str
        store: str
        state: str
        since: str | None
        ready: bool
        configuration: str | None
        plan: Any
        conditions: Any
        summary: Any
        account: Any
        nodes: dict[str, bool]
        replicas: Any
        events: Any
        not_shown: tuple[str, ...]

    table, told = looked.table, looked.status
    nodes = {str(node.node): node.alive for node in looked.seen.nodes}
    state, configuration = str(told.get("state") or "submitted"), told.get("configuration")
    found = TopologyStatus(
        *(table.topology, table.uid, table.store, state, told.get("since"), table.ready, configuration),
        *(told.get("plan"), looked.conditions, summary, told.get("account")),
        *(nodes, rows, table.events, looked.notes),
    )
    return document("TopologyStatus", found)
