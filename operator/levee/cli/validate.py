"""`levee validate`: is every document a topology, and if not, everything that is wrong with it.

Why: the first thing to do with a topology, before any cluster and in every pipeline that deploys one.
Called by: cli.main.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from levee.cli.ending import Exit
from levee.topology.graph import Topology
from levee.topology.load import Loaded, load_bytes
from levee.topology.wording import count, describe

STDIN = "-"
ENDINGS = (".yaml", ".yml", ".json")


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
    loaded = [one for origin, data in _read_all(paths) for one in load_bytes(data, origin=origin)]
    if output == "json":
        click.echo(json.dumps([_for_machines(one) for one in loaded], indent=2))
    else:
        for one in loaded:
            _tell(one)
    context.exit(Exit.OK if all(one.topology for one in loaded) else Exit.REFUSED)


def _read_all(paths: Sequence[str]) -> list[tuple[str, bytes]]:
    """Everything that was named; what cannot be read is told all at once."""
    contents, unreadable = list[tuple[str, bytes]](), list[str]()
    for path in paths:
        try:
            contents.extend(_read(path))
        except (OSError, ValueError) as problem:  # ValueError: a path with a zero byte in it
            reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
            unreadable.append(f"{path}: {reason}")
    if unreadable:
        raise click.UsageError("Cannot read " + "; cannot read ".join(unreadable) + ".")
    return contents


def _read(path: str) -> Iterator[tuple[str, bytes]]:
    if path == STDIN:
        if sys.stdin is None:
            raise OSError(0, "standard input is closed")
        yield "stdin", sys.stdin.buffer.read()
        return
    place = Path(path)
    if not place.is_dir():
        yield path, place.read_bytes()
        return
    inside = sorted(file for file in place.iterdir() if file.suffix in ENDINGS and file.is_file())
    if not inside:
        raise OSError(0, f"this directory holds no {', '.join(ENDINGS)}")
    yield from ((str(file), file.read_bytes()) for file in inside)


def _tell(one: Loaded) -> None:
    if one.topology is not None:
        click.echo(f"{one.short_name}: valid ({_size(one.topology)})")
        return
    where = "" if one.origin in one.name else f" ({one.origin})"
    click.echo(describe(f"{one.name}{where}", one.complaints), err=True)


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
