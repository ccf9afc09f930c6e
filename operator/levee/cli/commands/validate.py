"""`levee validate`: is every document a topology or an experiment on one, and if not, everything that is wrong with it.

Why: the first thing to do with either, before any cluster and in every pipeline that deploys one.
Called by: cli.main.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from levee.cli.local import preflight
from levee.cli.shared.files import load_all, told
from levee.experiments.checks.around import of_topology
from levee.experiments.load import judged
from levee.experiments.spec import KIND, Experiment
from levee.plans.ending import Exit
from levee.topology.complaint import Complaint
from levee.topology.graph import Topology
from levee.topology.load import Loaded
from levee.topology.spec import Resource
from levee.topology.wording import count


@click.command(short_help="Check topologies and experiments and name every mistake at once.")
@click.option(
    "-f", "--file", "named", multiple=True, metavar="FILE", help="A file, a directory of them, or - for what is piped in. Repeatable."
)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True, help="For people or for machines.")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.pass_context
def validate(context: click.Context, named: Sequence[str], files: Sequence[str], output: str) -> None:
    """Check topologies and experiments and name every mistake at once.

    What an experiment names is looked for in its topology, where that is among the files.

    Exit code 0: all are valid; 1: some are not; 2: a file cannot be read.
    """
    paths = (*named, *files)
    if not paths:
        raise click.UsageError("Name at least one file: levee validate -f topology.yaml, or -f - for what is piped in.")
    loaded = in_their_topologies(load_all(paths, code_and_formats, {KIND: judged}))
    if output == "json":
        click.echo(json.dumps([_for_machines(one) for one in loaded], indent=2))
    else:
        for one in loaded:
            _tell(one)
    context.exit(Exit.OK if all(map(is_valid, loaded)) else Exit.REFUSED)


def code_and_formats(resource: Resource, origin: str) -> Iterable[Complaint]:
    """As `levee run` would say it, as far as that can be known here: of what is piped in nobody knows what lies beside it."""
    file = Path(origin)
    return preflight.complaints(resource, preflight.places_for(resource, file.absolute().parent) if file.is_file() else None)


def is_valid(one: Loaded) -> bool:
    return one.topology is not None or one.other is not None


def in_their_topologies(loaded: Sequence[Loaded]) -> list[Loaded]:
    there = {one.short_name: one.topology for one in loaded if one.topology is not None}
    return [within(one, there) for one in loaded]


def within(one: Loaded, there: Mapping[str, Topology]) -> Loaded:
    topology = there.get(one.other.topology) if isinstance(one.other, Experiment) else None
    complaints = tuple(of_topology(one.other, topology)) if topology is not None and isinstance(one.other, Experiment) else ()
    return replace(one, other=None, complaints=complaints) if complaints else one


def _tell(one: Loaded) -> None:
    if isinstance(one.other, Experiment):
        click.echo(f"{one.short_name}: valid ({count(len(one.other.spec.steps), 'step')} on {one.other.topology})")
        return
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
    return {"origin": one.origin, "name": one.short_name, "valid": is_valid(one), "complaints": complaints}
