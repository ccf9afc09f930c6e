"""Topologies from the files that were named on the command line.

Why: files are read, and what is wrong with them is told, the same way by every command; and nothing that never ends is read to its end.
Called by: cli.plan_run, cli.commands.validate; plans.nodes, for files of nodes.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from levee.plans.ending import Refused
from levee.plans.reading import bounded, read_file
from levee.topology.complaint import Complaint
from levee.topology.graph import Topology
from levee.topology.load import NO_OTHERS, Loaded, Others, load_bytes, unique
from levee.topology.spec import Resource
from levee.topology.wording import describe

More = Callable[[Resource, str], Iterable[Complaint]]  # of a resource and where it stands

STDIN = "-"
ENDINGS = (".yaml", ".yml", ".json")


def nothing(_resource: Resource, _origin: str) -> Iterable[Complaint]:
    return ()


def topologies(paths: Sequence[str]) -> tuple[Topology, ...]:
    """Every document of every file, or everything that is wrong with them."""
    loaded = load_all(paths)
    wrong = [one for one in loaded if one.topology is None]
    if wrong:
        raise Refused("\n".join(map(told, wrong)))
    return tuple(one.topology for one in loaded if one.topology is not None)


def load_all(paths: Sequence[str], more: More = nothing, others: Others = NO_OTHERS) -> list[Loaded]:
    """Everything that was named; what cannot be read is told all at once. `more`: what is wrong besides what the text itself shows.

    `others`: kinds besides topologies that are understood here.
    """
    contents, unreadable = list[tuple[str, bytes]](), list[str]()
    for path in paths:
        try:
            contents.extend(_read(path))
        except (OSError, ValueError) as problem:  # ValueError: a path with a zero byte in it
            unreadable.append(f"{path}: {getattr(problem, 'strerror', None) or problem}")
    if unreadable:
        raise click.UsageError("Cannot read " + "; cannot read ".join(unreadable) + ".")
    return list(unique(asked(one, more, origin) for origin, data in contents for one in load_bytes(data, origin=origin, others=others)))


def asked(one: Loaded, more: More, origin: str) -> Loaded:
    complaints = tuple(more(one.resource, origin)) if one.resource is not None else ()
    return replace(one, topology=None, complaints=complaints) if complaints else one


def told(wrong: Loaded) -> str:
    where = "" if wrong.origin in wrong.name else f" ({wrong.origin})"
    return describe(f"{wrong.name}{where}", wrong.complaints)


def _read(path: str) -> Iterator[tuple[str, bytes]]:
    """A file, all topologies of a directory, or what is piped in."""
    place = Path(path)
    if path == STDIN:
        if sys.stdin is None:
            raise OSError(0, "standard input is closed")
        yield "stdin", bounded(sys.stdin.buffer)
    elif not place.is_dir():
        yield path, read_file(place)
    else:
        inside = sorted(file for file in place.iterdir() if file.suffix in ENDINGS and file.is_file())
        if not inside:
            raise OSError(0, f"this directory holds no {', '.join(ENDINGS)}")
        yield from ((str(file), read_file(file)) for file in inside)
