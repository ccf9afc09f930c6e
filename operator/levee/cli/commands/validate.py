"""`levee validate`: is every document a topology, and if not, everything that is wrong with it.

Why: the first thing to do with a topology, before any cluster and in every pipeline that deploys one.
Called by: cli.main.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from levee.cli.local import preflight
from levee.cli.shared.files import load_all, told
from levee.plans.ending import Exit
from levee.topology.complaint import Complaint
from levee.topology.graph import Topology
from levee.topology.load import Loaded
from levee.topology.spec import Resource
from levee.topology.wording import count


@click.command(short_help="Check topologies and name every mistake at once.")
@click.option(
    "-f", "--file", "named", multiple=True, metavar="FILE", help="A file, a directory of them, or - for what is piped in. Repeatable."
)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True, help="For people or for machines.")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.pass_context
def validate(context: click.Context, named: Sequence[str], files: Sequence[str], output: str) -> None:
    """Check topologies and name every mistake at once.

    Exit code 0: all are valid; 1: some are not; 2: a file cannot be read.
    """
    paths = (*named, *files)
    if not paths:
        raise click.UsageError("Name at least one file: levee validate -f topology.yaml, or -f - for what is piped in.")
    loaded = load_all(paths, code_and_formats)
    if output == "json":
        click.echo(json.dumps([_for_machines(one) for one in loaded], indent=2))
    else:
        for one in loaded:
            _tell(one)
    context.exit(Exit.OK if all(one.topology for one in loaded) else Exit.REFUSED)


def code_and_formats(resource: Resource, origin: str) -> Iterable[Complaint]:
    """As `levee run` would say it, as far as that can be known here: of what is piped in nobody knows what lies beside it."""
    file = Path(origin)
    return preflight.complaints(resource, preflight.places_for(resource, file.absolute().parent) if file.is_file() else None)


def _tell(one: Loaded) -> None:
    if one.topology is not None:
        click.echo(f"{one.short_name}: valid ({_size(one.topology)})")
        return
    click.echo(told(one), err=True)


def _size(topology: Topology) -> str:
    tasks = sum(operator.parallelism for operator in topology.operators)
    parts = (
        (len(topology.sources), "source"),
        (len(topology.operators), "operator"),
        (tasks, "task"),
        (len(topology.configurations), "configuration"),
    )
    return ", ".join(count(many, noun) for many, noun in parts)


def _for_machines(one: Loaded) -> dict[str, object]:
    complaints = [{"where": c.where, "wrong": c.wrong, "fix": c.fix} for c in one.complaints]
    return {"origin": one.origin, "name": one.short_name, "valid": one.topology is not None, "complaints": complaints}
