"""Which run a command is about.

Why: `levee status` without a word should find the one run that there is.
Called by: cli.commands.status, cli.commands.kill, cli.commands.stop, cli.commands.tail; cli.local.start, for where a run begins.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from levee.plans.ending import Exit, Refused
from levee.topology.complaint import Complaint
from levee.worlds.local.folder import CannotRead, Folder
from levee.worlds.local.table import RunTable, read_table

PLACE = Path(".levee")


def default_folder(name: str) -> Path:
    return (PLACE / name).absolute()


def directory_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--directory", metavar="DIR", help="The folder of the run. Default: the one run in .levee.")(command)


def known(directory: str | None) -> list[tuple[Folder, RunTable]]:
    """What has run in a folder, or in those of .levee."""
    paths = [Path(directory)] if directory else [path for path in sorted(PLACE.glob("*")) if path.is_dir()]
    folders = [Folder(path.absolute()) for path in paths]
    try:
        return [(folder, table) for folder in folders if (table := read_table(folder))]
    except CannotRead as unread:
        raise Refused("levee: what has run here cannot be told.", [unread.complaint]) from None


def find(command: str, directory: str | None) -> tuple[Folder, RunTable]:
    """The run in a folder; without one, the only one in .levee, or the only one of them that runs now."""
    found = known(directory)
    now = [one for one in found if one[1].controller is not None]
    if len(now) == 1 or len(found) == 1:
        return (now or found)[0]
    raise Refused(f"{command}: {'which run?' if found else 'no run was found.'}", [which(directory, found)], Exit.USAGE)


def find_running(command: str, directory: str | None) -> tuple[Folder, RunTable]:
    folder, table = find(command, directory)
    if table.controller is None:
        complaint = Complaint(table.topology, f"does not run now in {folder.path}", "start it with levee run")
        raise Refused(f"{command}: nothing runs.", [complaint])
    return folder, table


def which(directory: str | None, found: list[tuple[Folder, RunTable]]) -> Complaint:
    if directory:
        return Complaint("--directory", f"nothing has run in '{directory}'", "name the folder that levee run was given")
    if not found:
        return Complaint("--directory", f"nothing has run in {PLACE.absolute()}", "go where levee run was started, or name its folder")
    names = ", ".join(str(folder.path) for folder, _ in found)
    return Complaint("--directory", "several topologies have run here, and it is not said which is meant", f"name one of {names}")
