"""Topologies from the files that were named on the command line.

Why: all mistakes of all files are told at once; a file that cannot be read is a mistake like another.
Called by: cli.plan.
"""

import os
import sys
from collections.abc import Sequence

from levee.cli.ending import Refused, complaint_text
from levee.topology.complaint import Complaint
from levee.topology.graph import Topology
from levee.topology.load import Loaded, load_bytes

STDIN = "-"


def topologies(paths: Sequence[str]) -> tuple[Topology, ...]:
    """Every document of every file, or everything that is wrong with them."""
    loaded = [one for path in paths for one in read(path)]
    wrong = [one for one in loaded if one.topology is None]
    if wrong:
        raise Refused("\n".join(map(_told, wrong)))
    return tuple(one.topology for one in loaded if one.topology is not None)


def read(path: str) -> tuple[Loaded, ...]:
    """`-` is what is piped in."""
    origin = "stdin" if path == STDIN else path
    try:
        data = sys.stdin.buffer.read() if path == STDIN else _bytes(path)
    except IsADirectoryError:
        return (_unreadable(origin, "it is a directory", "name the file in it"),)
    except OSError as problem:
        return (_unreadable(origin, problem.strerror or str(problem), "check the path and its permissions, or use - for stdin"),)
    return load_bytes(data, origin=origin)


def _bytes(path: str) -> bytes:
    with open(os.fspath(path), "rb") as file:  # noqa: PTH123  # a named pipe or /dev/stdin is fine, too
        return file.read()


def _unreadable(origin: str, wrong: str, fix: str) -> Loaded:
    return Loaded(origin, origin, complaints=(Complaint(origin, f"cannot be read: {wrong}", fix),))


def _told(wrong: Loaded) -> str:
    where = "" if wrong.origin == wrong.name else f" ({wrong.origin})"
    return "\n".join([f"{wrong.name}{where} cannot be planned.", *map(complaint_text, wrong.complaints)])
