"""Topologies from the files that were named on the command line.

Why: all mistakes of all files are told at once, in the words of `levee validate`.
Called by: cli.plan.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from levee.cli.ending import Refused
from levee.topology.graph import Topology
from levee.topology.load import Loaded, load_bytes
from levee.topology.wording import describe

STDIN = "-"
ENDINGS = (".yaml", ".yml", ".json")


def topologies(paths: Sequence[str]) -> tuple[Topology, ...]:
    """Every document of every file, or everything that is wrong with them."""
    loaded = [one for origin, data in _contents(paths) for one in load_bytes(data, origin=origin)]
    wrong = [one for one in loaded if one.topology is None]
    if wrong:
        raise Refused("\n".join(map(_told, wrong)))
    return tuple(one.topology for one in loaded if one.topology is not None)


def _contents(paths: Sequence[str]) -> list[tuple[str, bytes]]:
    contents, unreadable = list[tuple[str, bytes]](), list[str]()
    for path in paths:
        try:
            contents.extend(_read(path))
        except (OSError, ValueError) as problem:  # ValueError: a path with a zero byte in it
            unreadable.append(f"{path}: {getattr(problem, 'strerror', None) or problem}")
    if unreadable:
        raise click.UsageError("Cannot read " + "; cannot read ".join(unreadable) + ".")
    return contents


def _read(path: str) -> Iterator[tuple[str, bytes]]:
    """A file, all topologies of a directory, or what is piped in."""
    place = Path(path)
    if path == STDIN:
        if sys.stdin is None:
            raise OSError(0, "standard input is closed")
        yield "stdin", sys.stdin.buffer.read()
    elif not place.is_dir():
        yield path, place.read_bytes()
    else:
        inside = sorted(file for file in place.iterdir() if file.suffix in ENDINGS and file.is_file())
        if not inside:
            raise OSError(0, f"this directory holds no {', '.join(ENDINGS)}")
        yield from ((str(file), file.read_bytes()) for file in inside)


def _told(wrong: Loaded) -> str:
    where = "" if wrong.origin in wrong.name else f" ({wrong.origin})"
    return describe(f"{wrong.name}{where}", wrong.complaints)
